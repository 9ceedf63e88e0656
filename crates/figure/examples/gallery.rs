//! Draws typical figures into a directory: `cargo run --release --example gallery -- DIR`.

use bristle_figure::{Arrows, Axis, Figure, Look, Mark, Panel, Series, Surface};
use std::f64::consts::{PI, TAU};
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = std::env::args().nth(1).ok_or("give a directory for the figures")?;
    std::fs::create_dir_all(&directory)?;
    for (name, figure) in [
        ("time-history", time_history()),
        ("loops", loops()),
        ("characteristics", characteristics()),
        ("phase-portrait", phase_portrait()),
        ("bode", bode()),
        ("comparison", comparison()),
        ("labels", labels()),
        ("odd-data", odd_data()),
        ("surface", surface()),
        ("patch", patch()),
    ] {
        let path = Path::new(&directory).join(name);
        std::fs::write(path.with_extension("svg"), figure.svg())?;
        std::fs::write(path.with_extension("png"), figure.png(2.0)?)?;
    }
    Ok(())
}

fn linspace(from: f64, to: f64, n: usize) -> Vec<f64> {
    (0..n).map(|i| from + (to - from) * i as f64 / (n - 1) as f64).collect()
}

fn map(x: &[f64], f: impl Fn(f64) -> f64) -> Vec<f64> {
    x.iter().map(|&x| f(x)).collect()
}

/// A mass on a spring whose end moves at constant speed: sticks, slips, sticks.
fn stick_slip() -> [Vec<f64>; 5] {
    let (m, k, v, mu_s, mu_d, v_s, load) = (1.0, 2.0, 0.1, 0.3, 0.2, 0.01, 9.81);
    let (sigma0, sigma1, h) = (1e4, 10.0, 2e-4);
    let (mut x, mut w, mut z) = (0.0f64, 0.0f64, 0.0f64);
    let mut out: [Vec<f64>; 5] = Default::default();
    for i in 0..200_000 {
        let t = h * f64::from(i);
        let mu = mu_d + (mu_s - mu_d) * (-(w / v_s).powi(2)).exp();
        let rate = w - sigma0 * w.abs() / mu * z;
        let friction = load * (sigma0 * z + sigma1 * rate);
        for (list, value) in out.iter_mut().zip([t, x, w, friction, z]) {
            list.push(value);
        }
        // Exact at constant velocity.
        let a = sigma0 * w.abs() / mu;
        z += if a > 0.0 { -(-a * h).exp_m1() * (w / a - z) } else { 0.0 };
        w += h / m * (k * (v * t - x) - friction);
        x += h * w;
    }
    out
}

fn time_history() -> Figure {
    let [t, x, v, f, z] = stick_slip();
    let panel = |label: &str, unit: &str, y: Vec<f64>| {
        Panel::new(Axis::new("time t", "s"), Axis::new(label, unit)).with(Series::new(
            "",
            t.clone(),
            y,
        ))
    };
    let driven: Vec<f64> = map(&t, |t| 0.1 * t);
    let mut position = panel("position x", "m", x);
    position.series[0].name = "mass".into();
    Figure::stacked([
        position.with(Series::new("end of the spring", t.clone(), driven)),
        panel("velocity ẋ", "m/s", v),
        panel("friction F", "N", f).mark(Mark::horizontal(0.2 * 9.81, "μ_{d}N")),
        panel("bristle z", "m", z),
    ])
    .titled("Stick-slip of a mass dragged by a spring")
}

fn loops() -> Figure {
    let hysteresis = |amplitude: f64| {
        let angle = linspace(0.0, 3.0 * TAU, 4000);
        let x = map(&angle, |a| amplitude * a.sin());
        let (mut z, mut force) = (0.0f64, Vec::new());
        for i in 0..x.len() {
            let dx = if i == 0 { 0.0 } else { x[i] - x[i - 1] };
            z += dx - 8e4 * dx.abs() * z;
            force.push(4e5 * z);
        }
        (x[2600..].to_vec(), force[2600..].to_vec())
    };
    let mut panel =
        Panel::new(Axis::new("displacement x", "m"), Axis::new("friction force F", "N"))
            .titled("(a) presliding loops");
    for (name, amplitude) in [("40 µm", 4e-5), ("20 µm", 2e-5), ("10 µm", 1e-5)] {
        let (x, force) = hysteresis(amplitude);
        panel = panel.with(Series::new(name, x, force));
    }
    let angle = linspace(0.0, TAU, 1000);
    let mut velocity =
        Panel::new(Axis::new("velocity v", "m/s"), Axis::new("friction force F", "N"))
            .titled("(b) frictional lag");
    for (name, lag) in [("1 Hz", 0.15), ("10 Hz", 0.45), ("25 Hz", 0.9)] {
        let v = map(&angle, |a| 0.0015 + 0.001 * a.sin());
        let f = map(&angle, |a| 2.6 + 0.9 * (-(0.0015 + 0.001 * (a - lag).sin()) / 1e-3).exp());
        velocity = velocity.with(Series::new(name, v, f));
    }
    Figure::grid(2, [panel, velocity])
}

