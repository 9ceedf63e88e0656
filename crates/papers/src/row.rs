//! One number of a paper, compared.
use crate::Entry;

/// What a run found for a quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// In the unit of the quantity's name.
    pub values: Vec<f64>,
    /// How far the quantity goes in the run; 0 where only its own value counts, as for times, counts
    /// and integrals.
    pub amplitude: f64,
}

impl From<f64> for Found {
    fn from(value: f64) -> Self {
        Found { values: vec![value], amplitude: 0.0 }
    }
}

impl Found {
    /// In another unit, of which so many make one of the present.
    pub fn times(mut self, unit: f64) -> Self {
        self.values.iter_mut().for_each(|x| *x *= unit);
        self.amplitude *= unit;
        self
    }
}

/// What came of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Ours is the reference's and the paper's.
    Reproduced,
    /// Ours is the reference's; the paper needs a correction to get there.
    Corrected,
    /// The paper does not say enough, or its number does not follow from what it says.
    NotReproducible,
    /// Ours is not what it should be.
    Deviates,
}

impl Verdict {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Verdict::Reproduced => "reproduced",
            Verdict::Corrected => "reproduced with correction",
            Verdict::NotReproducible => "not reproducible",
            Verdict::Deviates => "deviates",
        }
    }
}

/// A number compared.
#[derive(Clone, Debug)]
pub struct Row {
    /// What was done.
    pub experiment: String,
    /// With which model.
    pub model: String,
    /// What was measured, with its unit.
    pub quantity: String,
    /// What the paper prints.
    pub printed: Option<String>,
    /// What we find.
    pub ours: Vec<f64>,
    /// What an independent program found.
    pub reference: Vec<f64>,
    /// The row of the reference file, `experiment|model|quantity`.
    pub reference_key: Option<String>,
    /// How much ours may differ from the reference.
    pub allowed: f64,
    /// What came of it.
    pub verdict: Verdict,
    /// Why, where ours is not what the paper prints.
    pub why: String,
}

/// The size that an error is relative to: the number's own; or, if that is less than a tenth of how far
/// the quantity goes in the run, the latter. A drift is a difference of positions and a deflection passes
/// through zero: they are as exact as what they are differences of.
fn size(value: f64, amplitude: f64) -> f64 {
    if value.abs() < 0.1 * amplitude { amplitude } else { value.abs() }
}

impl Row {
    /// Against a number of the reference, to a part `allowed` of its size or to its own uncertainty.
    pub fn compared(entry: &Entry, found: &Found, allowed: f64) -> Self {
        let reference = entry.numbers();
        let most = reference.iter().map(|x| allowed * size(*x, found.amplitude));
        Row::within(entry, found.values.clone(), most.fold(entry.uncertainty, f64::max))
    }

    /// The same, to a given distance.
    pub fn within(entry: &Entry, ours: Vec<f64>, allowed: f64) -> Self {
        let mut row = Row {
            experiment: entry.experiment.clone(),
            model: entry.model.clone(),
            quantity: entry.quantity.clone(),
            printed: entry.printed.clone(),
            ours,
            reference: entry.numbers(),
            reference_key: Some(entry.key()),
            allowed,
            verdict: Verdict::Reproduced,
            why: String::new(),
        };
        if row.ours.len() != row.reference.len() || row.error().is_none_or(|e| e > allowed) {
            row.verdict = Verdict::Deviates;
            row.why = "not within what is allowed of the reference".into();
        } else if row.printed.as_deref().is_some_and(|p| says(p, &row.ours) == Some(false)) {
            row.verdict = Verdict::Deviates;
            row.why = "not what the paper prints".into();
        }
        row
    }

    /// The same, to a distance for each of its numbers.
    pub fn within_each(entry: &Entry, ours: Vec<f64>, allowed: &[f64]) -> Self {
        let numbers = entry.numbers();
        let inside = |((a, b), most): ((&f64, &f64), &f64)| (a - b).abs() <= *most;
        let all = ours.iter().zip(&numbers).zip(allowed).all(inside);
        // One that is too far from its own number is farther than the least distance.
        let limit = if all { f64::max } else { f64::min };
        let limit = allowed.iter().copied().reduce(limit).unwrap_or(0.0);
        Row::within(entry, ours, limit)
    }

    /// A number of the paper without a reference: it must be what is printed, to the last digit.
    pub fn printed(
        experiment: &str,
        model: &str,
        quantity: &str,
        ours: f64,
        printed: &str,
    ) -> Self {
        let agrees = says(printed, &[ours]) == Some(true);
        Row {
            experiment: experiment.into(),
            model: model.into(),
            quantity: quantity.into(),
            printed: Some(printed.into()),
            ours: vec![ours],
            reference: Vec::new(),
            reference_key: None,
            allowed: 0.0,
            verdict: if agrees { Verdict::Reproduced } else { Verdict::Deviates },
            why: if agrees { String::new() } else { "not what the paper prints".into() },
        }
    }

