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
    rolling(&done);
    rotating(&done);
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

/// Every steady case is compared once, with three forces and a moment, and everything is drawn but the table.
fn rolling(done: &[Done]) {
    let mut cases = Vec::new();
    for one in done.iter().filter(|d| d.experiment.paper == "004") {
        let found = one.outcome.as_ref().unwrap();
        assert_eq!(found.figures.is_empty(), one.experiment.place == "Table 1");
        let steady = found.rows.iter().filter(|row| row.experiment == "steady rolling");
        cases.extend(steady.map(|row| (&row.model, &row.quantity)));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/rolling/steady_reference.csv");
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).count() - 1;
    let count = cases.len();
    cases.sort();
    cases.dedup();
    assert_eq!((count, cases.len()), (4 * lines, count));
}

/// Numbers of 001 that do not follow from the paper stay apart from those that do.
fn rotating(done: &[Done]) {
    let lost = |place: &str| {
        let one = |d: &&Done| d.experiment.paper == "001" && d.experiment.place == place;
        let found = done.iter().find(one).unwrap().outcome.as_ref().unwrap();
        let lost = found.rows.iter().filter(|r| r.verdict == Verdict::NotReproducible);
        lost.map(|r| (r.printed.clone().unwrap(), r.why.clone())).collect::<Vec<_>>()
    };
    let energies = lost("Fig. 9");
    assert_eq!(energies.len(), 20);
    for (printed, why) in energies {
        let energy = printed.starts_with("0.35") || printed.starts_with("355");
        assert!(energy && why.contains("follow from neither"), "{printed}: {why}");
    }
    assert_eq!(lost("Fig. 5").len(), 2);
    assert_eq!(lost("Fig. 14").len(), 2);
}

/// The others run from event to event, or to an accuracy of their own.
#[test]
fn none_deviates_at_tight_tolerance() {
    holds(&all(Setting::TIGHT, &["000", "002", "003"]));
}
