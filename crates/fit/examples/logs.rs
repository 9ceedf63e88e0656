//! Fits the file named, from the start that its log suggests and from random ones, and says where each ended.
//!
//! ```sh
//! cargo run --release -p bristle-fit --example logs -- data/logs/slide.toml 100
//! ```
use bristle_fit::file::Job;
use bristle_fit::report::{self, Outcome};
use bristle_fit::{Options, fit};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let path = words.next().ok_or("name a file")?;
    let count: u64 = words.next().map_or(Ok(0), |n| n.parse())?;
    let path = Path::new(&path);
    let job = Job::read(&std::fs::read_to_string(path)?, path.parent().unwrap_or(Path::new("")))?;
    for seed in 0..=count {
        let mut subject = job.subject(&job.model)?;
        subject.scatter(seed);
        let began = Instant::now();
        if std::env::var_os("TRACE").is_some() {
            let experiment = subject.experiment();
            let names: Vec<&str> = experiment.free().iter().map(|f| f.name.as_str()).collect();
            let starts: Vec<f64> = experiment.free().iter().map(|f| f.start).collect();
            println!("{names:?}\n{starts:?}\n{:?}", experiment.guesses());
        }
        let options = Options { profile: false, seed: seed + 1, ..job.options.clone() };
        let fitted = fit(subject.experiment(), &options, &mut |_| ControlFlow::Continue(()))?;
        let values: Vec<String> =
            fitted.estimates.iter().map(|e| format!("{} {:.5e}", e.free.name, e.value)).collect();
        // Mean absolute residuals, averaged over the logs that were fitted and those that were held out.
        let mean = |held: bool| {
            let own = fitted.channels.iter().filter(|(c, _)| c.held_out == held);
            let (sum, n) = own.fold((0.0, 0.0), |(sum, n), (_, q)| (sum + q.mean, n + 1.0));
            sum / n
        };
        println!(
            "{seed}: rms {:.5e}, mean {:.4e}, held out {:.4e}, {} predictions, {:.2} s: {}",
            fitted.rms(false).unwrap_or(f64::NAN),
            mean(false),
            mean(true),
            fitted.evaluations,
            began.elapsed().as_secs_f64(),
            values.join(", ")
        );
        if seed == 0 {
            let seconds = began.elapsed().as_secs_f64();
            let outcome = Outcome { model: job.model.clone(), subject, fitted, seconds };
            println!("{}", report::text(&job, &[outcome]));
        }
    }
    Ok(())
}
