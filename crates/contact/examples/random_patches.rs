//! Tries steady rolling on random patches: is the accuracy kept, and does the estimate cover the error?
//!
//! ```sh
//! cargo run --release -p bristle-contact --example random_patches -- --seed 1 --count 1000 --accuracy 1e-3
//! ```
//!
//! Truth is the rule in `tests/contact/independent.rs`, which shares nothing with the engine.
use bristle_contact::patch::Steady;
use proptest::test_runner::{RngAlgorithm, TestRng};

#[path = "../tests/contact/independent.rs"]
mod independent;
use independent::{forces, random};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str, absent: f64| {
        let at = words.iter().position(|w| w == name);
        at.and_then(|i| words.get(i + 1)?.parse().ok()).unwrap_or(absent)
    };
    let (seed, count, accuracy) =
        (value("--seed", 1.0) as u8, value("--count", 1000.0) as usize, value("--accuracy", 1e-3));
    let only = value("--only", -1.0);
    let mut rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
    let (mut tried, mut said, mut unsaid, mut uncovered, mut unknown) = (0, 0, 0, 0, 0);
    for k in 0..count {
        let case = random(&mut rng);
        if only >= 0.0 && only != k as f64 {
            continue;
        }
        tried += 1;
        let (patch, bristle, rolling) = &case;
        let mut contact = match Steady::new(patch, bristle, accuracy) {
            Ok(contact) => contact,
            Err(refused) => {
                println!("{k}: {refused}");
                continue;
            }
        };
        let (Ok(ours), Some(truth)) = (contact.solve(rolling), forces(&case, accuracy)) else {
            unknown += 1;
            continue;
        };
        let off = contact.distance(&ours.wrench(), &truth);
        said += usize::from(ours.error > accuracy);
        // The truth itself is known to a tenth of the accuracy.
        let known = 0.1 * accuracy;
        let covered = off <= ours.error + known;
        uncovered += usize::from(!covered);
        let wrong = off > accuracy + known && ours.error <= accuracy;
        unsaid += usize::from(wrong);
        if !covered || wrong || only >= 0.0 {
            println!(
                "{k}: {off:.1e} off, {:.1e} said, {ours:?}, truth {truth:?}: {patch:?} {bristle:?} {rolling:?}",
                ours.error
            );
        }
    }
    println!(
        "{tried} cases at {accuracy:e}: {unsaid} off by more than asked without saying so, {uncovered} not covered by their \
         estimate, {said} say that the accuracy is not reached, {unknown} without a truth"
    );
}
