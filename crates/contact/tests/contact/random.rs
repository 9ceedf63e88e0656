//! Random rolling contacts against a rule that shares nothing with the engine's.
use crate::independent::{forces, random};
use bristle_contact::patch::Steady;
use proptest::test_runner::{RngAlgorithm, TestRng};

/// Of 24 cases the accuracy is kept, or the result says that it is not, and every estimate covers the error.
#[test]
fn random_patches_know_their_error() {
    const ACCURACY: f64 = 1e-3;
    // The truth is known to a tenth.
    const KNOWN: f64 = 0.1 * ACCURACY;
    let mut rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[20; 32]);
    for k in 0..24 {
        let case = random(&mut rng);
        let (patch, bristle, rolling) = &case;
        let mut contact = Steady::new(patch, bristle, ACCURACY).unwrap();
        let ours = contact.solve(rolling).unwrap();
        let truth = forces(&case, ACCURACY).unwrap_or_else(|| panic!("{k}: no truth"));
        let off = contact.distance(&ours.wrench(), &truth);
        assert!(off <= ours.error + KNOWN, "{k}: {off:e} off, {:e} said", ours.error);
        assert!(off <= ACCURACY + KNOWN || ours.error > ACCURACY, "{k}: {off:e}");
    }
}
