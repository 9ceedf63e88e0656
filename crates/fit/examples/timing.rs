//! Fits the file named a few times and prints the least CPU time of one fit, its rms and its values, as JSON.
use bristle_fit::file::Job;
use bristle_fit::fit;
use std::ops::ControlFlow;
use std::path::Path;

/// CPU time of this process so far, s.
fn cpu() -> f64 {
    // All threads count, as they do for the others.
    let stat = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let own = stat.split_whitespace().next().and_then(|s| s.parse::<f64>().ok());
    own.map_or(f64::NAN, |ns| 1e-9 * ns)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("name a file")?;
    let path = Path::new(&path);
    let job = Job::read(&std::fs::read_to_string(path)?, path.parent().unwrap_or(Path::new("")))?;
    let mut best = f64::INFINITY;
    let mut last = None;
    // On one thread, so that its time is all of it.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build()?;
    for _ in 0..5 {
        let subject = job.subject(&job.model)?;
        let began = cpu();
        let fitted = pool.install(|| {
            fit(subject.experiment(), &job.options, &mut |_| ControlFlow::Continue(()))
        })?;
        best = best.min(cpu() - began);
        last = Some(fitted);
    }
    let fitted = last.ok_or("no fit")?;
    let values: Vec<String> =
        fitted.estimates.iter().map(|e| format!("\"{}\": {}", e.free.name, e.value)).collect();
    println!(
        "{{\"cpu\": {best}, \"rms\": {}, \"predictions\": {}, \"values\": {{{}}}}}",
        fitted.rms(false).unwrap_or(f64::NAN),
        fitted.evaluations,
        values.join(", ")
    );
    Ok(())
}
