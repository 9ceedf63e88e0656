//! Event-driven runs against independent numbers: 001 Figs 5, 7, 9, 11, 13, 14.
mod rows;

use bristle_kernel::bristle::rotating::Rule;
use bristle_kernel::bristle::{Rotating, RotatingDiscontinuous, Sawtooth};
use bristle_kernel::{Drive, Start};
use bristle_rotating::{
    Audit, Body, Curve, Equilibria, Event, Friction, Hysteresis, Kind, Phase, Run, Slip, Slips,
    SwitchModel, ewma,
};
use std::f64::consts::PI;

/// The bristles of Fig. 7.
fn fig7() -> RotatingDiscontinuous<f64> {
    RotatingDiscontinuous::start(())
}

fn dragged() -> Run {
    Run::new(Body::dragged(1.0, 1.0, 0.002), Friction::Discontinuous(fig7()), 0.0, 0.0)
}

/// Runs to `end` and gives the slips and the audit.
fn watched(run: &mut Run, end: f64) -> (Slips, Audit) {
    let (mut slips, mut audit) = (Slips::default(), Audit::new(run));
    run.to(end, |run, step| {
        slips.enter(run, step);
        audit.enter(run, step);
    })
    .unwrap();
    (slips, audit)
}

/// The motion balances to a part in 10¹⁰ of what was supplied, and so do the bristles.
fn balances(audit: &Audit) {
    let [motion, bristles] = audit.residuals();
    let size = audit.supplied.abs().max(audit.friction.abs());
    assert!(motion.abs() <= 1e-10 * size && bristles.abs() <= 1e-10 * size, "{audit:?}");
}

/// Errors grow 25 times from slip to slip: so much is asked of slip `k`.
fn grown(k: usize) -> f64 {
    25f64.powi(k as i32)
}

#[test]
fn figure_7() {
    let mut run = dragged();
    let (slips, audit) = watched(&mut run, 54.3 * 400.0);
    balances(&audit);
    for r in rows::of("fig7") {
        if r.model.starts_with("Switch Model") {
            continue; // has a test of its own
        }
        if r.says("STAT") {
            statistics(&r, &slips.all[..360]);
            continue;
        }
        let k: usize = r.after("slip ") as usize;
        let Slip { left, release, end, x, peak, teeth, .. } = slips.all[k];
        let (ours, allowed) = match r.quantity.split_once(": ").unwrap().1 {
            "t leaving exact stick [s]" => (left, 1e-12 * grown(k)),
            "t first bristle release [s]" => (release[0], 1e-11 * grown(k)),
            "t end of slip [s]" => (end, 1e-11 * grown(k)),
            "x end of slip [m]" => (x, 1e-13 * grown(k)),
            "peak velocity [m/s]" => (peak, 1e-13 * grown(k)),
            "teeth released" => (teeth as f64, 0.0),
            "slip distance first release->stop [m]" => (x - release[1], 1e-13 * grown(k)),
            _ => r.unread(),
        };
        r.agrees(&[ours], allowed);
    }
}

/// Statistics over at least 200 slips, after the first.
fn statistics(r: &rows::Row, slips: &[Slip]) {
    let mean = |f: &dyn Fn(&Slip) -> f64| slips.iter().map(f).sum::<f64>() / slips.len() as f64;
    let periods: Vec<f64> = slips.windows(2).map(|s| s[1].release[0] - s[0].release[0]).collect();
    let least = |all: &[f64]| all.iter().copied().fold(f64::INFINITY, f64::min);
    let most = |all: &[f64]| all.iter().copied().fold(0.0, f64::max);
    assert!(slips.len() >= 200 && slips.iter().all(|s| s.teeth == 21 || s.teeth == 22));
    match &r.quantity[5..] {
        "mean teeth per cycle (1086 slips)" => r.agrees(&[mean(&|s| s.teeth as f64)], 0.1),
        "mean stick-slip period [s] = n*Delta/vp" => {
            r.agrees(&[periods.iter().sum::<f64>() / periods.len() as f64], 0.3);
        }
        "fraction of 22-tooth slips (others are 21)" => {
            r.agrees(&[mean(&|s| f64::from(s.teeth == 22))], 0.1);
        }
        "period range [s]" => r.agrees(&[least(&periods), most(&periods)], 0.3),
        "peak velocity mean (range) [m/s]" => {
            let peaks: Vec<f64> = slips.iter().map(|s| s.peak).collect();
            r.agrees(&[mean(&|s| s.peak), least(&peaks), most(&peaks)], 5e-5);
        }
        _ => r.unread(),
    }
}

