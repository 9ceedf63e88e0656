//! Intervals are true: replicates with new noise, white and correlated. `cargo run --release -p bristle-fit --example logs`
//! does the same with 200 of them.
use crate::common::coverage;

const REPLICATES: usize = 24;
/// Of 24 intervals of 95 %, no more than five miss the truth but for a chance of 0.1 %.
const MISSED: usize = 5;

#[test]
fn under_white_noise() {
    for (name, [given, missed]) in coverage(REPLICATES, 0.0) {
        assert_eq!(given, REPLICATES, "{name}");
        assert!(missed <= MISSED, "{name}: {missed} of {given}");
    }
}

/// Of 24 intervals that hold the truth in 85 % of all cases, no more than nine miss it but for that chance. A fit whose residuals no
/// correlation makes white has no intervals, which is rare. The viscous coefficient is hard to tell from 0 in such noise: where
/// its interval would reach down there, it has none.
#[test]
fn under_correlated_noise() {
    for (name, [given, missed]) in coverage(REPLICATES, 0.95) {
        assert!(given >= REPLICATES - 6 || name == "viscous", "{name}: {given} of {REPLICATES}");
        assert!(missed <= 9, "{name}: {missed} of {given}");
    }
}
