//! Where a search begins, seen in the log: a first Stribeck curve where motion is steady, a first stiffness where it turns.
use crate::Motion;
use crate::smooth::smooth;

/// Values for parameters by their names, as friction laws and bristles are commonly written.
pub(crate) fn guess(motion: &Motion, force: &[f64], absolute: bool) -> Vec<(&'static str, f64)> {
    let n = motion.t.len();
    let force = smooth(&motion.t, force, None);
    let load = |k: usize| if absolute { 1.0 } else { motion.load[k].abs().max(1e-9) };
    let typical = (0..n).map(load).sum::<f64>() / n as f64;
    let fastest = motion.v.iter().fold(0.0f64, |m, v| m.max(v.abs())).max(1e-12);
    let share = |list: &mut Vec<f64>, part: f64| -> Option<f64> {
        list.sort_by(f64::total_cmp);
        list.get(((list.len() as f64 * part) as usize).min(list.len().saturating_sub(1))).copied()
    };
    let mut level: Vec<f64> = (0..n).map(|k| (force.value[k] / load(k)).abs()).collect();
    let all = level.clone();
    let highest = share(&mut level, 0.995).unwrap_or(1.0).max(1e-9);
    // The curve where motion is fast: its least level, and its rise.
    let mut fast: Vec<f64> =
        (0..n).filter(|k| motion.v[*k].abs() > 0.3 * fastest).map(|k| all[k]).collect();
    let dynamic = share(&mut fast, 0.3).unwrap_or(0.7 * highest).clamp(0.05 * highest, highest);
    let rise = (share(&mut fast, 0.9).unwrap_or(dynamic)
        - share(&mut fast, 0.1).unwrap_or(dynamic))
        / fastest;
    // The slope of force over way just after the motion turned.
    let mut slopes = Vec::new();
    let mut since = f64::INFINITY;
    for k in 1..n {
        if motion.v[k] * motion.v[k - 1] <= 0.0 {
            since = 0.0;
        }
        since += (motion.x[k] - motion.x[k - 1]).abs();
        let change = (force.value[k] - force.value[k - 1]) / load(k);
        let way = motion.x[k] - motion.x[k - 1];
        if change.abs() > 0.01 * highest && way.abs() > 0.0 && since.is_finite() {
            slopes.push((change / way).abs());
        }
    }
    let stiffness = share(&mut slopes, 0.5).unwrap_or(100.0 * highest / fastest);
    let step = (motion.t[n - 1] - motion.t[0]) / (n - 1) as f64;
    vec![
        ("mu_s", highest),
        ("mu_d", dynamic),
        ("mu", dynamic),
        ("v_s", 0.1 * fastest),
        ("viscous", rise.max(0.01 * dynamic / fastest)),
        ("sigma0", stiffness),
        ("sigma1", stiffness * 2.0 * step),
        // Of lists: what their entries sum to. Elements in parallel are as stiff as the whole under its load.
        ("k", 2.0 * stiffness * typical),
        ("alpha", 1.0),
        ("attraction", 100.0 * highest * typical),
    ]
}
