//! `bristle lab`: friction in a browser.
use crate::{Outcome, Trouble, complain, print};
use bristle_lab::Lab;

/// What the command line says.
#[derive(clap::Args)]
pub struct Args {
    /// The port of this machine; 0 for any free one
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,
    /// Do not open the browser
    #[arg(long)]
    no_open: bool,
}

/// Serves until it is told to end.
pub fn run(args: &Args) -> Outcome {
    let port = args.port;
    let lab = Lab::bind(port).map_err(|e| {
        Trouble::Run(format!(
            "cannot listen on port {port} of this machine: {e}; take another --port, or 0 for any"
        ))
    })?;
    print(&format!("The lab is at {}\nCtrl-C ends it.\n", lab.address()));
    if !args.no_open && !lab.open() {
        complain("note", "no browser was found here: open the address in yours");
    }
    lab.serve().map_err(|e| Trouble::Run(format!("the lab ended: {e}")))?;
    Ok(String::new())
}
