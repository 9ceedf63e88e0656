//! Every number of the reference files is compared once, and none deviates, at default and at tight
//! tolerance.
use bristle_papers::{Done, Experiment, Reference, Setting, Verdict, experiments, report, run};
use std::collections::BTreeMap;
use std::path::Path;

fn keys(folder: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(folder).join("scalars.csv");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{folder}: {e}"));
    Reference::read(&text).entries().iter().map(|e| e.key()).collect()
}

/// Those of some papers.
fn all(setting: Setting, papers: &[&str]) -> Vec<Done> {
    let chosen: Vec<&'static Experiment> =
        experiments().filter(|e| papers.contains(&e.paper)).collect();
    run(&chosen, setting, 2, |_| true).unwrap()
}

fn holds(done: &[Done]) {
    for one in done {
        let found =
            one.outcome.as_ref().unwrap_or_else(|e| panic!("{}: {e}", one.experiment.name()));
        for row in &found.rows {
            assert_ne!(row.verdict, Verdict::Deviates, "{row:?}");
            let reason = matches!(row.verdict, Verdict::Reproduced) || !row.why.is_empty();
            assert!(reason, "no reason: {row:?}");
        }
        for figure in &found.figures {
            assert!(figure.svg().len() > 2000, "{} draws nothing", one.experiment.name());
        }
    }
}

#[test]
fn every_number_is_compared_once_and_none_deviates() {
    let done = all(Setting::USUAL, &["000", "001", "002", "003", "004"]);
    holds(&done);
    // Most numbers are independent references; the report says how many the papers print.
    let [printed, found] = report::by_source(&done);
    assert_eq!([printed.reproduced, printed.corrected, printed.not_reproducible], [77, 13, 50]);
    assert!(found.all() > 2800, "{}", found.all());
    assert!(report::page(&done).contains("The papers print 140 of the numbers below"));
    let mut compared: BTreeMap<String, usize> = BTreeMap::new();
    for row in done.iter().filter_map(|d| d.outcome.as_ref().ok()).flat_map(|f| &f.rows) {
        if let Some(key) = &row.reference_key {
            *compared.entry(key.clone()).or_default() += 1;
        }
    }
    for folder in ["frbd", "lugre-or-not", "rotating", "viscoelastic"] {
        for key in keys(folder) {
            assert_eq!(compared.get(&key), Some(&1), "{folder}: {key}");
        }
    }
}

/// The others run from event to event, or to an accuracy of their own.
#[test]
fn none_deviates_at_tight_tolerance() {
    holds(&all(Setting::TIGHT, &["000", "002", "003"]));
}