fn characteristics() -> Figure {
    let v = linspace(-0.1, 0.1, 801);
    let law = |v: f64, mu_s: f64, v_s: f64, viscous: f64| {
        let size = 0.2 + (mu_s - 0.2) * (-(v / v_s).powi(2)).exp();
        if v == 0.0 { f64::NAN } else { v.signum() * size + viscous * v }
    };
    let measured = linspace(0.004, 0.096, 24);
    let force = measured
        .iter()
        .enumerate()
        .map(|(i, &v)| law(v, 0.3, 0.02, 0.8) + 0.006 * (i as f64 * 2.4).sin());
    let panel =
        Panel::new(Axis::new("sliding velocity v", "m/s"), Axis::new("friction coefficient μ", ""))
            .with(Series::new("Coulomb", v.clone(), map(&v, |v| law(v, 0.2, 0.02, 0.0))))
            .with(Series::new("Stribeck", v.clone(), map(&v, |v| law(v, 0.3, 0.02, 0.0))))
            .with(Series::new(
                "Stribeck and viscous",
                v.clone(),
                map(&v, |v| law(v, 0.3, 0.02, 0.8)),
            ))
            .with(
                Series::new("measured", measured.clone(), force.collect::<Vec<_>>())
                    .look(Look::Points),
            )
            .mark(Mark::horizontal(0.3, "μ_{s}"))
            .mark(Mark::vertical(0.02, "v_{s}"));
    Figure::grid(1, [panel]).titled("Steady sliding")
}

fn phase_portrait() -> Figure {
    let mut panel =
        Panel::new(Axis::new("x − x₀", "m"), Axis::new("ẋ/ω", "m")).equal().height(380.0);
    for (i, start) in [0.02, 0.035, 0.05].into_iter().enumerate() {
        let t = linspace(0.0, 6.0 * TAU, 4000);
        let decay = |t: f64| start * (-0.06 * t).exp();
        let series = Series::new(
            format!("x(0) = {} mm", start * 1e3),
            map(&t, |t| decay(t) * t.cos()),
            map(&t, |t| -decay(t) * t.sin()),
        );
        panel = panel.with(series).mark(Mark::point(start, 0.0, if i == 2 { "start" } else { "" }));
    }
    Figure::grid(1, [panel]).titled("Free decay")
}

fn bode() -> Figure {
    let f: Vec<f64> = map(&linspace(-1.0, 3.0, 600), |e| 10f64.powf(e));
    let response = |f: f64, damping: f64| {
        let r = f / 20.0;
        let (re, im) = (1.0 - r * r, 2.0 * damping * r);
        (-10.0 * (re * re + im * im).log10(), -im.atan2(re) * 180.0 / PI)
    };
    let frequency = || Axis::new("frequency f", "Hz").log();
    let mut gain = Panel::new(frequency(), Axis::new("gain |G|", "dB")).height(190.0);
    let mut phase = Panel::new(frequency(), Axis::new("phase ∠G", "°")).height(140.0);
    for damping in [0.05, 0.2, 0.7] {
        let name = format!("ζ = {damping}");
        gain = gain.with(Series::new(name.clone(), f.clone(), map(&f, |f| response(f, damping).0)));
        phase = phase.with(Series::new(name, f.clone(), map(&f, |f| response(f, damping).1)));
    }
    Figure::stacked([gain.mark(Mark::vertical(20.0, "f₀")), phase])
        .titled("Sliding stiffness under a small vibration")
}

fn comparison() -> Figure {
    let t = linspace(0.0, 2.0, 2000);
    let models = ["dahl", "lugre", "frbd", "implicit", "bristle2", "frbd_gm", "frbd_gkv"];
    let mut panel =
        Panel::new(Axis::new("time t", "s"), Axis::new("drift x", "m")).mark(Mark::band(0.5, 1.5));
    for (i, name) in models.into_iter().enumerate() {
        let k = i as f64;
        panel = panel.with(Series::new(
            name,
            t.clone(),
            map(&t, |t| 1e-6 * (k * t + (8.0 * t + k).sin())),
        ));
    }
    let error =
        |order: i32| map(&[1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4], move |h: f64| 0.3 * h.powi(order));
    let h = [1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4];
    let convergence =
        Panel::new(Axis::new("step h", "s").log(), Axis::new("error of z", "m").log())
            .with(Series::new("midpoint", h, error(2)))
            .with(Series::new("Radau IIA", h, error(5)))
            .with(Series::new("exponential", h, error(1)).look(Look::Points));
    Figure::grid(
        2,
        [panel.titled("(a) drift under vibration"), convergence.titled("(b) convergence")],
    )
    .width(820.0)
}

