//! Tries random patches: is the accuracy kept, and does the estimate cover the error?
//!
//! ```sh
//! cargo run --release -p bristle-contact --example random_patches -- --seed 1 --count 1000 --accuracy 1e-3
//! ```
//!
//! Truth is the rule in `tests/contact/independent.rs`, which shares nothing with the engine. With `--truth own` it is the engine itself
//! at a hundredth of the accuracy: a hundred times as fast, and blind to what all its rules overlook. With `--transient` slip and
//! speed jump on the way, and truth is the engine at a hundredth of the accuracy and with twice as many steps.
use bristle_contact::patch::transient::Manoeuvre;
use bristle_contact::patch::{Outcome, Refused, Rolling, Steady};
use proptest::test_runner::{RngAlgorithm, TestRng};

#[path = "../tests/contact/independent.rs"]
mod independent;
use independent::{Case, forces, random};

/// Rows of a transient, and what it covers, in half lengths of the patch.
const ROWS: usize = 12;
const HALF_LENGTHS: f64 = 2.4;

/// Forces and moments of a motion whose slip and speed jump half way, `every` of its steps being a row.
fn rolled(
    (patch, bristle, rolling): &Case,
    accuracy: f64,
    every: usize,
) -> Result<Vec<Outcome>, Refused> {
    let end = HALF_LENGTHS * patch.a;
    let jump = 0.47 * end;
    let later = Rolling { sigma_x: -0.5 * rolling.sigma_x, v_r: 0.7 * rolling.v_r, ..*rolling };
    let steps = ROWS * every;
    let at: Vec<f64> = (1..=steps).map(|k| end * k as f64 / steps as f64).collect();
    let course = Manoeuvre {
        rolling: &|s| if s < jump { *rolling } else { later },
        jumps: &[jump],
        at: &at,
        start: &|_, _| [0.0; 2],
    };
    let rows = Steady::new(patch, bristle, accuracy)?.roll(&course)?;
    Ok(rows.into_iter().skip(every - 1).step_by(every).collect())
}

/// By how much a case is off, what is said of that, and how well the former is known.
fn tried(case: &Case, accuracy: f64, truth: &str) -> Result<Option<[f64; 3]>, Refused> {
    let (patch, bristle, rolling) = case;
    let mut contact = Steady::new(patch, bristle, accuracy)?;
    if truth == "transient" {
        let (ours, finer) = (rolled(case, accuracy, 1)?, rolled(case, 0.01 * accuracy, 2)?);
        // Beside the greatest force and moments of the manoeuvre.
        let most = |c: usize| finer.iter().map(|o| o.wrench()[c].abs()).fold(0.0, f64::max);
        let force = finer.iter().map(|o| o.force[0].hypot(o.force[1])).fold(0.0, f64::max);
        let of = [force, 0.0, most(2), most(3)];
        let mut worst = [0.0f64; 3];
        for (o, f) in ours.iter().zip(&finer) {
            let (o4, f4) = (o.wrench(), f.wrench());
            let (x, y) = (o4[0] - f4[0], o4[1] - f4[1]);
            let moved = [force + x.hypot(y), 0.0, of[2] + (o4[2] - f4[2]), of[3] + (o4[3] - f4[3])];
            let off = contact.distance(&moved, &of);
            if off - o.error > worst[0] - worst[1] || worst[1] == 0.0 {
                worst = [off, o.error, f.error.min(0.1 * accuracy)];
            }
        }
        return Ok(Some(worst));
    }
    let ours = contact.solve(rolling)?;
    let (truth, known) = match truth {
        "own" => {
            let finer = Steady::new(patch, bristle, 0.01 * accuracy)?.solve(rolling)?;
            (Some(finer.wrench()), finer.error.min(0.1 * accuracy))
        }
        _ => (forces(case, accuracy), 0.1 * accuracy),
    };
    Ok(truth.map(|truth| [contact.distance(&ours.wrench(), &truth), ours.error, known]))
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let named = |name: &str| words.iter().position(|w| w == name);
    let value = |name: &str, absent: f64| {
        named(name).and_then(|i| words.get(i + 1)?.parse().ok()).unwrap_or(absent)
    };
    let (seed, count, accuracy) =
        (value("--seed", 1.0) as u8, value("--count", 1000.0) as usize, value("--accuracy", 1e-3));
    let truth = match (named("--transient"), named("--truth")) {
        (Some(_), _) => "transient",
        (None, Some(i)) => words.get(i + 1).map_or("independent", String::as_str),
        (None, None) => "independent",
    };
    let only = value("--only", -1.0);
    let mut rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
    let (mut done, mut said, mut unsaid, mut uncovered, mut unknown) = (0, 0, 0, 0, 0);
    let mut worst = 0.0f64;
    for k in 0..count {
        let case = random(&mut rng);
        if only >= 0.0 && only != k as f64 {
            continue;
        }
        done += 1;
        let [off, error, known] = match tried(&case, accuracy, truth) {
            Ok(Some(found)) => found,
            Ok(None) => {
                unknown += 1;
                continue;
            }
            Err(refused) => {
                println!("{k}: {refused}");
                continue;
            }
        };
        let (covered, wrong) = (off <= error + known, off > accuracy + known && error <= accuracy);
        said += usize::from(error > accuracy);
        uncovered += usize::from(!covered);
        unsaid += usize::from(wrong);
        worst = worst.max((off - known) / error.max(f64::MIN_POSITIVE));
        if !covered || wrong || only >= 0.0 {
            println!("{k}: {off:.1e} off, {error:.1e} said, truth known to {known:.1e}: {case:?}");
        }
        if k % 500 == 499 {
            println!(
                "after {done}: {unsaid} unsaid, {uncovered} uncovered, {said} said, {unknown} unknown"
            );
        }
    }
    println!(
        "{done} cases at {accuracy:e}, truth {truth}: {unsaid} off by more than asked without saying so, {uncovered} not covered \
         by their estimate, {said} say that the accuracy is not reached, {unknown} without a truth; error at most {worst:.2} of \
         the estimate"
    );
}