/// Position, velocity, force and pivot angles every 0.1 s over the first three slips.
#[test]
fn trajectory_of_figure_7() {
    let mut run = dragged();
    for r in rows::table("fig7_drbm_ts_exact.csv").iter().filter(|r| r[0] > 0.0 && r[0] < 180.0) {
        let mut last = None;
        run.to(r[0], |run, step| last = Some((step.force(run, r[0]), run.drive()))).unwrap();
        let (force, at) = last.unwrap();
        let angles = run.friction.angles(&at, 1.0);
        // v swings through the teeth 10 times as fast as x does per metre.
        let errors = [run.x() - r[1], 0.1 * (run.v() - r[2]), 0.1 * (force - r[4]), angles - r[5]];
        assert!(errors.iter().all(|e| e.abs() < 1e-9), "t = {}: {errors:?}", r[0]);
    }
}

/// The Switch Model ends a slip where the event-driven run does, but for an error that grows from
/// slip to slip and is set by η and the tolerance; the rows give that of another program.
#[test]
fn the_switch_model_of_figure_7() {
    let mut run = dragged();
    let (slips, _) = watched(&mut run, 220.0);
    let ends: Vec<[f64; 2]> = slips.all[..3].iter().map(|s| [s.end + 1.0, s.x]).collect();
    let times: Vec<f64> = ends.iter().map(|e| e[0]).collect();
    let mut first = Vec::new();
    for r in rows::of("fig7").iter().filter(|r| r.model.starts_with("Switch Model")) {
        let setting = |key: &str| -> f64 {
            let rest = r.model.split_once(key).unwrap().1;
            rest.split(' ').next().unwrap().parse().unwrap()
        };
        let (eta, tau, rtol) = (setting("eta="), setting("tau="), setting("rtol="));
        let body = Body::dragged(1.0, 1.0, 0.002);
        let model = SwitchModel { body, friction: fig7(), eta, tau };
        let (states, cost) = model.run(&times, rtol).unwrap();
        let ours: Vec<f64> = states.iter().zip(&ends).map(|(s, e)| s[0] - e[1]).collect();
        println!("eta {eta:e}, tau {tau}, rtol {rtol:e}: {ours:?} m, {} steps", cost.accepted);
        // Of their size, to a factor of thirty, after the first slip; chaos has the rest.
        let theirs = r.numbers()[0].abs();
        assert!(ours[0].abs() < 30.0 * theirs, "{r:?}: {ours:?}");
        first.push(ours[0].abs());
    }
    // A narrower band is better, at either tolerance.
    assert!(first.len() == 4 && first[0].max(first[1]) < first[2].min(first[3]), "{first:?}");
}

/// `DRBM Delta=0.01, d0=sqrt(lb^2-h^2)`.
fn fig9(model: &str) -> RotatingDiscontinuous<f64> {
    let delta = model.split_once("Delta=").unwrap().1.split(',').next().unwrap();
    let d0 = model.split_once("d0=").unwrap().1;
    let m = RotatingDiscontinuous { delta: delta.parse().unwrap(), d: 1.0, ..fig7() };
    let l_b = d0.parse().map_or(m.l_b, |d0: f64| m.h.hypot(d0));
    RotatingDiscontinuous { l_b, ..m }
}

fn tied(m: RotatingDiscontinuous<f64>, omega: f64) -> Run {
    Run::new(Body::tied(1.0, 1.0, 1.0, omega), Friction::Discontinuous(m), 0.0, 0.0)
}

#[test]
fn figure_9_a() {
    for r in rows::of("fig9a w=0.05") {
        let (slips, audit) = watched(&mut tied(fig9(&r.model), 0.05), 30.0);
        balances(&audit);
        assert!(r.says("slip "), "not read: {r:?}");
        let s = slips.all[r.after("slip ") as usize];
        r.agrees(&[s.end, s.x, s.peak], 1e-9);
    }
    let mut run = tied(fig9("Delta=0.01, d0="), 0.05);
    let expected = rows::table("fig9a_w0.05_drbm_slips_D0.01_exact.csv");
    let (slips, _) = watched(&mut run, expected[expected.len() - 1][0] + 1.0);
    assert!(slips.all.len() >= expected.len());
    for (s, r) in slips.all.iter().zip(&expected) {
        // The last column is how well the row itself is known; ours is rounded to f64.
        let allowed = 1e-10 + 1e4 * r[6];
        assert!((s.x - r[1]).abs() < allowed && (s.peak - r[2]).abs() < allowed, "{s:?} {r:?}");
        assert_eq!((s.teeth as f64, s.way), (r[4], r[5]), "{s:?}");
    }
}

