//! The shipped log, from file to verdict.
use bristle_fit::file::Job;
use bristle_fit::report::{self, Outcome};
use bristle_fit::{Ended, Fitted, Standing, fit};
use std::ops::ControlFlow;
use std::path::Path;

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/logs"))
}

fn text() -> String {
    std::fs::read_to_string(folder().join("slide.toml")).unwrap()
}

fn outcome(job: &Job, model: &str) -> Outcome {
    let subject = job.subject(model).unwrap();
    let fitted: Fitted =
        fit(subject.experiment(), &job.options, &mut |_| ControlFlow::Continue(())).unwrap();
    Outcome { model: model.into(), subject, fitted, seconds: 0.0 }
}

/// What tools/reference/fit_logs.py put in.
const TRUTH: [(&str, f64); 6] = [
    ("sigma0", 2.0e4),
    ("sigma1", 60.0),
    ("mu_d", 0.25),
    ("mu_s", 0.38),
    ("v_s", 0.01),
    ("viscous", 0.5),
];

#[test]
fn truth_lies_within_the_intervals_and_its_model_is_preferred() {
    let job = Job::read(&text(), folder()).unwrap();
    let mut all: Vec<Outcome> =
        ["frbd", "dahl", "lugre"].iter().map(|m| outcome(&job, m)).collect();
    report::rank(&mut all);
    assert_eq!(all[0].model, "lugre");
    let fitted = &all[0].fitted;
    assert_eq!((fitted.ended, &fitted.refused), (Ended::Converged, &None));
    for (name, truth) in TRUTH {
        let e = fitted.estimate(name).unwrap();
        let [a, b] = e.interval.unwrap();
        assert!(a < truth && truth < b, "{name}: {truth} is not in [{a}, {b}]");
    }
    // Noise of the force is 0.3 N.
    assert!((fitted.rms(false).unwrap() - 0.3).abs() < 0.02 && fitted.rms(true).unwrap() < 0.33);
    assert!(report::preference(&all).starts_with("lugre is preferred"));
    let set: toml::Table = report::set(&job, &all[0]).parse().unwrap();
    let sigma0 = set["friction"]["sigma0"].as_float().unwrap();
    assert_eq!(sigma0, fitted.estimate("sigma0").unwrap().value);
}

/// At one speed nothing tells the levels of the law from its viscous part.
#[test]
fn what_a_log_does_not_determine_is_named_and_has_no_number() {
    let log: String = (0..400)
        .map(|k| {
            let t = 0.005 * f64::from(k);
            let noise = 0.01 * ((f64::from(k) * 12.9898).sin() * 43_758.545_3).fract();
            format!("{t},{},{}\n", 0.02 * t, 3.0 + noise)
        })
        .collect();
    let folder = std::env::temp_dir().join(format!("bristle-fit-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("one.csv"), format!("t [s],x [m],F [N]\n{log}")).unwrap();
    let text = "[[log]]\nfile = \"one.csv\"\nload = 10.0\n[friction]\nmodel = \"dahl\"\nlaw.mu_d = 0.3\nlaw.mu_s = 0.35\n\
                [free]\nmu_d = {}\nviscous = { start = 1.0 }\nsigma0 = {}";
    let job = Job::read(text, &folder).unwrap();
    let found = outcome(&job, "dahl");
    std::fs::remove_dir_all(&folder).unwrap();
    let open = |name: &str| {
        let e = found.fitted.estimate(name).unwrap();
        matches!(e.standing, Standing::Undetermined | Standing::AtBound(_)) && e.interval.is_none()
    };
    assert!(open("viscous") || open("mu_d"), "{}", report::text(&job, &[found]));
}

#[test]
fn an_interrupt_gives_the_best_so_far_without_intervals() {
    let job = Job::read(&text(), folder()).unwrap();
    let subject = job.subject("lugre").unwrap();
    let mut stop = |told: &bristle_fit::Told<'_>| match told.evaluations {
        12.. => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    let fitted = fit(subject.experiment(), &job.options, &mut stop).unwrap();
    assert_eq!(fitted.ended, Ended::Interrupted);
    assert!(fitted.refused.is_some() && fitted.estimates.iter().all(|e| e.interval.is_none()));
}

#[test]
fn all_that_is_wrong_with_a_file_is_told_at_once() {
    let text = "[[log]]\nfile = \"none.csv\"\n[[log]]\nfile = \"slide.csv\"\nforce = \"G\"\n[system]\nkind = \"elephant\"\n\
                [friction]\nmodel = \"lugre\"\n[free]\nsigma0 = { strat = 1 }\n[fit]\nstarts = \"many\"";
    let told = Job::read(text, folder()).unwrap_err().to_string();
    for part in [
        "system.kind = \"elephant\" must be",
        "fit.starts = \"many\" must be a number",
        "free.sigma0 has no `strat`; did you mean `start`?",
        "none.csv cannot be read",
        "slide.csv has no column `G`; it has t, x, N, F",
    ] {
        assert!(told.contains(part), "{part} is missing in\n{told}");
    }
}

/// Motions that only creep say nothing of sliding: the one that does both is chosen first, and the widths are those of the fit.
#[test]
fn the_most_telling_motion_is_chosen_first() {
    let job = Job::read(&text(), folder()).unwrap();
    let subject = job.subject("lugre").unwrap();
    let experiment = subject.experiment();
    let theta: Vec<f64> = experiment
        .free()
        .iter()
        .map(|f| TRUTH.iter().find(|(n, _)| *n == f.name).unwrap().1)
        .collect();
    let chosen = bristle_fit::design::choose(experiment, &theta, 0.3, 2).unwrap();
    assert_eq!(chosen[0].channel, 0);
    let fitted = outcome(&job, "lugre").fitted;
    for (half, e) in chosen[0].half_widths.iter().zip(&fitted.estimates) {
        let [a, b] = e.interval.unwrap();
        // Of a parameter that is not searched by its logarithm the width is over its size.
        let size = e.free.slope(e.value);
        let ratio = 0.5 * (b - a) / size / half;
        assert!((ratio - 1.0).abs() < 0.2, "{}: {ratio}", e.free.name);
    }
    for (one, two) in chosen[0].half_widths.iter().zip(&chosen[1].half_widths) {
        assert!(two < one);
    }
}
