//! How many 95 % intervals hold the truth: fits a log without noise so often with noise added to its force, white and with a
//! correlation of 0.95 from sample to sample.
//!
//! ```sh
//! cargo run --release -p bristle-fit --example coverage -- LOG.csv 200 sigma0=2e4 sigma1=60 …
//! ```
//!
//! The log has the columns t, x, N and F; the numbers are the truth of `lugre`.
use bristle_fit::file::Job;
use bristle_fit::{Options, fit};
use std::fmt::Write;
use std::ops::ControlFlow;

/// Normal numbers: sums of twelve of a linear congruence.
fn normal(seed: &mut u64) -> f64 {
    (0..12).fold(-6.0, |sum, _| {
        *seed =
            seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        sum + (*seed >> 11) as f64 / (1u64 << 53) as f64
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let path = words.next().ok_or("name a log")?;
    let count: u64 = words.next().ok_or("say how many replicates")?.parse()?;
    let mut truth = Vec::new();
    for word in words {
        let (name, value) = word.split_once('=').ok_or("write the truth as name=value")?;
        truth.push((name.to_owned(), value.parse::<f64>()?));
    }
    let text = std::fs::read_to_string(&path)?;
    let lines: Vec<&str> = text.lines().filter(|l| !l.starts_with('#')).collect();
    let names: Vec<&str> =
        lines[0].split(',').map(|n| n.split('[').next().unwrap_or(n).trim()).collect();
    let force = names.iter().position(|n| *n == "F").ok_or("the log has no column F")?;
    let folder = std::env::temp_dir().join(format!("bristle-coverage-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let free: String =
        truth.iter().map(|(n, v)| format!("{n} = {{ start = {} }}\n", 1.2 * v)).collect();
    let job =
        format!("[[log]]\nfile = \"noisy.csv\"\n[friction]\nmodel = \"lugre\"\n[free]\n{free}");
    for correlation in [0.0, 0.95f64] {
        let mut inside = vec![0; truth.len()];
        let (mut given, mut seed) = (0, 77);
        for _ in 0..count {
            let mut before = 0.5 * normal(&mut seed);
            let mut log = format!("{}\n", lines[0]);
            for line in &lines[1..] {
                let fields: Result<Vec<f64>, _> = line.split(',').map(str::parse).collect();
                let mut fields = fields?;
                fields[force] += before;
                before = correlation * before
                    + 0.5 * (1.0 - correlation * correlation).sqrt() * normal(&mut seed);
                let row: Vec<String> = fields.iter().map(f64::to_string).collect();
                writeln!(log, "{}", row.join(","))?;
            }
            std::fs::write(folder.join("noisy.csv"), log)?;
            let job = Job::read(&job, &folder)?;
            let subject = job.subject("lugre")?;
            let options = Options { starts: 0, profile: false, ..job.options.clone() };
            let fitted = fit(subject.experiment(), &options, &mut |_| ControlFlow::Continue(()))?;
            given += usize::from(fitted.refused.is_none());
            for (count, (name, truth)) in inside.iter_mut().zip(&truth) {
                let own = fitted.estimate(name).and_then(|e| e.interval);
                *count += usize::from(own.is_some_and(|[a, b]| a <= *truth && *truth <= b));
            }
        }
        let shares: Vec<String> = truth
            .iter()
            .zip(&inside)
            .map(|((name, _), n)| {
                format!("{name} {:.1} %", 100.0 * *n as f64 / given.max(1) as f64)
            })
            .collect();
        println!(
            "correlation {correlation}: {given} of {count} with intervals: {}",
            shares.join(", ")
        );
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}