/// The cycle from T/4 to 5T/4: staircase, loop area, released bristles. Neither spacing gives the
/// printed 0.35647 J and 0.35566 J.
#[test]
fn figure_9_b() {
    let nominal = fig7().row().released();
    let mut models: Vec<String> = Vec::new();
    for r in rows::of("fig9b w=0.001") {
        if !models.contains(&r.model) {
            models.push(r.model.clone());
        }
    }
    assert_eq!(models.len(), 4);
    for model in models {
        let m = fig9(&model);
        let body = Body::tied(1.0, 1.0, 1.0, 0.001);
        let map = Hysteresis::new(body, Friction::Discontinuous(m)).unwrap().unwrap();
        let Hysteresis { points, audit, slips } = map;
        balances(&audit);
        // The polygon through the points has the area of the loop: its corners are few, its steps many.
        let area: f64 =
            points.windows(2).map(|p| 0.5 * (p[0][0] + p[1][0]) * (p[1][1] - p[0][1])).sum();
        assert!((area - audit.supplied).abs() < 1e-4, "{area} {}", audit.supplied);
        let spacings = (audit.range[1] - audit.range[0]) / m.delta;
        let counted = audit.stored_by_count(nominal, m.delta);
        for r in rows::of("fig9b w=0.001").iter().filter(|r| r.model == model) {
            match r.quantity.as_str() {
                "energy per steady cycle, int Ff dx [J]" => r.agrees(&[audit.friction], 1e-4),
                q if q.starts_with("loop area, int u dx") => r.agrees(&[audit.supplied], 1.5e-4),
                q if q.starts_with("E_stored (45)-(46)") => r.agrees(&[counted[0]], 2.0 * nominal),
                "E_stored without floor [J]" => r.agrees(&[counted[1]], 4e-5),
                "x_max [m]" => r.agrees(&[audit.range[1]], 1e-4),
                "x_min [m]" => r.agrees(&[audit.range[0]], 1e-4),
                "(x_max-x_min)/Delta" => r.agrees(&[spacings], 0.04),
                "macroscopic slips per cycle" => r.agrees(&[slips.all.len() as f64], 0.0),
                q if q.starts_with("micro stick phases") => r.agrees(&[slips.sticks as f64], 60.0),
                _ => r.unread(),
            }
        }
        let [least, greatest] = audit.range;
        assert!((0.35647 - audit.supplied).abs() > 0.02 && least < -0.94 && greatest > 0.94);
    }
    for (file, delta) in [
        ("fig9b_w0.001_drbm_slips_D0.01_exact.csv", "Delta=0.01, d0="),
        ("fig9b_w0.001_drbm_slips_D0.005_exact.csv", "Delta=0.005, d0="),
    ] {
        let expected = rows::table(file);
        let mut run = tied(fig9(delta), 0.001);
        let (slips, _) = watched(&mut run, expected[expected.len() - 1][0] + 1.0);
        assert_eq!(slips.all.len(), expected.len());
        for (k, (s, r)) in slips.all.iter().zip(&expected).enumerate() {
            // From the eleventh on the last digits decide where in a spacing a slip ends; a slip
            // ends with the same teeth all the same.
            let [x, t] = if k < 10 { [1e-5, 0.01] } else { [2e-3, 0.6] };
            assert!((s.x - r[1]).abs() < x && (s.end - r[0]).abs() < t, "{k}: {s:?} {r:?}");
            assert_eq!((s.teeth as f64, s.way), (r[4], r[5]), "{k}: {s:?}");
        }
    }
}

fn saw() -> Run {
    let friction = Friction::Sawtooth(Sawtooth::start(()));
    Run::new(Body::tied(1.0, 1.0, 2.0, 0.01), friction, 0.0, 0.0)
}

