//! Random systems, each judged by what holds for all. `cargo run --release -p bristle-random` takes many
//! more of them, and `-- --only N` one alone.
use bristle_random::generator::Case;
use bristle_random::judge::{Judgement, Verdict, judge};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Cases, by seed and number, that were wrong once, and why.
#[test]
fn cases_that_were_wrong_are_right() {
    for (seed, number) in [
        (1, 8),        // A release was missed where a stuck step spanned periods of a sine.
        (1, 939), // Two contacts without load on one body: forces that are not unique, and no limits to share them by.
        (1, 9685), // The same.
        (1, 8589), // The force of bristles changes faster than a prescribed motion: not seen by three nodes of the ledger.
        (1, 8687), // A bristle's speed was held against a micrometre per second.
        (1, 9429), // A step that ends at v = 0 passed the layer around v_s unseen.
        (1, 7395), // An observer cancels a force that changes faster than the motion: the ledger looks closer.
        (1, 1573), // A step of a few bits of time has no halves.
        (1, 18808), // After a release speeds grow faster than the first steps told.
        (7, 3762), // A contact without load held as much as the event of another one had missed its zero by.
        (7, 13986), // A noisy landing beside stiff bristles left a stick beyond its limit.
        (1001, 3829), // A force at its limit from the start passed it and was back before the first look at it.
        (1001, 12998), // A step that ended just short of v = 0, by chance, passed the layer around v_s unseen.
        (1001, 18654), // A release from a speed of 1e-50, where the slope of a law with exponent 0.5 is 1e24.
        (1001, 2977),  // A landing that gave way to noise must not go back to where it came from.
        (2001, 869), // Newton's method on a guard that is noise led past the switch of a drive, which came late.
    ] {
        let judgement = judge(&Case::draw(seed, number), true, false);
        assert!(matches!(judgement.verdict, Verdict::Right), "case {number}: {judgement:?}");
    }
}

/// A few hundred systems, one in ten of them against small steps too.
#[test]
fn random_systems_run_as_they_must() {
    const SEED: u64 = 0;
    const COUNT: u64 = 300;
    const EVERY: u64 = 10;
    let next = AtomicU64::new(0);
    let judged: Mutex<Vec<(Case, Judgement)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= COUNT {
                        break;
                    }
                    let case = Case::draw(SEED, number);
                    let judgement = judge(&case, number.is_multiple_of(EVERY), false);
                    judged.lock().unwrap().push((case, judgement));
                }
            });
        }
    });
    let (mut wrong, mut ill, mut compared) = (0, 0, 0);
    for (case, judgement) in judged.into_inner().unwrap() {
        compared += u64::from(judgement.compared);
        let text = match judgement.verdict {
            Verdict::Right => continue,
            Verdict::IllConditioned => {
                ill += 1;
                continue;
            }
            Verdict::Excused(reason) => reason.to_owned(),
            Verdict::Wrong(faults) => {
                wrong += 1;
                let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
                faults.join("; ")
            }
        };
        let Case { number, kind, .. } = case;
        let steps = judgement.statistics.accepted;
        let run = format!("{steps} steps until {} s", judgement.end);
        println!("case {number}, {kind} / {}, {run}: {text}", case.models());
    }
    assert_eq!(wrong, 0, "so many of {COUNT} cases of seed {SEED} are wrong");
    assert!(ill <= COUNT / 20, "{ill} of {COUNT} cases are ill conditioned");
    assert!(compared >= COUNT / EVERY / 2, "only {compared} cases are resolved by small steps");
}
