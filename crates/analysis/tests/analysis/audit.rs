//! Verdicts: lemmas where there are some, drives where there are none.
use crate::common;
use crate::common::{frbd, lugre, set, table_1, table_2};
use bristle_analysis::audit::dissipation::{definite_up_to, form, least};
use bristle_analysis::audit::{
    Holds, Verdict, audit, cycle_work, extraction, extraction_of, line, passivity, stick,
    under_varying_load,
};
use bristle_contact::line::{Bristles, Length, Line, Transport};
use bristle_kernel::bristle::Frbd;
use bristle_kernel::bristle::general::{General, Inversion, Rheology};
use bristle_kernel::law::Stribeck;
use bristle_kernel::{
    AnyBristle, AnyLaw, Bristle, Cast, Field, Group, Law, Logic, Params, Real, Start,
};
use proptest::prelude::*;

fn named(name: &str) -> AnyBristle<f64> {
    AnyBristle::named(name, AnyLaw::Stribeck(table_2())).unwrap()
}

/// The whole catalogue at its start values: only LuGre and the second-order bristle give energy out.
#[test]
fn verdicts_on_the_catalogue() {
    for model in common::all() {
        let found = audit(&model, 1.0);
        let name = found.model;
        match (&found.passivity, name) {
            (Verdict::NotPassive(found), "lugre" | "bristle2") => {
                assert!(found.work < 0.0 && found.lent >= 0.0, "{name}: {found:?}");
            }
            // Energy from a load that changes: a stiffness per load has it, one in N/m or N·m/rad has not.
            (Verdict::Passive { margin, .. }, _) => assert!(*margin >= 0.0, "{name}: {margin}"),
            (other, _) => panic!("{name}: {other:?}"),
        }
        let holds = found.stick.map(|s| s.holds());
        match name {
            "implicit" => assert_eq!(holds, Some(Holds::Exactly)),
            "bristle2" => assert_eq!(holds, Some(Holds::Nearly)),
            "lugre" | "frbd" | "static" => assert_eq!(holds, Some(Holds::Not), "{name}"),
            _ => {}
        }
        // 000 Rem. III.3: FrBD is bounded at any speed, LuGre is not.
        match name {
            "frbd" => assert!(found.rates.bounded && found.rates.fastest <= 1e4 / 64.5),
            "lugre" => assert!(!found.rates.bounded && found.rates.fastest > 1e10),
            _ => {}
        }
        match name {
            "frbd" | "dahl" | "implicit" | "frbd_gm" | "elasto_plastic" => {
                assert!(found.varying_load.is_some_and(|c| c.work < 0.0), "{name}");
            }
            "gms" | "transmission" | "static" | "dry" | "sawtooth" | "mpabm" | "rotating" => {
                assert_eq!(found.varying_load, None, "{name}");
            }
            _ => {}
        }
    }
}

/// The same models with absolute stiffness take no energy from a load.
#[test]
fn absolute_stiffness_is_passive_under_any_load() {
    for name in ["frbd", "dahl", "implicit", "elasto_plastic"] {
        let mut model = named(name);
        model.visit(Group::default(), &mut |v| {
            if let ("scaling", Field::Choice(choice)) = (v.param.name, v.field) {
                assert!(choice.set("absolute"));
            }
        });
        assert_eq!(under_varying_load(&model.into(), 1.0), None, "{name}");
    }
}

/// f = σ₀z + σ₁ż with σ₀ that depends on v, or σ₁ that depends on z, in newtons.
#[derive(Clone, Copy)]
struct Odd<S> {
    sigma0: [S; 2],
    sigma1: S,
    /// Where σ₁ is as written; the damper is σ₁(z/z_d)², constant at 0.
    z_d: S,
}

impl<S: Real> Cast<S> for Odd<S> {
    type Over<T: Real> = Odd<T>;
    fn cast<T: Real>(&self, f: &mut impl FnMut(S) -> T) -> Odd<T> {
        Odd { sigma0: self.sigma0.map(&mut *f), sigma1: f(self.sigma1), z_d: f(self.z_d) }
    }
}

impl<S: Real> Rheology<S> for Odd<S> {
    fn force(&self, dz: S, z: S, v: S, _load: S) -> S {
        // From the first stiffness at rest to the second at speed, over 1 mm/s.
        let [slow, fast] = self.sigma0;
        let stiffness = slow + (fast - slow) * (S::from(1.0) - (-(v / 1e-3).sq()).exp());
        let bent = self.z_d.gt(S::from(0.0));
        let part = (z / S::select(bent, self.z_d, S::from(1.0))).sq();
        stiffness * z + self.sigma1 * S::select(bent, part, S::from(1.0)) * dz
    }
    fn stored(&self, z: S, _load: S) -> Option<S> {
        let [slow, fast] = self.sigma0;
        let same = slow.le(fast) & slow.ge(fast);
        same.all().then(|| slow * z * z * 0.5)
    }
    fn relaxing(&self) -> S {
        S::from(100.0)
    }
}