#[test]
fn figure_11() {
    let quarter = 0.5 * PI / 0.01;
    let mut run = saw();
    let (slips, _) = watched(&mut run, quarter);
    let (more, audit) = watched(&mut run, 5.0 * quarter);
    balances(&audit);
    let all: Vec<Slip> = slips.all.iter().chain(&more.all).copied().collect();
    for r in rows::of("fig11 (u=2 sin 0.01t assumed)") {
        match r.quantity.as_str() {
            q if q.starts_with("slip ") => {
                let s = all[r.after("slip ") as usize];
                r.agrees(&[s.end, s.x, s.peak], 1e-10);
            }
            q if q.starts_with("int u dx over") => r.agrees(&[audit.supplied], 1e-8),
            q if q.starts_with("int Ff dx over") => r.agrees(&[audit.friction], 1e-8),
            "macroscopic slips per cycle" => r.agrees(&[more.all.len() as f64], 0.0),
            _ => r.unread(),
        }
    }
    for (s, r) in all.iter().zip(rows::table("fig11_sawtooth_slips.csv")) {
        assert!((s.x - r[1]).abs() < 1e-9 && (s.end - r[0]).abs() < 1e-8, "{s:?} {r:?}");
    }
    let mut run = saw();
    for r in rows::table("fig11_sawtooth_ts.csv").iter().skip(1).filter(|r| r[0] <= 5.0 * quarter) {
        run.to(r[0], |_, _| {}).unwrap();
        assert!((run.x() - r[1]).abs() < 1e-8, "t = {}: {} not {}", r[0], run.x(), r[1]);
    }
}

/// What the equilibria are, by bounds, by intervals and by kind; that of the FFBM is the same set.
#[test]
fn equilibria_of_figures_11_and_12() {
    let map = |f_min: f64, f_max: f64, delta: f64| Equilibria {
        friction: Friction::Sawtooth(Sawtooth { f_min, f_max, delta }),
        stiffness: 1.0,
    };
    let maps = [map(0.5, 1.0, 0.1), map(1.0, 1.5, 0.05)];
    for (equilibria, file) in maps.iter().zip(["fig11_equilibria.csv", "fig12_equilibria.csv"]) {
        for r in rows::table(file) {
            let [low, high] = equilibria.bounds(r[0]);
            assert!((low - r[1]).abs() < 1e-9 && (high - r[2]).abs() < 1e-9, "{r:?}: {low} {high}");
            let kind = |u: f64| equilibria.kind(u, r[0], 1e-12);
            assert_eq!(kind(0.5 * (low + high)), Some(Kind::Pseudo));
            assert_eq!([kind(low), kind(high)], [Some(Kind::Boundary); 2]);
            assert_eq!([kind(low - 1e-6), kind(high + 1e-6)], [None; 2]);
        }
    }
    let mut read = 0;
    for (k, experiment) in ["fig11", "fig12"].iter().enumerate() {
        for r in rows::of(experiment).iter().filter(|r| r.says("intervals of xbar at u=")) {
            let u = r.after("u=");
            let ours = maps[k].intervals(u, u - 3.0, u + 3.0);
            r.agrees(&ours.concat(), 6e-8);
            read += 1;
        }
    }
    assert_eq!(read, 4);
    assert!(rows::of("fig11").len() == 3, "fig11 has equilibria only");
    // Bristles themselves: the same test on the DRBM, whose bounds jump where bristles are released.
    let bristles = Equilibria { friction: Friction::Discontinuous(fig7()), stiffness: 1.0 };
    for [low, high] in bristles.intervals(0.02, -0.2, 0.2) {
        assert!(bristles.kind(0.02, 0.5 * (low + high), 0.0).is_some());
        assert!(bristles.kind(0.02, low - 1e-7, 0.0).is_none(), "{low}");
        assert!(bristles.kind(0.02, high + 1e-7, 0.0).is_none(), "{high}");
    }
}

fn dragged_rbm(rule: Rule) -> Run {
    let m = Rotating { rule, ..Rotating::start(()) };
    Run::new(Body::dragged(1.0, 1.0, 0.5), Friction::Rotating(m), 0.0, 0.0)
}

/// Where the velocity changed its sign: time, position, length of the spring, old direction.
fn turns(
    run: &mut Run,
    end: f64,
    mut each: impl FnMut(&Run, &bristle_rotating::Step),
) -> Vec<[f64; 4]> {
    let mut turns = Vec::new();
    run.to(end, |run, step| {
        each(run, step);
        if let (Event::Stop, Phase::Moving(way)) = (step.event, step.phase) {
            turns.push([run.t(), run.x(), 0.5 * run.t() - run.x(), way]);
        }
    })
    .unwrap();
    turns
}