fn labels() -> Figure {
    let x = linspace(0.0, 1.0, 50);
    let panel = |label: &str, unit: &str, size: f64, shift: f64| {
        Panel::new(Axis::new("ζ", "m"), Axis::new(label, unit)).with(Series::new(
            "",
            x.clone(),
            map(&x, |x| shift + size * (x * (1.0 - x))),
        ))
    };
    Figure::grid(
        2,
        [
            panel("pressure p", "Pa", 4e6, 0.0),
            panel("stiffness σ₀", "1/m", 8e5, 0.0),
            panel("shear σ̇₁, v̇, F̈", "N/m²", 3e-7, 0.0),
            panel("load N", "N", -2e-3, 5.0).mark(Mark::point(0.5, 5.0 - 5e-4, "‖q‖ ≤ μp")),
        ],
    )
}

fn odd_data() -> Figure {
    let axes = || (Axis::new("t", "s"), Axis::new("y", "m"));
    let panel = |title: &str, x: Vec<f64>, y: Vec<f64>| {
        let (xa, ya) = axes();
        Panel::new(xa, ya).titled(title).with(Series::new("", x, y)).height(120.0)
    };
    let noise =
        |i: usize| ((i * 7919 % 10_007) as f64 / 5003.0 - 1.0) * (1.0 + (i as f64 / 2e5).sin());
    let t = linspace(0.0, 10.0, 1_000_000);
    Figure::grid(
        2,
        [
            panel("no data", vec![], vec![]),
            panel("constant", vec![0.0, 1.0, 2.0], vec![3.0; 3]),
            panel(
                "gaps",
                linspace(0.0, 6.0, 60),
                map(&linspace(0.0, 6.0, 60), |t| {
                    if (t * 2.0) as i32 % 3 == 2 { f64::NAN } else { t.sin() }
                }),
            ),
            panel("one point", vec![2.0], vec![-1.0]),
            panel("a million points", t.clone(), (0..t.len()).map(noise).collect()),
            panel("infinite", vec![0.0, 1.0, 2.0, 3.0], vec![1.0, f64::INFINITY, 2.0, 1e305]),
        ],
    )
}

/// Force over two slips, from above and from the side.
fn surface() -> Figure {
    let slip = linspace(-0.2, 0.2, 81);
    let force = |x: f64, y: f64| {
        let size = x.hypot(y).max(1e-9);
        let reduced = (25.0 * size).tanh() * (1.0 - 0.8 * size);
        4000.0 * reduced * x / size
    };
    let value = || Axis::new("force F_{x}", "N");
    let axes = || (Axis::new("slip σ_{x}", ""), Axis::new("slip σ_{y}", ""));
    let over = || Surface::over(value(), &slip, &slip, force);
    let panel = |title: &str| Panel::new(axes().0, axes().1).titled(title).height(290.0);
    Figure::grid(
        2,
        [
            panel("(a) from above").surface(over()),
            panel("(b) from the side").surface(over().oblique(-60.0, 28.0)),
        ],
    )
    .width(860.0)
}

/// Pressure and shear stress over a superelliptic contact patch.
fn patch() -> Figure {
    let (a, b, n) = (0.06, 0.04, 4.0);
    let (rings, spokes) = (25, 121);
    let (mut x, mut y, mut p) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..rings {
        for j in 0..spokes {
            let (s, angle) = (i as f64 / (rings - 1) as f64, TAU * j as f64 / (spokes - 1) as f64);
            let (c, d) = (angle.cos(), angle.sin());
            let edge = (c.abs().powf(n) + d.abs().powf(n)).powf(-1.0 / n);
            x.push(a * s * edge * c);
            y.push(b * s * edge * d);
            p.push(4e5 * (1.0 - s.powi(4)) * (1.0 + 0.3 * s * c));
        }
    }
    let rim = |list: &[f64]| list[(rings - 1) * spokes..].to_vec();
    let (rim_x, rim_y) = (rim(&x), rim(&y));
    let mut shear: [Vec<f64>; 4] = Default::default();
    for gx in linspace(-0.055, 0.055, 15) {
        for gy in linspace(-0.036, 0.036, 10) {
            if (gx / a).abs().powf(n) + (gy / b).abs().powf(n) < 0.97 {
                let grip = (1.0 - gx / a) * 0.5;
                let (u, v) = (9e4 * grip - 4e5 * gy, 5e4 * grip + 4e5 * gx);
                for (list, value) in shear.iter_mut().zip([gx, gy, u, v]) {
                    list.push(value);
                }
            }
        }
    }
    let [gx, gy, u, v] = shear;
    let axes = || (Axis::new("ξ", "m"), Axis::new("η", "m"));
    let panel = |title: &str| {
        Panel::new(axes().0, axes().1)
            .titled(title)
            .equal()
            .height(270.0)
            .with(Series::new("", rim_x.clone(), rim_y.clone()).look(Look::Solid).rank(6))
    };
    let pressure = Surface::bent(Axis::new("pressure p", "Pa"), spokes, x, y, p);
    Figure::grid(
        1,
        [
            panel("(a) contact pressure").surface(pressure),
            panel("(b) shear stress").arrows(Arrows::new(Axis::new("q", "Pa"), [gx, gy], [u, v])),
        ],
    )
    .width(560.0)
}
