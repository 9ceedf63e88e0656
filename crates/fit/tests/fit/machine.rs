//! A machine of parts is fitted by the keys of its file.
use bristle_fit::file::Job;
use bristle_fit::fit;
use bristle_fit::report::{self, Outcome};
use bristle_scenario::machine::Scenario;
use std::fmt::Write;
use std::ops::ControlFlow;

const MACHINE: &str = "[[body]]\nname = \"slide\"\nmass = 2.0\n\
    [[force]]\nname = \"push\"\non = \"slide\"\nforce = { model = \"sine\", amplitude = 8.0, frequency = 2.0 }\n\
    [[contact]]\nname = \"rail\"\nbetween = [\"slide\", \"ground\"]\nload = 10.0\n\
    [friction]\nmodel = \"frbd\"\nsigma0 = 1.0e4\nsigma1 = 20.0\n\
    [friction.law]\nmu_d = 0.3\nmu_s = 0.4\nv_s = 0.02\nviscous = 0.2\n[run]\nend = 1.0\n";

#[test]
fn every_number_of_a_machine_can_be_free() {
    let folder = std::env::temp_dir().join(format!("bristle-machine-fit-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let truth = Scenario::read(MACHINE, &[], &folder).unwrap().simulation().unwrap();
    let at: Vec<f64> = (1..=200).map(|k| 5e-3 * f64::from(k)).collect();
    let run = truth.stops(&at).run(1.0).unwrap();
    let (t, x) = (run.trace.column("t").unwrap(), run.trace.column("x_slide").unwrap());
    let mut log = String::from("t [s],x [mm]\n");
    for at in &at {
        let row = t.values.partition_point(|t| *t <= at + 1e-12) - 1;
        // A micrometre of something that looks like noise.
        let noise = 1e-3 * ((1e4 * at).sin() * 43_758.545_3).fract();
        writeln!(log, "{at:.4},{:.6}", 1e3 * x.values[row] + noise).unwrap();
    }
    std::fs::write(folder.join("log.csv"), log).unwrap();
    std::fs::write(folder.join("machine.toml"), MACHINE.replace("mass = 2.0", "mass = 1.6"))
        .unwrap();
    let text = "[[log]]\nfile = \"log.csv\"\ncolumns = { x_slide = \"x\" }\n\
                [system]\nkind = \"machine\"\nfile = \"machine.toml\"\n\
                [free]\n\"body.slide.mass\" = {}\n\"friction.law.mu_d\" = { start = 0.25 }\n\
                [fit]\nstarts = 0\nprofile = false\n";
    let job = Job::read(text, &folder).unwrap();
    let subject = job.subject(&job.model).unwrap();
    let fitted =
        fit(subject.experiment(), &job.options, &mut |_| ControlFlow::Continue(())).unwrap();
    let outcome = Outcome { model: job.model.clone(), subject, fitted, seconds: 0.0 };
    for (name, truth) in [("body.slide.mass", 2.0), ("friction.law.mu_d", 0.3)] {
        let value = outcome.fitted.estimate(name).unwrap().value;
        let said = report::text(&job, std::slice::from_ref(&outcome));
        assert!((value / truth - 1.0).abs() < 1e-3, "{name}: {value}\n{said}");
    }
    // The machine's file comes back with what was found, and is a machine.
    let file = report::machine(&outcome).unwrap();
    let mass = Scenario::read(&file, &[], &folder).unwrap().table["body"][0]["mass"].as_float();
    assert_eq!(mass, Some(outcome.fitted.estimate("body.slide.mass").unwrap().value));

    let wrong = text.replace("x_slide", "x_slid").replace("body.slide.mass", "body.slide.mas");
    let told = Job::read(&wrong, &folder).unwrap().subject("machine").unwrap_err().to_string();
    assert!(told.contains("the run has no column `x_slid`; it has t, x_slide"), "{told}");
    std::fs::remove_dir_all(&folder).unwrap();
}