#[test]
fn figure_5() {
    let mut run = dragged_rbm(Rule::Consistent);
    let mut audit = Audit::new(&run);
    let mut range = [[f64::INFINITY, f64::NEG_INFINITY]; 2];
    let turned = turns(&mut run, 100.0, |run, step| {
        audit.enter(run, step);
        if run.t() > 20.0 {
            let h = step.end - step.start;
            for t in (0..=8).map(|k| step.start + h * f64::from(k) / 8.0) {
                let [x, v, _] = step.motion(t);
                for (range, value) in range.iter_mut().zip([v, 0.5 * t - x]) {
                    *range = [range[0].min(value), range[1].max(value)];
                }
            }
        }
    });
    balances(&audit);
    assert!(audit.created < 1e-12, "{audit:?}");
    let at = |t: f64| {
        let mut run = dragged_rbm(Rule::Consistent);
        run.to(t, |_, _| {}).unwrap();
        [run.x(), run.v()]
    };
    for r in rows::of("fig5").iter().filter(|r| r.model.contains("consistent")) {
        match r.quantity.as_str() {
            "reversal +-: t, x, l" => r.agrees(&turned[0][..3], 1e-12),
            "reversal -+: t, x, l" => r.agrees(&turned[1][..3], 1e-12),
            q if q.starts_with("number of velocity reversals") => {
                r.agrees(&[turned.len() as f64], 0.0);
            }
            q if q.starts_with("v range") => r.agrees(&range[0], 1e-3),
            q if q.starts_with("l range") => r.agrees(&range[1], 1e-4),
            q if q.starts_with("x, v at t=") => r.agrees(&at(r.after("t=")), 4e-12),
            _ => r.unread(),
        }
    }
    let mut run = dragged_rbm(Rule::Consistent);
    for r in rows::table("fig5_rbm_consistent_ts.csv").iter().skip(1) {
        run.to(r[0], |_, _| {}).unwrap();
        let force = run.friction.force(&run.drive(), 1.0);
        let errors = [run.x() - r[1], run.v() - r[2], 1e-2 * (force - r[4])];
        assert!(errors.iter().all(|e| e.abs() < 1e-11), "t = {}: {errors:?}", r[0]);
    }
}

/// Table 1 taken anew at every reversal makes the quasi-stick-slip of Fig. 5, and spares the bristles
/// about 1 J of loss in every cycle.
#[test]
fn the_literal_table_of_figure_5() {
    let mut read = 0;
    for (rule, name) in
        [(Rule::Table1, "x_r-=max{b<=R+d0}"), (Rule::Table1Inner, "x_r-=max{b<=R-d0}")]
    {
        let mut run = dragged_rbm(rule);
        run.to(20.0, |_, _| {}).unwrap();
        let (from, mut audit) = (run.x(), Audit::new(&run));
        let (mut v, mut l) = ([0.0f64; 2], [1.0f64, 0.0]);
        let turned = turns(&mut run, 4020.0, |run, step| {
            audit.enter(run, step);
            let stretch = 0.5 * run.t() - run.x();
            v = [v[0].min(run.v()), v[1].max(run.v())];
            l = [l[0].min(stretch), l[1].max(stretch)];
        });
        balances(&audit);
        let ends: Vec<f64> = turned.iter().filter(|t| t[3] < 0.0).map(|t| t[0]).collect();
        let periods: Vec<f64> = ends.windows(2).map(|e| e[1] - e[0]).collect();
        let back: Vec<[f64; 2]> = turned
            .windows(2)
            .filter(|t| t[1][3] < 0.0)
            .map(|t| [t[0][1] - t[1][1], t[1][0] - t[0][0]])
            .collect();
        let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
        let column = |k: usize| back.iter().map(|b| b[k]).collect::<Vec<f64>>();
        let Friction::Rotating(m) = run.friction else { unreachable!() };
        let spared = audit.spared(&run, from, m.row().released()) / periods.len() as f64;
        println!("{rule:?}: {spared} J per cycle of {} s", mean(&periods));
        let rows = rows::of("fig5");
        for r in rows.iter().filter(|r| r.model.contains("literal") && r.model.ends_with(name)) {
            read += 1;
            match r.quantity.as_str() {
                "STAT mean period [s]" => r.agrees(&[mean(&periods)], 0.010),
                "STAT period range [s]" => {
                    let least = periods.iter().copied().fold(f64::INFINITY, f64::min);
                    let most = periods.iter().copied().fold(0.0, f64::max);
                    r.agrees(&[least, most], 0.1);
                }
                "STAT mean backward displacement [m]" => r.agrees(&[mean(&column(0))], 1e-3),
                "STAT mean duration of backward phase [s]" => r.agrees(&[mean(&column(1))], 0.008),
                "STAT spurious energy created per cycle [J]" => r.agrees(&[spared], 0.02),
                "v range, l range" => r.agrees(&[v[0], v[1], l[0], l[1]], 0.05),
                _ => r.unread(),
            }
        }
    }
    let known = |r: &&rows::Row| r.model.contains("literal") || r.model.contains("consistent");
    assert!(read == 12 && rows::of("fig5").iter().all(|r| known(&r)));
}

