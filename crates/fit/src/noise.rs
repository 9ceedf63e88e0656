//! How noise is correlated: an autoregression, fitted to residuals.

/// The autocorrelation of `r` at lags 0 to `most`, over that at 0.
pub(crate) fn correlation(r: &[f64], most: usize) -> Vec<f64> {
    let n = r.len();
    let mean = r.iter().sum::<f64>() / n.max(1) as f64;
    let at = |lag: usize| (lag..n).map(|k| (r[k] - mean) * (r[k - lag] - mean)).sum::<f64>();
    let zero = at(0).max(f64::MIN_POSITIVE);
    (0..=most).map(|lag| at(lag) / zero).collect()
}

/// How improbable the correlations of white noise would be, as a number of standard deviations: Ljung and Box, with the
/// cube root of E. B. Wilson and M. M. Hilferty, PNAS 17, 1931.
pub(crate) fn colour(r: &[f64], lags: usize) -> f64 {
    let n = r.len() as f64;
    let rho = correlation(r, lags);
    let q: f64 = (1..=lags).map(|k| rho[k] * rho[k] / (n - k as f64)).sum::<f64>() * n * (n + 2.0);
    let m = lags as f64;
    ((q / m).cbrt() - (1.0 - 2.0 / (9.0 * m))) / (2.0 / (9.0 * m)).sqrt()
}

/// The autoregression of the order that Schwarz's criterion asks for, by the method of Burg, which keeps it stable.
pub(crate) fn autoregression(r: &[f64], most: usize) -> Vec<f64> {
    let n = r.len();
    let (mut forward, mut backward) = (r.to_vec(), r.to_vec());
    let mut phi: Vec<f64> = Vec::new();
    let mut power = r.iter().map(|x| x * x).sum::<f64>() / n.max(1) as f64;
    let mut best = (f64::INFINITY, Vec::new());
    for order in 0..=most.min(n / 10) {
        let criterion =
            n as f64 * power.max(f64::MIN_POSITIVE).ln() + order as f64 * (n as f64).ln();
        if criterion < best.0 {
            best = (criterion, phi.clone());
        }
        let pairs = order + 1..n;
        let both: f64 = pairs.clone().map(|k| forward[k] * backward[k - 1]).sum();
        let size: f64 = pairs.clone().map(|k| forward[k].powi(2) + backward[k - 1].powi(2)).sum();
        if size <= 0.0 {
            break;
        }
        let reflection = 2.0 * both / size;
        for k in pairs.rev() {
            let (f, b) = (forward[k], backward[k - 1]);
            forward[k] = f - reflection * b;
            backward[k] = b - reflection * f;
        }
        let before = phi.clone();
        for (i, own) in phi.iter_mut().enumerate() {
            *own -= reflection * before[order - 1 - i];
        }
        phi.push(reflection);
        power *= 1.0 - reflection * reflection;
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Generator;

    #[test]
    fn an_autoregression_is_found_again() {
        let mut noise = Generator(3);
        let mut r = vec![0.0, 0.0];
        for k in 2..20_000 {
            r.push(1.5 * r[k - 1] - 0.6 * r[k - 2] + noise.normal());
        }
        assert!(colour(&r, 20) > 10.0);
        let phi = autoregression(&r, 20);
        assert_eq!(phi.len(), 2);
        assert!((phi[0] - 1.5).abs() < 0.02 && (phi[1] + 0.6).abs() < 0.02, "{phi:?}");
        let white: Vec<f64> = (0..20_000).map(|_| noise.normal()).collect();
        assert!(colour(&white, 20).abs() < 4.0 && autoregression(&white, 20).is_empty());
    }
}