/// Every way of the general procedure that is not passive is found out by the search, and its repair passes.
#[test]
fn counter_examples_are_found_and_their_repairs_pass() {
    let law = table_2();
    let plain = Odd { sigma0: [1e4; 2], sigma1: 64.5, z_d: 0.0 };
    let bent = Odd { z_d: 1e-4, ..plain };
    let coulomb = Stribeck { mu_s: law.mu_d, viscous: 0.0, ..law };
    let of = |rheology: Odd<f64>, law: Stribeck<f64>, inversion: Inversion, passes: usize| {
        General { inversion, passes, ..General::new(rheology, law) }
    };
    let undamped = Odd { sigma1: 0.0, ..plain };
    // With a tenth of the damper, which takes more than the spring gives as fast as that.
    let softening = Odd { sigma0: [1e4, 5e3], sigma1: 6.45, ..plain };
    let broken = [
        ("stiffness by speed", of(softening, law, Inversion::Present, 1)),
        ("slope at z*", of(bent, law, Inversion::Settled, 1)),
        ("slope kept", of(undamped, coulomb, Inversion::Frozen, 2)),
        ("slope left out", of(plain, law, Inversion::Neglected, 1)),
    ];
    for (what, model) in broken {
        assert!(!Bristle::<f64>::passivity(&model).known, "{what}");
        let found = extraction_of(&model.into(), 1.0);
        assert!(found.is_some_and(|found| found.work < 0.0), "{what}: no drive found");
    }
    let repaired = [
        ("constant stiffness", of(plain, law, Inversion::Present, 1)),
        ("slope at z", of(bent, law, Inversion::Present, 1)),
        ("slope anew", of(undamped, coulomb, Inversion::Present, 2)),
    ];
    for (what, model) in repaired {
        assert!(Bristle::<f64>::passivity(&model).known, "{what}");
        let found = extraction_of(&model.into(), 1.0);
        assert!(found.is_none(), "{what}: {found:?}");
    }
}

/// As published both newer models give energy out, and the search finds how.
#[test]
fn published_forms_give_energy_out() {
    for (name, choice, form) in
        [("elasto_plastic", "form", "printed"), ("gms", "slip", "published")]
    {
        let mut model = named(name);
        assert_eq!(extraction(&model, 1.0), None, "{name} as it starts");
        model.visit(Group::default(), &mut |v| {
            if let (true, Field::Choice(choice)) = (v.param.name == choice, v.field) {
                assert!(choice.set(form));
            }
        });
        let found = extraction(&model, 1.0);
        assert!(found.is_some_and(|found| found.work < 0.0), "{name}, {form}: no drive found");
    }
}

/// The energy that LuGre gives out is the damper's: with ν = σ₁(μ_max/μ_min − 1) and more it is passive by its
/// condition, and the margin says by how much.
#[test]
fn lugre_is_judged_by_its_condition() {
    let mut model = lugre();
    set(&mut model, &[("law.viscous", 32.25 + 1.0)]);
    let Verdict::Passive { margin, why } = audit(&model, 1.0).passivity else {
        panic!("not passive")
    };
    assert!((margin - 1.0).abs() < 1e-9 && why.contains("σ₁(μ_max/μ_min − 1)"), "{margin} {why}");
    assert!(matches!(audit(&lugre(), 1.0).passivity, Verdict::NotPassive(_)));
}

/// 000 (26) has no coupling of z and v; LuGre's form gets a negative value where σ₁²|v| > 4μN(σ₁ + σ₂).
#[test]
fn forms_are_those_of_the_papers() {
    let law = table_2();
    let (v, s0, s1) = (0.02, 1e4, 64.5);
    let mu = law.dry(v);
    let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-9, "{a}, not {b}");
    let at = form(&frbd(), 2.0, v).unwrap();
    let g = s1 * v + law.level(v);
    close(at.a, 2.0 * s0 * s0 * v / g);
    close(at.c, 2.0 * s1 * law.level(v) / g);
    assert_eq!((at.b, at.margin()), (0.0, 1.0));
    assert_eq!(definite_up_to(&frbd(), 2.0), Some(f64::INFINITY));
    let s2 = law.viscous;
    let at = form(&lugre(), 2.0, v).unwrap();
    close(at.a, 2.0 * s0 * s0 * v / mu);
    close(at.b, -2.0 * s1 * s0 * v / mu);
    close(at.c, 2.0 * (s1 + s2));
    let edge = definite_up_to(&lugre(), 2.0).unwrap();
    close(s1 * s1 * edge, 4.0 * law.dry(edge) * (s1 + s2));
}