    /// A number that the paper prints and that nobody can run again.
    pub fn lost(experiment: &str, model: &str, quantity: &str, printed: &str, why: &str) -> Self {
        Row {
            verdict: Verdict::NotReproducible,
            why: why.into(),
            ours: Vec::new(),
            ..Row::printed(experiment, model, quantity, f64::NAN, printed)
        }
    }

    /// The same with what is known of why the paper prints something else. Where ours is not the
    /// reference's, no reason helps.
    pub fn because(mut self, verdict: Verdict, why: &str) -> Self {
        let wrong = !self.reference.is_empty() && self.error().is_none_or(|e| e > self.allowed);
        if !wrong {
            (self.verdict, self.why) = (verdict, why.into());
        }
        self
    }

    /// The greatest difference from the reference; none without one, or where something is not a number.
    pub fn error(&self) -> Option<f64> {
        let errors = self.ours.iter().zip(&self.reference).map(|(a, b)| (a - b).abs());
        // What is not a number stays so: the usual maximum would forget it.
        errors.reduce(|a, b| if a.is_nan() || a > b { a } else { b }).filter(|e| !e.is_nan())
    }
}

/// Where a function with one maximum between two places has it, and how great that is: where its slope,
/// by differences of order 4, passes zero.
pub fn peak(f: impl Fn(f64) -> f64, [mut low, mut high]: [f64; 2]) -> (f64, f64) {
    let h = 3e-4 * (high - low);
    let slope = |x: f64| 8.0 * (f(x + h) - f(x - h)) - (f(x + 2.0 * h) - f(x - 2.0 * h));
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        *if slope(middle) > 0.0 { &mut low } else { &mut high } = middle;
    }
    (low, f(low))
}

/// Whether these are the printed numbers, to half a unit of the last printed digit, or to a twentieth
/// after `~`; none where the paper says it in words.
fn says(printed: &str, ours: &[f64]) -> Option<bool> {
    let texts: Vec<&str> = printed.split(';').map(str::trim).collect();
    let mut agree = texts.len() == ours.len();
    for (text, ours) in texts.iter().zip(ours) {
        let (about, text) = text.strip_prefix('~').map_or((false, *text), |t| (true, t));
        let end = text.find(|c: char| !"0123456789.-+e".contains(c)).unwrap_or(text.len());
        let number: f64 = text[..end].parse().ok()?;
        let (mantissa, exponent) = text[..end].split_once('e').unwrap_or((&text[..end], "0"));
        let decimals = mantissa.split_once('.').map_or(0, |(_, d)| d.len()) as i32;
        let unit = 10f64.powi(exponent.parse::<i32>().ok()? - decimals);
        let allowed = if about { 0.05 * number.abs() } else { 0.5 * unit * (1.0 + 1e-9) };
        agree &= (ours - number).abs() <= allowed;
    }
    Some(agree)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_print_is_good_to_half_its_last_digit() {
        assert_eq!(says("0.0755", &[0.075_46]), Some(true));
        assert_eq!(says("0.01875", &[0.018_744_8]), Some(false));
        assert_eq!(says("1.47 (Fs)", &[1.4715]), Some(true));
        assert_eq!(says("7.06e-4", &[7.058e-4]), Some(true));
        assert_eq!(says("7.06e-4", &[7.07e-4]), Some(false));
        assert_eq!(says("~20", &[19.3]), Some(true));
        assert_eq!(says("0.1; 0.133; 0.01", &[0.1, 0.1396, 0.0095]), Some(false));
        assert_eq!(says("no drift", &[0.0]), None);
    }

    /// A distance of one number is no excuse for another.
    #[test]
    fn each_number_has_its_own_distance() {
        let entry = Entry {
            experiment: String::new(),
            model: String::new(),
            quantity: String::new(),
            value: "1; 1e-3".into(),
            uncertainty: 0.0,
            printed: None,
        };
        let verdict = |ours: [f64; 2]| {
            let row = Row::within_each(&entry, ours.to_vec(), &[0.1, 1e-4]);
            row.because(Verdict::Corrected, "whatever").verdict
        };
        assert_eq!(verdict([1.09, 1.09e-3]), Verdict::Corrected);
        assert_eq!(verdict([1.0, 1.2e-3]), Verdict::Deviates);
        assert_eq!(verdict([1.2, 1e-3]), Verdict::Deviates);
        assert_eq!(verdict([1.0, f64::NAN]), Verdict::Deviates);
    }
}
