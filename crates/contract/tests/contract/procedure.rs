//! The general procedure of 000 gives the models of the catalogue, and the counter-examples of its readings.
use bristle_kernel::bristle::general::{General, Inversion, KelvinVoigt};
use bristle_kernel::bristle::{Dahl, Frbd, Implicit, LuGre, Scaling};
use bristle_kernel::law::Stribeck;
use bristle_kernel::{Bristle, Drive, Start};
use bristle_reference::Table;

/// Set 1 of 002 Fig. 4, absolute.
const KV: KelvinVoigt<f64> = KelvinVoigt { sigma0: 3.9e4, sigma1: 395.0 };
const LOAD: f64 = 9.81;

fn law() -> Stribeck<f64> {
    Stribeck { mu_s: 0.6, mu_d: 0.3, exponent: 1.0, ..Stribeck::start(()) }
}

fn at_point(m: &dyn Bristle<f64>, v: f64, z: f64) -> (f64, f64) {
    let at = Drive::new(v, LOAD);
    let at = Drive { mode: m.begin(&at, &[z]), ..at };
    let mut dz = [0.0];
    let force = m.eval(&at, &[z], &mut dz);
    (dz[0], force)
}

/// One pass is `frbd`; without the damper in g it is `lugre`, without a damper `dahl`; many passes are `implicit`.
#[test]
fn the_models_of_the_catalogue_are_derived() {
    let scaling = Scaling::Absolute;
    let (sigma0, sigma1) = (KV.sigma0, KV.sigma1);
    let general = |passes, inversion, rheology| General {
        passes,
        inversion,
        ..General::new(rheology, law())
    };
    let undamped = KelvinVoigt { sigma1: 0.0, ..KV };
    let frbd = |passes| Frbd { scaling, sigma0, sigma1, passes, ..Frbd::start(law()) };
    type Model = Box<dyn Bristle<f64>>;
    let pairs: Vec<(&str, Model, Model)> = vec![
        ("frbd", Box::new(general(1, Inversion::Present, KV)), Box::new(frbd(1.0))),
        ("frbd at z*", Box::new(general(1, Inversion::Settled, KV)), Box::new(frbd(1.0))),
        ("passes", Box::new(general(4, Inversion::Present, KV)), Box::new(frbd(4.0))),
        (
            "lugre",
            Box::new(general(1, Inversion::Neglected, KV)),
            Box::new(LuGre { scaling, sigma0, sigma1, ..LuGre::start(law()) }),
        ),
        (
            "dahl",
            Box::new(general(1, Inversion::Present, undamped)),
            Box::new(Dahl { scaling, sigma0, ..Dahl::start(law()) }),
        ),
        (
            "implicit",
            Box::new(general(400, Inversion::Present, KV)),
            Box::new(Implicit { scaling, sigma0, sigma1, ..Implicit::start(law()) }),
        ),
    ];
    for (name, ours, known) in pairs {
        for (v, z) in [(1e-4, 3e-5), (-2e-3, 5e-5), (0.05, 6e-5), (0.3, -1e-5), (-0.02, -7e-5)] {
            let ((dz, f), (rate, force)) = (at_point(&*ours, v, z), at_point(&*known, v, z));
            let close = |a: f64, b: f64, scale: f64| (a - b).abs() <= 1e-11 * scale;
            assert!(
                close(dz, rate, v.abs()) && close(f, force, 10.0),
                "{name} at {v}, {z}: {dz} {rate} {f} {force}"
            );
        }
    }
}

