//! Intervals are true: replicates with new noise, white and correlated. `cargo run --release -p bristle-fit --example logs`
//! does the same with 200 of them.
use crate::common::coverage;

/// Of 24 intervals of 95 %, at least 19 hold the truth but for a chance of 0.1 %.
const LEAST: usize = 19;

#[test]
fn under_white_noise() {
    for (name, inside) in coverage(24, 0.0) {
        assert!(inside >= LEAST, "{name}: {inside} of 24");
    }
}

#[test]
fn under_correlated_noise() {
    for (name, inside) in coverage(24, 0.95) {
        assert!(inside >= LEAST - 2, "{name}: {inside} of 24");
    }
}