/// Speed and running average of the pivot angles at every `dt`, where the speed is above 1 mm/s: from
/// the first release of each slip to its peak, and from there to its end.
fn averaged(slips: &[Slip], dt: f64) -> [Vec<[f64; 2]>; 2] {
    let mut run = dragged();
    let (mut motion, mut angles) = (Vec::new(), Vec::new());
    for j in 0..(420.0 / dt) as usize {
        run.to(j as f64 * dt, |_, _| {}).unwrap();
        motion.push([run.t(), run.v()]);
        angles.push(run.friction.angles(&run.drive(), 1.0));
    }
    let mut branches = [Vec::new(), Vec::new()];
    for ([t, v], mean) in motion.into_iter().zip(ewma(&angles, 0.05)).filter(|m| m.0[1] > 1e-3) {
        let slip = slips.iter().find(|s| t >= s.release[0] && t < s.end);
        if let Some(slip) = slip {
            branches[usize::from(t >= slip.peak_at)].push([v, mean]);
        }
    }
    branches
}

/// (81) as the paper gives it.
const PRINTED: Curve = Curve { theta_min: 0.1, theta_max: 0.133, v_s: 0.01 };

/// The running average depends on the time step, which the paper does not give: 0.011 s makes it the
/// printed curve, on the way up to the peak; on the way down there is no Stribeck peak at all.
#[test]
fn figures_13_and_14() {
    let (slips, _) = watched(&mut dragged(), 420.0);
    let fitted = |points: &[[f64; 2]]| {
        let fit = Curve::fit(points, 1e-4, 0.2).unwrap();
        [fit.theta_min, fit.theta_max, fit.v_s]
    };
    let near = |ours: f64, theirs: f64, part: f64| (ours / theirs - 1.0).abs() < part;
    let mut best = [f64::INFINITY, 0.0];
    for r in rows::table("fig14_ewma_step_scan.csv") {
        let [rising, falling] = averaged(&slips.all, r[0]);
        let distance = [PRINTED.distance(&rising), PRINTED.distance(&falling)];
        assert!(
            near(distance[0], r[2], 0.02) && near(distance[1], r[3], 0.02),
            "{distance:?} {r:?}"
        );
        // Between these steps the fit is well determined.
        if r[0] > 0.004 && r[0] < 0.025 {
            let ours = fitted(&rising);
            assert!((0..3).all(|k| near(ours[k], r[4 + k], 0.03)), "{ours:?} {r:?}");
        }
        if distance[0] < best[0] {
            best = [distance[0], r[0]];
        }
    }
    for r in rows::of("fig13-14") {
        let part = |k: usize| r.numbers()[k] * 0.03;
        let check = |ours: [f64; 3]| {
            assert!((0..3).all(|k| (ours[k] - r.numbers()[k]).abs() < part(k)), "{r:?}: {ours:?}");
        };
        match (r.model.as_str(), r.quantity.split(' ').next().unwrap()) {
            ("EWMA of DRBM theta_s, beta=0.05", "step") => assert_eq!(best[1], r.numbers()[0]),
            ("EWMA, rising branch, dt=0.010 s", "free") => {
                check(fitted(&averaged(&slips.all, 0.010)[0]));
            }
            ("EWMA, rising branch, dt=0.012 s", "free") => {
                check(fitted(&averaged(&slips.all, 0.012)[0]));
            }
            ("EWMA, falling branch, dt=0.010 s", "free") => {
                check(fitted(&averaged(&slips.all, 0.010)[1]));
            }
            _ => r.unread(),
        }
    }
    let mut range = [f64::INFINITY, 0.0f64];
    let mut run = dragged();
    run.to(300.0, |run, step| {
        // Just before an edge and just after it.
        let before = Drive { memory: step.memory, ..run.drive() };
        for at in [before, run.drive()] {
            let sum = run.friction.angles(&at, 1.0);
            range = [range[0].min(sum), range[1].max(sum)];
        }
    })
    .unwrap();
    for r in rows::of("fig13a") {
        assert!(r.says("theta_s range"), "not read: {r:?}");
        r.agrees(&range, 1e-6);
    }
}