/// (7) with its first slope kept, step by step as the reference has it.
#[test]
fn passes_with_the_slope_kept_are_those_of_the_reference() {
    let mut checked = 0;
    for line in Table::of("models/scalars.csv").lines() {
        let Some(rest) = line.text("quantity").strip_prefix("u_literal") else { continue };
        if line.text("case") != "points_S1" {
            continue;
        }
        let (passes, place) = rest.split_once(":z=").unwrap();
        let (z, v) = place.split_once(";v=").unwrap();
        let (z, v): (f64, f64) = (z.parse().unwrap(), v.parse().unwrap());
        let passes = passes.parse().unwrap();
        let m = General { passes, inversion: Inversion::Frozen, ..General::new(KV, law()) };
        let u = v - at_point(&m, v, z).0;
        let value = line.number("value");
        assert!((u - value).abs() <= 1e-12 * v.abs(), "{z} {v} {passes}: {u:e}, not {value:e}");
        checked += 1;
    }
    assert!(checked >= 6, "{checked}");
}

/// Kept over a second pass, the slope gives energy out where a bristle is bent, held back and let go, over a Coulomb law:
/// as much as the reference says.
#[test]
fn the_second_pass_with_the_slope_kept_gives_energy_out() {
    let m = General {
        passes: 2,
        inversion: Inversion::Frozen,
        ..General::new(
            KelvinVoigt { sigma0: 1e4, sigma1: 0.0 },
            Stribeck { mu_s: 1.0, mu_d: 1.0, ..Stribeck::start(()) },
        )
    };
    assert!(!Bristle::<f64>::passivity(&m).known);
    let rate = |z: f64, v: f64| {
        let mut dz = [0.0];
        let force = m.eval(&Drive::new(v, 1.0), &[z], &mut dz);
        (dz[0], force)
    };
    for part in [0.5, 0.25] {
        // From 0 to `part` of the level and back to 0: the work on the element over z.
        let work = |way: f64| {
            let n = 20_000;
            let h = part * 1e-4 / f64::from(n);
            let at = |k: i32| {
                let z = h * (f64::from(k) + 0.5);
                let (dz, force) = rate(z, way * 1e-3);
                h * force * way * 1e-3 / dz.abs()
            };
            (0..n).map(at).sum::<f64>()
        };
        let given = -(work(1.0) + work(-1.0));
        let what = format!("given_out_per_cycle_J(b={part})");
        let value = Table::of("models/scalars.csv");
        let value = value
            .lines()
            .find(|l| l.text("quantity") == what && l.text("model") == "frbd_literal_k2");
        let value = value.unwrap().number("value");
        assert!((given - value).abs() <= 1e-6 * value, "{part}: {given:e}, not {value:e}");
    }
}

/// Loaded at N = 1 and unloaded at N = 2 a stiffness per load gives energy out, to the digits of the reference.
#[test]
fn a_stiffness_per_load_gives_out_what_the_load_adds() {
    let rate = |scaling: Scaling, z: f64, v: f64, load: f64| {
        let m = Frbd { scaling, ..Frbd::start(Stribeck { viscous: 0.04, ..Stribeck::start(()) }) };
        let mut dz = [0.0];
        let force = m.eval(&Drive::new(v, load), &[z], &mut dz);
        (dz[0], force)
    };
    let table = Table::of("models/scalars.csv");
    let line = table.lines().find(|l| l.text("model") == "frbd_per_load").unwrap();
    assert!(
        line.text("quantity").contains("N_load=1;N_unload=2;s=0.2"),
        "{}",
        line.text("quantity")
    );
    assert!(line.number("value") > 0.0);
    // From 0 to a fifth of the level's deflection at next to no speed.
    let work = |scaling: Scaling| {
        let n = 4000;
        let h = 0.2 * 1.5e-4 / f64::from(n);
        let stroke = |way: f64, load: f64| {
            let at = |k: i32| {
                let (dz, force) = rate(scaling, h * (f64::from(k) + 0.5), way * 1e-6, load);
                h * force * way * 1e-6 / dz.abs()
            };
            (0..n).map(at).sum::<f64>()
        };
        stroke(1.0, 1.0) + stroke(-1.0, 2.0)
    };
    assert!(work(Scaling::PerLoad) < -1e-6, "{}", work(Scaling::PerLoad));
    assert!(work(Scaling::Absolute) > 0.0);
}
