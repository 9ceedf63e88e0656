//! Bristle in a browser: a server on this machine alone, and the one page that it serves.
//!
//! The page asks, the library answers, and nothing is decided here. Requests are JSON: the text of a scenario file, or the name
//! of a shipped one, and what is put over it. Answers are a header in JSON with columns of numbers behind it (see
//! [`answer`]). No request leads to a file: what a scenario names must be given with it.
//!
//! ```no_run
//! let lab = bristle_lab::Lab::bind(0)?;
//! println!("{}", lab.address());
//! lab.serve()?;
//! # Ok::<(), std::io::Error>(())
//! ```
#![forbid(unsafe_code)]

pub mod answer;
mod ask;
mod draw;
mod page;
mod server;
mod shipped;
mod thin;
mod views;
mod work;

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};

/// A server that is bound to a port.
#[derive(Debug)]
pub struct Lab {
    listener: TcpListener,
    address: SocketAddr,
}

impl Lab {
    /// Binds to a port of this machine, which no other machine reaches; 0 is any free one.
    pub fn bind(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        Ok(Lab { listener, address })
    }

    /// What to type into a browser.
    pub fn address(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Asks the desktop to show the page. Says whether there was someone to ask.
    pub fn open(&self) -> bool {
        let address = self.address();
        let words: &[&str] = match std::env::consts::OS {
            "macos" => &["open", &address],
            "windows" => &["cmd", "/c", "start", &address],
            _ => &["xdg-open", &address],
        };
        let mut command = std::process::Command::new(words[0]);
        let quiet = std::process::Stdio::null;
        command.args(&words[1..]).stdin(quiet()).stdout(quiet()).stderr(quiet());
        command.spawn().is_ok()
    }

    /// Serves the page until the program ends.
    pub fn serve(self) -> io::Result<()> {
        server::serve(self.listener, self.address)
    }
}