/// What is lost is negative somewhere for the models that give energy out, and nowhere for the others.
#[test]
fn the_least_loss_has_the_sign_of_the_verdict() {
    for model in common::all() {
        let least = least(&model, 1.0);
        match model.info().name {
            "lugre" | "bristle2" => assert!(least.part < 0.0, "{least:?}"),
            name => assert!(least.part >= -1e-15, "{name}: {least:?}"),
        }
    }
}

/// Parameters at the edge of what numbers can say end soon, with a verdict or without.
#[test]
fn stiffness_beyond_sense_ends_soon() {
    for name in ["frbd", "lugre", "implicit", "dahl"] {
        for stiffness in [1e300, 1e30, 1e-30, 1e-300] {
            let mut model = named(name);
            set(&mut model, &[("sigma0", stiffness)]);
            let found = audit(&model, 1.0).passivity;
            let gives = matches!(found, Verdict::NotPassive(_));
            assert!(!gives || name == "lugre", "{name} at {stiffness}: {found:?}");
        }
    }
}

proptest! {
    /// Models with a lemma pass with any parameters.
    #[test]
    fn models_with_a_lemma_pass(
        stiffness in 2.0f64..6.0, damping in -1.0f64..2.5, mu_s in 1.0f64..3.0, load in 0.1f64..50.0,
    ) {
        let kelvin_voigt = [("sigma0", 10f64.powf(stiffness)), ("sigma1", 10f64.powf(damping))];
        for (name, own) in [
            ("frbd", &kelvin_voigt[..]),
            ("implicit", &kelvin_voigt[..]),
            ("frbd_gm", &[("k0", 10f64.powf(stiffness))][..]),
            ("frbd_gkv", &[("k0", 10f64.powf(stiffness))][..]),
        ] {
            let mut model = named(name);
            set(&mut model, own);
            set(&mut model, &[("law.mu_s", mu_s)]);
            let found = passivity(&model, load);
            prop_assert!(matches!(found, Verdict::Passive { .. }), "{name}: {found:?}");
        }
    }
}

/// The search is not easily persuaded: where a lemma says that there is no such drive, it finds none.
#[test]
fn no_drive_is_found_against_a_lemma() {
    for name in ["dahl", "frbd"] {
        assert_eq!(extraction(&named(name), 2.0), None, "{name}");
    }
}

/// 000 Lemma IV.2: constant and falling pressure are passive; parabolic pressure is not, and the motion of the
/// errata, v = 0.01 sin 1500t at V = 200 1/s, returns energy in every cycle.
#[test]
fn a_parabolic_line_contact_gives_energy_out() {
    let bristle = AnyBristle::Frbd(Frbd {
        sigma0: 252.0,
        sigma1: 0.0,
        ..Frbd::start(AnyLaw::Stribeck(table_1()))
    });
    let transport = Transport::Constant(200.0);
    let bristles = Bristles::Same(&bristle);
    let length = Length::Constant(0.1);
    let contact =
        |pressure| Line { length, transport, pressure, bristles, places: &[], accuracy: 1e-9 };
    let constant = line(&contact(&|_| 1.0)).unwrap();
    assert!(constant.is_passive() && constant.margin == 0.0, "{constant:?}");
    let falling = line(&contact(&|xi: f64| (-0.1 * xi).exp())).unwrap();
    // −d(σ₀pV)/dξ is least at the trailing edge: 252·200·0.1·e^(−0.1).
    let margin = 252.0 * 200.0 * 0.1 * (-0.1f64).exp();
    assert!(falling.is_passive() && (falling.margin / margin - 1.0).abs() < 1e-4, "{falling:?}");
    let parabola = |xi: f64| 4.0 * xi * (1.0 - xi);
    let found = line(&contact(&parabola)).unwrap();
    assert!(!found.is_passive() && found.margin < 0.0 && found.at < 0.01, "{found:?}");
    let motion = found.extraction.unwrap();
    assert!(motion.work < 0.0 && motion.response < 0.0, "{motion:?}");
    // A cycle of a small motion takes ½a²(2π/ω) Re H.
    let linear =
        0.5 * motion.amplitude.powi(2) * core::f64::consts::TAU / motion.omega * motion.response;
    assert!((motion.work / linear - 1.0).abs() < 0.1, "{motion:?} {linear}");
    let work = cycle_work(&contact(&parabola), 0.01, 1500.0, 1.0 / 200.0).unwrap();
    assert!(work < 0.0, "{work}");
}

/// 002 §4.3: under pulses LuGre creeps on, by less the smaller the pulses; the implicit bristle does not move.
#[test]
fn creep_under_pulses() {
    let creep = |model: &AnyBristle<f64>, part: f64| stick(model, 9.81, part).unwrap().creep;
    let [small, large] = [0.2, 0.4].map(|part| creep(&lugre(), part));
    assert!(small > 1e-7 && large > 2.0 * small, "{small} {large}");
    assert!(creep(&named("implicit"), 0.4).abs() < 1e-12);
    assert!(creep(&frbd(), 0.4) > 1e-7);
}
