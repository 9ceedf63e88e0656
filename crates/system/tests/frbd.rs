//! The lumped experiments of 000 and the reversals of 003, against independent numbers.
use bristle_kernel::bristle::{Frbd, FrbdGkv, FrbdGm, LuGre};
use bristle_kernel::law::Stribeck;
use bristle_kernel::{AnyBristle, AnyLaw, Start};
use bristle_ode::{Options, Radau};
use bristle_system::mechanism::{Mass, Prescribed, SpringDrag, Valve};
use bristle_system::signal::{Constant, Points, Sine};
use bristle_system::{Coupled, Hybrid, Mechanism};

fn rows(file: &str, experiment: &str) -> Vec<(String, String, f64, f64)> {
    let path = format!("{}/../../data/reference/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|l| !l.starts_with('#'));
    lines
        .map(|l| l.split(',').map(str::to_owned).collect::<Vec<_>>())
        .filter(|r| r[1] == experiment)
        .map(|r| (r[2].clone(), r[3].clone(), r[4].parse().unwrap(), r[5].parse().unwrap()))
        .collect()
}

/// `…t=30s…` → 30.
fn time_in(quantity: &str) -> Option<f64> {
    let rest = quantity.split_once("t=")?.1;
    rest[..rest.find('s')?].parse().ok()
}

/// Table II of 000.
fn table2(name: &str) -> AnyBristle<f64> {
    let law = AnyLaw::Stribeck(Stribeck { viscous: 0.04, ..Stribeck::start(()) });
    match name {
        "FrBD1-KV" => AnyBristle::Frbd(Frbd::start(law)),
        "LuGre" => AnyBristle::LuGre(LuGre::start(law)),
        _ => panic!("{name}"),
    }
}

fn initial<M: Mechanism, const N: usize>(system: &Coupled<M>) -> [f64; N] {
    let mut y = [0.0; N];
    system.initial(&mut y);
    y
}

fn force<M: Mechanism, const N: usize>(system: &Coupled<M>, t: f64, y: &[f64; N]) -> f64 {
    system.forces(t, y, &mut [0.0; N])[0]
}

fn options<const N: usize>(rtol: f64, scale: [f64; N]) -> Options<N> {
    Options::new(rtol, scale.map(|s| rtol * s))
}

fn assert_close(what: &str, ours: f64, value: f64, uncertainty: f64, relative: f64, size: f64) {
    let limit = (relative * value.abs().max(size)).max(uncertainty);
    let error = (ours - value).abs();
    assert!(error <= limit, "{what}: {ours}, not {value}: {error:e} > {limit:e}");
}

/// 000 (60): stick-slip of a dragged mass over 60 s.
#[test]
fn stick_slip_of_the_dragged_mass() {
    for (rtol, relative) in [(1e-8, 1e-6), (1e-11, 1e-9)] {
        let mut checked = 0;
        for name in ["FrBD1-KV", "LuGre"] {
            let drive = Constant { value: 0.1 };
            let mechanism = SpringDrag { mass: 1.0, stiffness: 2.0, load: 1.0, drive };
            let system = Coupled::new(mechanism, table2(name));
            let tolerances = options(rtol, [1e-3, 1e-2, 1e-5]);
            let mut run = Hybrid::new(&system, Radau::new(), initial(&system), tolerances);
            // Slips begin where v rises through 0.05 m/s.
            let mut slips: Vec<f64> = Vec::new();
            run.run(60.0, |run| {
                let dense = run.dense();
                let (mut a, mut b) = (dense.start(), dense.end());
                if dense.at(a)[1] < 0.05 && dense.at(b)[1] >= 0.05 {
                    for _ in 0..80 {
                        let m = 0.5 * (a + b);
                        *if dense.at(m)[1] < 0.05 { &mut a } else { &mut b } = m;
                    }
                    slips.push(b);
                }
            })
            .unwrap();
            for (model, quantity, value, uncertainty) in rows("frbd/scalars.csv", "stickslip_60s") {
                let ours = match quantity.as_str() {
                    _ if model != name => continue,
                    "breakaway_time_v=0.05_s" => slips[0],
                    "period_first_s" => slips[1] - slips[0],
                    "period_last_s" => slips[slips.len() - 1] - slips[slips.len() - 2],
                    "n_slip_events_60s" => slips.len() as f64,
                    "x_60s_m" => run.y()[0],
                    "z_60s_m" => run.y()[2],
                    _ => continue,
                };
                let what = format!("{name} {quantity} at {rtol:e}");
                assert_close(&what, ours, value, uncertainty, relative, 0.0);
                checked += 1;
            }
        }
        assert_eq!(checked, 12);
    }
}

/// 000 Fig. 5: a mass under 0.9·1.5 N, 20 cycles.
#[test]
fn pre_sliding_under_a_sinusoidal_force() {
    for (rtol, relative) in [(1e-8, 1e-6), (1e-11, 1e-9)] {
        let mut checked = 0;
        for (frequency, name) in
            [(1.0, "FrBD1-KV"), (5.0, "FrBD1-KV"), (1.0, "LuGre"), (5.0, "LuGre")]
        {
            let drive = Sine { mean: 0.0, amplitude: 0.9 * 1.5, frequency, angle: 0.0 };
            let mechanism = Mass { mass: 1.0, stiffness: 0.0, load: 1.0, drive };
            let system = Coupled::new(mechanism, table2(name));
            let tolerances = options(rtol, [1e-5, 1e-4, 1e-5]);
            let mut run = Hybrid::new(&system, Radau::new(), initial(&system), tolerances);
            let mut first = None;
            let (mut most, mut least) = (f64::NEG_INFINITY, f64::INFINITY);
            run.run(20.0 / frequency, |run| {
                // Steps end where v = 0: the turning points are among them.
                let y = run.y();
                if first.is_none() && run.t() > 0.01 && y[1].abs() < 1e-12 {
                    first = Some((run.t(), y[0]));
                }
                if run.t() > 19.0 / frequency {
                    most = most.max(y[0]);
                    least = least.min(y[0]);
                }
            })
            .unwrap();
            let experiment = format!("presliding_{frequency}Hz");
            for (model, quantity, value, uncertainty) in rows("frbd/scalars.csv", &experiment) {
                let (ours, size) = match quantity.as_str() {
                    _ if model != name => continue,
                    "x_end_20T_m" => (run.y()[0], most - least),
                    "z_end_20T_m" => (run.y()[2], 1e-4),
                    "x_max_cycle20_m" => (most, 0.0),
                    "x_min_cycle20_m" => (least, most - least),
                    "time_first_v0_s" => (first.unwrap().0, 0.0),
                    "first_cycle_x_at_first_v0" => (first.unwrap().1, 0.0),
                    _ => continue,
                };
                let what = format!("{name} {experiment} {quantity} at {rtol:e}");
                assert_close(&what, ours, value, uncertainty, relative, size);
                checked += 1;
            }
        }
        assert_eq!(checked, 24);
    }
}

/// 000 (61), Test 1 of the valve: positions and forces at the times of the reference.
#[test]
fn the_valve_follows_its_ramps() {
    let law = AnyLaw::Stribeck(Stribeck {
        mu_d: 39.73,
        mu_s: 59.86,
        v_s: 6.42e-3,
        viscous: 2.97e3,
        ..Stribeck::start(())
    });
    let (sigma0, sigma1) = (6.82e7, 701.97);
    let ramps = Points {
        t: [0.0, 60.0, 70.0, 130.0].into_iter().collect(),
        value: [20.0, 80.0, 80.0, 20.0].into_iter().collect(),
    };
    for (rtol, relative) in [(1e-8, 1e-6), (1e-11, 1e-9)] {
        let mut checked = 0;
        for name in ["FrBD1-KV", "LuGre"] {
            let friction = match name {
                "LuGre" => AnyBristle::LuGre(LuGre { sigma0, sigma1, ..LuGre::start(law.clone()) }),
                _ => AnyBristle::Frbd(Frbd { sigma0, sigma1, ..Frbd::start(law.clone()) }),
            };
            let system = Coupled::new(Valve::start(ramps.clone()), friction);
            let tolerances = options(rtol, [1e-4, 1e-5, 1e3, 1e-7]);
            let mut run = Hybrid::new(&system, Radau::new(), initial(&system), tolerances);
            let mut wanted: Vec<_> = rows("frbd/scalars.csv", "valve_test1")
                .into_iter()
                .filter(|r| r.0 == name)
                .filter_map(|r| time_in(&r.1).map(|t| (t, r.1, r.2, r.3)))
                .collect();
            wanted.sort_by(|a, b| a.0.total_cmp(&b.0));
            for (t, quantity, value, uncertainty) in wanted {
                run.run(t, |_| {}).unwrap();
                let (ours, size) = if quantity.starts_with("x_") {
                    (run.y()[0], 0.0)
                } else {
                    (force(&system, run.t(), run.y()), 60.0)
                };
                let what = format!("{name} {quantity} at {rtol:e}");
                assert_close(&what, ours, value, uncertainty, relative, size);
                checked += 1;
            }
        }
        assert_eq!(checked, 40);
    }
}

/// 003: forces and deflections while the velocity reverses at 5 Hz, for one to four branches.
#[test]
fn viscoelastic_bristles_under_reversal() {
    fn run<const N: usize>(
        friction: AnyBristle<f64>,
        name: &str,
        rtol: f64,
        relative: f64,
    ) -> usize {
        let drive = Sine { mean: 0.0, amplitude: 0.02, frequency: 5.0, angle: 0.0 };
        let mechanism = Prescribed { load: 1.0, drive };
        let system = Coupled::new(mechanism, friction);
        let gm = name.ends_with("GM");
        let scale: [f64; N] = std::array::from_fn(|i| if i > 1 && gm { 1e-1 } else { 1e-5 });
        let mut run = Hybrid::new(&system, Radau::new(), initial(&system), options(rtol, scale));
        let mut wanted: Vec<_> = rows("viscoelastic/scalars.csv", "visco_reversal_5Hz")
            .into_iter()
            .filter(|r| r.0 == name)
            .filter_map(|r| time_in(&r.1).map(|t| (t, r.1, r.2, r.3)))
            .collect();
        wanted.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (t, quantity, value, uncertainty) in &wanted {
            run.run(*t, |_| {}).unwrap();
            let ours = if quantity.starts_with("f_") {
                force(&system, run.t(), run.y())
            } else {
                run.y()[1]
            };
            let what = format!("{name} {quantity} at {rtol:e}");
            assert_close(&what, ours, *value, *uncertainty, relative, 0.0);
        }
        wanted.len()
    }
    let gm = |n: usize| FrbdGm {
        k0: 1e4,
        k: [1e4, 2e4, 3e4][..n].iter().copied().collect(),
        tau: [1.0, 0.1, 0.01][..n].iter().copied().collect(),
        ..FrbdGm::start(AnyLaw::Stribeck(Stribeck::start(())))
    };
    let gkv = |n: usize| -> FrbdGkv<f64, AnyLaw<f64>> { gm(n).to_gkv().unwrap() };
    for (rtol, relative) in [(1e-8, 1e-6), (1e-11, 1e-9)] {
        let mut checked = 0;
        checked += run::<2>(AnyBristle::FrbdGm(gm(0)), "FrBD1-GM", rtol, relative);
        checked += run::<3>(AnyBristle::FrbdGm(gm(1)), "FrBD2-GM", rtol, relative);
        checked += run::<4>(AnyBristle::FrbdGm(gm(2)), "FrBD3-GM", rtol, relative);
        checked += run::<5>(AnyBristle::FrbdGkv(gkv(3)), "FrBD4-GKV", rtol, relative);
        assert!(checked >= 40, "{checked}");
    }
}
