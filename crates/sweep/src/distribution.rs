//! Distributions of a parameter.
use std::f64::consts::{FRAC_1_SQRT_2, PI};
use std::fmt;

/// How a parameter is spread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// normal(mean, deviation)
    Normal(f64, f64),
    /// log_normal(median, deviation of the logarithm)
    LogNormal(f64, f64),
    /// uniform(from, to)
    Uniform(f64, f64),
    /// log_uniform(from, to)
    LogUniform(f64, f64),
    /// triangular(from, most likely, to)
    Triangular(f64, f64, f64),
}

/// How each is written.
pub const FORMS: [&str; 5] = [
    "normal(mean, deviation)",
    "log_normal(median, deviation of the logarithm)",
    "uniform(from, to)",
    "log_uniform(from, to)",
    "triangular(from, most likely, to)",
];

impl Distribution {
    /// Reads `normal(0.6, 0.05)`; nothing where it is no distribution, or what is wrong with one.
    pub fn read(text: &str) -> Option<Result<Self, String>> {
        let (name, rest) = text.trim().split_once('(')?;
        let numbers = rest.strip_suffix(')')?.split(',').map(|x| x.trim().parse::<f64>());
        let numbers: Vec<f64> = numbers.collect::<Result<_, _>>().unwrap_or_default();
        let of = |form: &&&str| form.split('(').next() == Some(name.trim());
        let form = FORMS.iter().find(of)?;
        let refused = |why: &str| Some(Err(format!("{form}: {why}")));
        if numbers.iter().any(|x| !x.is_finite()) {
            return refused("it takes finite numbers");
        }
        let (read, sound, why) = match (name.trim(), numbers.as_slice()) {
            ("normal", [m, s]) => {
                (Distribution::Normal(*m, *s), *s > 0.0, "the deviation must be positive")
            }
            ("log_normal", [m, s]) => (
                Distribution::LogNormal(*m, *s),
                *m > 0.0 && *s > 0.0,
                "median and deviation must be positive",
            ),
            ("uniform", [a, b]) => {
                (Distribution::Uniform(*a, *b), a < b, "from must be less than to")
            }
            ("log_uniform", [a, b]) => (
                Distribution::LogUniform(*a, *b),
                0.0 < *a && a < b,
                "from must be positive and less than to",
            ),
            ("triangular", [a, m, b]) => (
                Distribution::Triangular(*a, *m, *b),
                a < b && a <= m && m <= b,
                "from, most likely and to must rise",
            ),
            _ => return refused("it takes these numbers, separated by commas"),
        };
        if sound { Some(Ok(read)) } else { refused(why) }
    }

    /// The value below which a part `u` of all lies, 0 < u < 1.
    pub fn quantile(&self, u: f64) -> f64 {
        match *self {
            Distribution::Normal(mean, deviation) => mean + deviation * normal(u),
            Distribution::LogNormal(median, deviation) => median * (deviation * normal(u)).exp(),
            Distribution::Uniform(from, to) => from + u * (to - from),
            Distribution::LogUniform(from, to) => from * (u * (to / from).ln()).exp(),
            Distribution::Triangular(from, mode, to) => {
                let below = (mode - from) / (to - from);
                match u < below {
                    true => from + (u * (to - from) * (mode - from)).sqrt(),
                    false => to - ((1.0 - u) * (to - from) * (to - mode)).sqrt(),
                }
            }
        }
    }

    /// Whether it is shown on a logarithmic axis.
    pub fn is_logarithmic(&self) -> bool {
        matches!(self, Distribution::LogNormal(..) | Distribution::LogUniform(..))
    }
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Distribution::Normal(a, b) => write!(f, "normal({a}, {b})"),
            Distribution::LogNormal(a, b) => write!(f, "log_normal({a}, {b})"),
            Distribution::Uniform(a, b) => write!(f, "uniform({a}, {b})"),
            Distribution::LogUniform(a, b) => write!(f, "log_uniform({a}, {b})"),
            Distribution::Triangular(a, b, c) => write!(f, "triangular({a}, {b}, {c})"),
        }
    }
}

/// The standard normal deviate below which a part `u` lies: Hastings' approximation, which is good to 4.5e-4 (Abramowitz and
/// Stegun 26.2.23), and Halley's method on the complementary error function.
fn normal(u: f64) -> f64 {
    // The small tail keeps its digits.
    let (tail, sign) = if u < 0.5 { (u, -1.0) } else { (1.0 - u, 1.0) };
    let t = (-2.0 * tail.ln()).sqrt();
    let above = 2.515517 + t * (0.802853 + t * 0.010328);
    let below = 1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308));
    let mut x = t - above / below;
    for _ in 0..3 {
        let error = 0.5 * libm::erfc(x * FRAC_1_SQRT_2) - tail;
        let density = (-0.5 * x * x).exp() / (2.0 * PI).sqrt();
        let newton = error / density;
        x += newton / (1.0 - 0.5 * x * newton);
    }
    sign * x
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Quantiles that tables print.
    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (u, x) in [
            (0.5, 0.0),
            (0.975, 1.959_963_984_540_054),
            (0.025, -1.959_963_984_540_054),
            (0.99, 2.326_347_874_040_841),
            (1e-10, -6.361_340_902_404_056),
            (0.75, 0.674_489_750_196_081_7),
        ] {
            assert!((normal(u) - x).abs() < 4e-15 * (1.0 + x.abs()), "{u}: {}", normal(u));
        }
        let read = |text: &str| Distribution::read(text).unwrap().unwrap();
        assert_eq!(read("triangular(0, 1, 4)").quantile(0.25), 1.0);
        assert_eq!(read("triangular(0, 1, 4)").quantile(0.75), 4.0 - 3.0f64.sqrt());
        assert_eq!(read("uniform(2, 6)").quantile(0.25), 3.0);
        assert!((read("log_uniform(1, 100)").quantile(0.5) - 10.0).abs() < 1e-14);
        assert!((read("log_normal(3, 0.2)").quantile(0.5) - 3.0).abs() < 1e-14);
        assert_eq!(read("normal(3, 0.2)").to_string(), "normal(3, 0.2)");
    }

    #[test]
    fn what_is_no_distribution_says_what_one_is() {
        let refused = |text: &str| Distribution::read(text).unwrap().unwrap_err();
        assert!(refused("normal(1, -1)").contains("the deviation must be positive"));
        assert!(refused("uniform(1)").contains("uniform(from, to)"));
        assert!(refused("triangular(0, 5, 1)").contains("must rise"));
        assert!(refused("log_uniform(0, 1)").contains("positive"));
        assert!(
            Distribution::read("0:1:3").is_none() && Distribution::read("gauss(1, 2)").is_none()
        );
    }
}
