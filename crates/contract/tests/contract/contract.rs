//! What every model of the catalogue owes, whoever wrote it.
use crate::common::{D, Subject, begun, drive, eval, rng, shaken, state};
use bristle_kernel::{
    AnyBristle, AnyLaw, AnyPlanar, Bristle, Drive, Field, Free, Group, Kind, Law, Logic,
    MAX_GUARDS, Mode, Real, Slip, Update, validate,
};
use bristle_num::Lanes;
use rand::RngExt;
use std::cell::Cell;

/// Runs a test on both catalogues.
macro_rules! for_every_model {
    ($($(#[$meta:meta])* $name:ident => $test:ident;)*) => {$(
        $(#[$meta])*
        #[test]
        fn $name() {
            $test::<AnyBristle<f64>>();
            $test::<AnyPlanar<f64>>();
        }
    )*};
}

for_every_model! {
    start_values_are_valid_and_declarations_complete => declarations;
    every_rejected_parameter_names_itself => rejections;
    lanes_agree_with_scalars => lanes;
    duals_agree_with_central_differences => duals;
    /// ∂/∂parameter needs no model code: seed it through the visitor.
    parameter_sensitivities_agree_with_central_differences => sensitivities;
    steady_states_stay_and_have_the_force_they_claim => steady_states;
    force_and_rate_are_odd => oddness;
    state_bounds_hold_under_random_drive => bounds;
    lift_off_and_extreme_inputs_stay_finite => extremes;
    fixed_steps_agree_with_each_other_for_short_steps => steps;
    steps_and_steady_states_have_the_right_derivatives => derived_duals;
    in_the_air_a_step_relaxes_the_bristle => air;
    /// A motion begins inside its mode, and a step that ends elsewhere is followed to the mode there.
    modes_last_while_all_guards_are_positive => modes;
    models_without_position_do_not_look_at_it => positions;
}

fn guards<M: Subject>(model: &M, at: &Drive<f64, M::V>, z: &[f64]) -> Vec<f64> {
    let mut guards = vec![f64::NAN; model.guards()];
    model.watch(at, z, &mut guards);
    guards
}

fn modes<M: Subject>() {
    let mut rng = rng();
    for (name, model) in M::all() {
        assert!(model.guards() <= MAX_GUARDS, "{name}");
        for _ in 0..300 {
            let model = shaken(&model, &mut rng);
            let mut at = drive::<M::V>(&mut rng);
            let mut z = state(&model, &at, &mut rng);
            at = begun(&model, at, &z);
            assert!(guards(&model, &at, &z).iter().all(|g| *g > 0.0), "{name}: {at:?}, {z:?}");
            assert_eq!(model.commit(&at, &z), at.mode, "{name}");
            // Elsewhere, a few teeth or bristles away, at another velocity and state.
            let there = drive::<M::V>(&mut rng);
            let scale = rng.random_range(-0.02..0.02);
            at = Drive { v: there.v, x: M::V::from_fn(|i| at.x.get(i) + scale), ..at };
            z = state(&model, &at, &mut rng);
            if model.limits(&at).is_some() {
                at.mode = model.depart(&at, at.v.get(0).signum());
            }
            at.mode = model.commit(&at, &z);
            assert!(guards(&model, &at, &z).iter().all(|g| *g >= 0.0), "{name}: {at:?}, {z:?}");
        }
    }
}

fn positions<M: Subject>() {
    let mut rng = rng();
    let mut depends = 0;
    for (name, model) in M::all() {
        for _ in 0..20 {
            let at = drive::<M::V>(&mut rng);
            let z = state(&model, &at, &mut rng);
            let at = begun(&model, at, &z);
            let there = Drive { x: drive::<M::V>(&mut rng).x, ..at };
            let same = eval(&model, &at, &z) == eval(&model, &there, &z)
                && guards(&model, &at, &z) == guards(&model, &there, &z);
            assert!(same || model.positional(), "{name}");
            depends += usize::from(!same);
        }
    }
    let some_are_left_out = std::env::var_os("BRISTLE_ONLY").is_some();
    assert!(M::V::DIM == 2 || depends > 0 || some_are_left_out);
}

fn declarations<M: Subject>() {
    for (name, mut model) in M::all() {
        validate(&model).unwrap_or_else(|e| panic!("{name}: {e}"));
        let info = model.says();
        for text in [info.title, info.source, info.doc, info.stick, info.passive, info.law] {
            assert!(!text.is_empty(), "{name}");
        }
        let mut seen = std::collections::HashSet::new();
        model.visit(Group::default(), &mut |v| {
            let p = v.param;
            assert!(seen.insert(format!("{}{}", v.group, p.name)), "{name}: {} twice", p.name);
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            assert!(p.name.chars().all(plain), "{name}: {}", p.name);
            assert!(!p.meaning.is_empty() && !p.equation.is_empty(), "{name}: {}", p.name);
            assert!(p.unit.is_empty() == matches!(p.kind, Kind::Choice { .. }));
            match (&v.field, &p.kind) {
                (Field::Number(_), _) if ["passes", "sigma3"].contains(&p.name) => {}
                (Field::Number(x), Kind::Number { start, .. }) => assert_eq!(**x, *start),
                (Field::List(x), Kind::List { start, .. }) => assert_eq!(&x[..], *start),
                (Field::Choice(c), Kind::Choice { options, meanings, .. }) => {
                    assert!(options.contains(&c.get()) && options.len() == meanings.len());
                }
                _ => panic!("{name}: {} is declared as another kind", p.name),
            }
        });
        for i in 0..model.states() {
            assert!(!model.variable(i).unit.is_empty(), "{name}");
        }
    }
}

fn rejections<M: Subject>() {
    for (name, model) in M::all() {
        let mut spots = Vec::new();
        model.clone().visit(Group::default(), &mut |v| {
            if let Kind::Number { range, .. } | Kind::List { range, .. } = v.param.kind {
                let mut wrong = vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
                wrong.extend([range.lo - 1.0].iter().filter(|x| x.is_finite()));
                wrong.extend([range.hi + 1.0].iter().filter(|x| x.is_finite()));
                if range.lo_open && range.lo.is_finite() {
                    wrong.push(range.lo);
                }
                spots.push((format!("{}{}", v.group, v.param.name), wrong));
            }
        });
        for (spot, wrong) in spots {
            for value in wrong {
                let mut broken = model.clone();
                let mut unit = "";
                broken.visit(Group::default(), &mut |v| {
                    if format!("{}{}", v.group, v.param.name) == spot {
                        unit = v.unit;
                        match v.field {
                            Field::Number(x) => *x = value,
                            Field::List(x) => x[0] = value,
                            Field::Choice(_) => {}
                        }
                    }
                });
                let error = validate(&broken).expect_err(&format!("{name}: {spot} = {value}"));
                let text = error.to_string();
                let named = text.lines().any(|l| {
                    l.contains(&spot)
                        && l.contains(&format!("= {value}"))
                        && l.contains(" is outside ")
                });
                assert!(named, "{name}: {spot} = {value}: {text}");
                assert!(matches!(unit, "" | "1") || text.contains(unit), "{name}: {spot}: {text}");
            }
        }
    }
}

thread_local! {
    static EXP_CALLS: Cell<usize> = const { Cell::new(0) };
    /// By how many units in the last place `Counted` is off: the n-th call by this, by its opposite, …
    static EXP_OFF: Cell<[i64; 2]> = const { Cell::new([0, 0]) };
}

/// A scalar that counts calls of `exp`: where there is none, lanes must have the bits of `f64`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Counted(f64);

mod counted {
    use super::*;
    use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};
    macro_rules! ops {
        ($($Op:ident $op:ident),*) => {$(
            impl $Op for Counted {
                type Output = Self;
                fn $op(self, o: Self) -> Self { Counted($Op::$op(self.0, o.0)) }
            }
            impl $Op<f64> for Counted {
                type Output = Self;
                fn $op(self, o: f64) -> Self { Counted($Op::$op(self.0, o)) }
            }
        )*};
    }
    ops!(Add add, Sub sub, Mul mul, Div div);
    impl From<f64> for Counted {
        fn from(x: f64) -> Self {
            Counted(x)
        }
    }
    impl Neg for Counted {
        type Output = Self;
        fn neg(self) -> Self {
            Counted(-self.0)
        }
    }
    impl AddAssign for Counted {
        fn add_assign(&mut self, o: Self) {
            self.0 += o.0;
        }
    }
    /// The result of a function that lanes compute themselves, off by as much as this call is to be.
    fn nudged(exact: f64) -> Counted {
        let call = EXP_CALLS.with(|c| c.replace(c.get() + 1));
        let off = EXP_OFF.with(Cell::get)[call % 2];
        let nudged = f64::from_bits(exact.to_bits().wrapping_add_signed(off));
        Counted(if exact > 0.0 && exact.is_finite() { nudged } else { exact })
    }

    impl Real for Counted {
        const LANES: usize = 1;
        type Mask = bool;
        fn number(self) -> f64 {
            self.0
        }
        fn abs(self) -> Self {
            Counted(self.0.abs())
        }
        fn sqrt(self) -> Self {
            Counted(self.0.sqrt())
        }
        fn exp(self) -> Self {
            nudged(self.0.exp())
        }
        fn ln(self) -> Self {
            Counted(self.0.ln())
        }
        fn powf(self, e: Self) -> Self {
            let exact = Real::powf(self.0, e.0);
            if e.0 == 1.0 || e.0 == 2.0 { Counted(exact) } else { nudged(exact) }
        }
        fn sin(self) -> Self {
            Counted(self.0.sin())
        }
        fn cos(self) -> Self {
            Counted(self.0.cos())
        }
        fn atan(self) -> Self {
            Counted(self.0.atan())
        }
        fn floor(self) -> Self {
            Counted(self.0.floor())
        }
        fn lt(self, o: Self) -> bool {
            self.0 < o.0
        }
        fn le(self, o: Self) -> bool {
            self.0 <= o.0
        }
        fn select(mask: bool, yes: Self, no: Self) -> Self {
            if mask { yes } else { no }
        }
    }
}

/// A drive carried into another scalar.
fn carried<M: Subject, T: Real>(
    at: &[Drive<f64, M::V>],
    f: impl Fn(&dyn Fn(usize) -> f64) -> T,
) -> Drive<T, M::Slip<T>> {
    Drive {
        x: M::Slip::<T>::from_fn(|k| f(&|i| at[i].x.get(k))),
        v: M::Slip::<T>::from_fn(|k| f(&|i| at[i].v.get(k))),
        load: f(&|i| at[i].load),
        mode: Mode {
            way: f(&|i| at[i].mode.way),
            index: std::array::from_fn(|k| f(&|i| at[i].mode.index[k])),
        },
        side: f(&|i| at[i].side),
        injection: M::Slip::<T>::from_fn(|k| f(&|i| at[i].injection.get(k))),
        torques: std::array::from_fn(|k| f(&|i| at[i].torques[k])),
    }
}

/// All numbers that a model states at one point.
fn statements<S: Real, V: Slip<S>>(
    model: &impl Bristle<S, V>,
    at: &Drive<S, V>,
    z: &[S],
) -> Vec<S> {
    let (dz, force) = eval(model, at, z);
    let mut all = dz.clone();
    all.extend((0..V::DIM).map(|i| force.get(i)));
    let energy = model.energy(at, z, &dz);
    all.extend([energy.stored, energy.dissipated]);
    let mut steady = vec![S::from(0.0); z.len()];
    let force = model.steady(at, &mut steady);
    all.extend((0..V::DIM).map(|i| force.get(i)));
    all.extend(steady);
    let mut guards = [S::from(0.0); MAX_GUARDS];
    let guards = &mut guards[..model.guards()];
    model.watch(at, z, guards);
    all.extend(&*guards);
    let ways = [1.0, -1.0].map(|way| model.depart(at, S::from(way)));
    let modes = [model.begin(at, z), model.commit(at, z)].into_iter().chain(ways);
    let modes = modes.chain((0..model.guards()).map(|k| model.next(k, at, z)));
    for Mode { way, index } in modes {
        all.push(way);
        all.extend(index);
    }
    for how in [Update::Midpoint, Update::Exponential] {
        let mut z = z.to_vec();
        if let Some(force) = model.step(how, at, S::from(1e-3), &mut z) {
            all.extend((0..V::DIM).map(|i| force.get(i)));
            all.extend(z);
        }
    }
    all
}

/// Every number of a model, in declaration order.
fn numbers<M: Subject>(model: &M) -> Vec<f64> {
    let mut all = Vec::new();
    model.carry(&mut |x| {
        all.push(x);
        x
    });
    all
}

/// Four different models in four lanes: no lane depends on its neighbours, and none differs from f64
/// by more than 2 ulp in every `exp` can make it.
fn lanes<M: Subject>() {
    let mut rng = rng();
    for (name, model) in M::all() {
        for _ in 0..60 {
            let models: Vec<M> = (0..4).map(|_| shaken(&model, &mut rng)).collect();
            let mut points: Vec<_> = (0..4).map(|_| drive::<M::V>(&mut rng)).collect();
            points[1].load = if rng.random_bool(0.3) { 0.0 } else { points[1].load };
            let states: Vec<_> = (0..4).map(|i| state(&models[i], &points[i], &mut rng)).collect();
            for i in 0..4 {
                points[i] = begun(&models[i], points[i], &states[i]);
            }
            let numbers: Vec<Vec<f64>> = models.iter().map(numbers).collect();
            let mut k = 0;
            let wide = models[0].carry(&mut |_| {
                k += 1;
                Lanes::<4>(std::array::from_fn(|i| numbers[i][k - 1]))
            });
            let n = model.states();
            let four = statements(
                &wide,
                &carried::<M, _>(&points, |f| Lanes(std::array::from_fn(f))),
                &(0..n).map(|k| Lanes(std::array::from_fn(|i| states[i][k]))).collect::<Vec<_>>(),
            );
            for i in 0..4 {
                let one = statements(
                    &models[i].in_scalar::<Lanes<4>>(),
                    &carried::<M, _>(&points[i..], |f| Lanes([f(0); 4])),
                    &states[i].iter().map(|z| Lanes([*z; 4])).collect::<Vec<_>>(),
                );
                let plain = |(off, bend): ([i64; 2], f64)| {
                    EXP_CALLS.with(|c| c.set(0));
                    EXP_OFF.with(|o| o.set(off));
                    let bent = |(k, z): (usize, &f64)| {
                        Counted(z * if k.is_multiple_of(2) { 1.0 + bend } else { 1.0 - bend })
                    };
                    statements(
                        &models[i].in_scalar::<Counted>(),
                        &carried::<M, _>(&points[i..], |f| Counted(f(0))),
                        &states[i].iter().enumerate().map(bent).collect::<Vec<_>>(),
                    )
                };
                let exact = plain(([0, 0], 0.0));
                let calls = EXP_CALLS.with(Cell::get);
                // What 2 ulp of every exp and power, and the last digit of the state, can do.
                let nudges = [[2, 2], [-2, -2], [2, -2], [-2, 2]].map(|off| (off, 0.0));
                let bends = [2.3e-16, -2.3e-16].map(|bend| ([0, 0], bend));
                let off: Vec<_> = nudges.into_iter().chain(bends).map(plain).collect();
                // Rounding can hide 2 ulp and show 1.
                let least = [[1, 1], [-1, -1]].map(|off| plain((off, 0.0)));
                for k in 0..four.len() {
                    let (a, b, c) = (four[k].0[i], one[k].0[0], exact[k].0);
                    assert!(a == b, "{name}, {k}: {a} and {b}");
                    if calls == 0 {
                        assert_eq!(a, c, "{name}, {k}");
                        continue;
                    }
                    let allowed: f64 = off.iter().map(|o| (o[k].0 - c).abs()).sum();
                    let allowed = least.iter().fold(allowed, |a, o| a.max((o[k].0 - c).abs()));
                    let rounding = 4.0 * f64::EPSILON * c.abs();
                    assert!(
                        (a - c).abs() <= allowed + rounding,
                        "{name}, {k}: {a} and {c} after {calls} calls of exp or powf"
                    );
                }
            }
        }
    }
}

/// The derivative of every output by central differences, and what rounding and curvature leave
/// uncertain in it: the spread over three steps, and `noise`, the change of an output when inputs
/// change in their last digits, divided by the step.
fn differences(size: f64, noise: &[f64], values: impl Fn(f64) -> Vec<f64>) -> Vec<(f64, f64)> {
    let steps = [1e-6, 2e-6, 4e-6].map(|step| step * size);
    let slopes = steps.map(|h| {
        let (up, down) = (values(h), values(-h));
        up.iter().zip(&down).map(|(u, d)| (u - d) / (2.0 * h)).collect::<Vec<f64>>()
    });
    (0..noise.len())
        .map(|k| {
            let all = [slopes[0][k], slopes[1][k], slopes[2][k]];
            let (lo, hi) = (all[0].min(all[1]).min(all[2]), all[0].max(all[1]).max(all[2]));
            ((lo + hi) / 2.0, 10.0 * (hi - lo) + 4.0 * noise[k] / steps[0].abs())
        })
        .collect()
}

/// How much each output changes in all when v and the state change by their last digits.
fn noise<M: Subject>(model: &M, at: &Drive<f64, M::V>, z: &[f64]) -> Vec<f64> {
    let outputs = |at: &Drive<f64, M::V>, z: &[f64]| {
        let (dz, force) = eval(model, at, z);
        dz.into_iter().chain((0..M::V::DIM).map(|i| force.get(i))).collect::<Vec<f64>>()
    };
    let here = outputs(at, z);
    let mut noise = vec![0.0; here.len()];
    for nudge in [-3e-16, -6e-16, 3e-16, 6e-16] {
        let v = M::V::from_fn(|i| at.v.get(i) * (1.0 + nudge));
        let bent: Vec<f64> = z.iter().map(|z| z * (1.0 + nudge)).collect();
        let (there, bent) = (outputs(&Drive { v, ..*at }, z), outputs(at, &bent));
        for k in 0..here.len() {
            noise[k] += (there[k] - here[k]).abs() + (bent[k] - here[k]).abs();
        }
    }
    noise
}

fn close(exact: f64, (numeric, uncertain): (f64, f64), scale: f64) -> bool {
    (exact - numeric).abs() <= 1e-6 * exact.abs() + uncertain + 1e-9 * scale
}

fn duals<M: Subject>() {
    let mut rng = rng();
    for (name, model) in M::all() {
        for _ in 0..200 {
            let at = drive::<M::V>(&mut rng);
            let z = state(&model, &at, &mut rng);
            let at = begun(&model, at, &z);
            let (n, dim) = (z.len(), M::V::DIM);
            // Directions: v, x, load, states.
            let seed = |value: f64, i: usize| D::variable(value, i);
            let dual_at = Drive {
                v: M::Slip::<D>::from_fn(|k| seed(at.v.get(k), k)),
                x: M::Slip::<D>::from_fn(|k| seed(at.x.get(k), dim + k)),
                load: seed(at.load, 2 * dim),
                ..carried::<M, D>(std::slice::from_ref(&at), |f| D::from(f(0)))
            };
            let dual_z: Vec<D> = (0..n).map(|k| seed(z[k], 2 * dim + 1 + k)).collect();
            let (dz, force) = eval(&model.in_scalar::<D>(), &dual_at, &dual_z);
            let outputs: Vec<D> = dz.into_iter().chain((0..dim).map(|i| force.get(i))).collect();
            let values = |shift: &dyn Fn(usize) -> f64| {
                let at = Drive {
                    v: M::V::from_fn(|k| at.v.get(k) + shift(k)),
                    x: M::V::from_fn(|k| at.x.get(k) + shift(dim + k)),
                    load: at.load + shift(2 * dim),
                    ..at
                };
                let z: Vec<f64> = (0..n).map(|k| z[k] + shift(2 * dim + 1 + k)).collect();
                let (dz, force) = eval(&model, &at, &z);
                dz.into_iter().chain((0..dim).map(|i| force.get(i))).collect::<Vec<f64>>()
            };
            let noise = noise(&model, &at, &z);
            for i in 0..2 * dim + 1 + n {
                let size = match i {
                    i if i < dim => at.v.get(i),
                    i if i < 2 * dim => at.x.get(i - dim),
                    i if i == 2 * dim => at.load,
                    i => z[i - 2 * dim - 1],
                };
                let shifted = |h| values(&|k| if k == i { h } else { 0.0 });
                let numeric = differences(size, &noise, shifted);
                for (k, out) in outputs.iter().enumerate() {
                    assert!(
                        close(out.eps[i], numeric[k], out.re.abs() / size.abs()),
                        "{name} at {at:?}, {z:?}: output {k}, direction {i}: {} and {:?}",
                        out.eps[i],
                        numeric[k]
                    );
                }
            }
        }
    }
}

fn sensitivities<M: Subject>() {
    let mut rng = rng();
    for (name, model) in M::all() {
        let at = drive::<M::V>(&mut rng);
        let z = state(&model, &at, &mut rng);
        let at = begun(&model, at, &z);
        let mut count = 0;
        model.clone().visit(Group::default(), &mut |v| {
            count += match v.field {
                Field::Number(_) => 1,
                Field::List(list) => list.len(),
                Field::Choice(_) => 0,
            };
        });
        for target in 0..count {
            let mut size = 0.0;
            let mut count = 0;
            model.carry(&mut |x| {
                size = if count == target { x } else { size };
                count += 1;
                x
            });
            if size == 0.0 {
                continue;
            }
            let numeric = differences(size, &noise(&model, &at, &z), |h| {
                let mut i = 0;
                let nudged = model.carry(&mut |x| {
                    i += 1;
                    if i == target + 1 { x + h } else { x }
                });
                let at = carried::<M, f64>(std::slice::from_ref(&at), |f| f(0));
                let (dz, force) = eval(&nudged, &at, &z);
                dz.into_iter().chain((0..M::V::DIM).map(|i| force.get(i))).collect()
            });
            let mut i = 0;
            let dual = model.carry(&mut |x| {
                i += 1;
                if i == target + 1 { D::variable(x, 0) } else { D::from(x) }
            });
            let constant = |x: f64| D::from(x);
            let dual_at = carried::<M, D>(std::slice::from_ref(&at), |f| constant(f(0)));
            let dual_z: Vec<D> = z.iter().map(|z| constant(*z)).collect();
            let (dz, force) = eval(&dual, &dual_at, &dual_z);
            let outputs = dz.into_iter().chain((0..M::V::DIM).map(|i| force.get(i)));
            for (k, out) in outputs.enumerate() {
                assert!(
                    close(out.eps[0], numeric[k], out.re.abs() / size.abs()),
                    "{name}: output {k}, parameter {target}: {} and {:?}",
                    out.eps[0],
                    numeric[k]
                );
            }
        }
    }
}

/// ∂/∂v of what is derived from the rate: steady force, and force and state after fixed steps; also
/// at v = 0, from the right.
fn derived_duals<M: Subject>() {
    let mut rng = rng();
    fn outputs<S: Real, V: Slip<S>>(
        model: &impl Bristle<S, V>,
        at: &Drive<S, V>,
        z: &[S],
        steady: bool,
    ) -> Vec<S> {
        let mut all = Vec::new();
        if steady {
            let force = model.steady(at, &mut z.to_vec());
            all.extend((0..V::DIM).map(|i| force.get(i)));
        }
        for how in [Update::Midpoint, Update::Exponential] {
            let mut z = z.to_vec();
            if let Some(force) = model.step(how, at, S::from(1e-3), &mut z) {
                all.extend((0..V::DIM).map(|i| force.get(i)));
                all.extend(z);
            }
        }
        all
    }
    for (name, model) in M::all() {
        for trial in 0..20 {
            let mut at = drive::<M::V>(&mut rng);
            let z = state(&model, &at, &mut rng);
            let rest = trial % 4 == 3;
            let speed = if rest { 0.0 } else { at.v.get(0) };
            at.v = M::V::from_fn(|i| if i == 0 { speed } else { at.v.get(i) });
            let at = begun(&model, at, &z);
            let with = |v: f64| {
                let at = Drive { v: M::V::from_fn(|i| if i == 0 { v } else { at.v.get(i) }), ..at };
                outputs(&model, &at, &z, !rest)
            };
            let dual_at = Drive {
                v: M::Slip::<D>::from_fn(|i| {
                    if i == 0 { D::variable(speed, 0) } else { D::from(at.v.get(i)) }
                }),
                ..carried::<M, D>(std::slice::from_ref(&at), |f| D::from(f(0)))
            };
            let dual_z: Vec<D> = z.iter().map(|z| D::from(*z)).collect();
            let exact = outputs(&model.in_scalar::<D>(), &dual_at, &dual_z, !rest);
            let here = with(speed);
            for (k, exact) in exact.iter().enumerate() {
                // One-sided at rest, where |v| has a kink; two-sided elsewhere.
                let slope = |h: f64| {
                    if rest {
                        (4.0 * with(h)[k] - 3.0 * here[k] - with(2.0 * h)[k]) / (2.0 * h)
                    } else {
                        (with(speed + h)[k] - with(speed - h)[k]) / (2.0 * h)
                    }
                };
                let h = if rest { 1e-9 } else { 1e-5 * speed.abs() };
                let (one, two) = (slope(h), slope(2.0 * h));
                let noise = 1e-14 * here[k].abs() / h;
                let allowed = 1e-4 * exact.eps[0].abs() + 10.0 * (one - two).abs() + noise;
                assert!(
                    (exact.eps[0] - one).abs() <= allowed + 1e-12,
                    "{name} at {at:?}: output {k}: {} and {one}",
                    exact.eps[0]
                );
            }
        }
    }
}

/// At N = 0 a step of any kind and of any length brings the bristle nearer to rest, never through it.
fn air<M: Subject>() {
    for (name, model) in M::all() {
        let n = model.states();
        let v = M::V::from_fn(|_| 0.1);
        let mut loaded = vec![0.0; n];
        model.steady(&Drive::new(v, 1.0), &mut loaded);
        for how in [Update::Midpoint, Update::Exponential] {
            for h in [1e-4, 1e-2, 1.0, 100.0] {
                let mut z = loaded.clone();
                let Some(force) = model.step(how, &Drive::new(v, 0.0), h, &mut z) else { continue };
                assert_eq!(force.dot(&force), 0.0, "{name}");
                let at = Drive::new(v, 1.0);
                let held = |z: &[f64]| model.force(&at, z, &vec![0.0; n]).dot(&v);
                let (before, after) = (held(&loaded), held(&z));
                assert!(
                    after <= before && after >= -1e-9 * before,
                    "{name}, {h}: {before} {after}"
                );
                assert!(n == 0 || h < 100.0 || after < 1e-6 * before, "{name}, {h}: {after}");
            }
        }
    }
}

fn steady_states<M: Subject>() {
    let mut rng = rng();
    let mut repelled = 0;
    for (name, model) in M::all() {
        for _ in 0..300 {
            let at = drive::<M::V>(&mut rng);
            let mut z = vec![0.0; model.states()];
            let at = begun(&model, at, &z);
            let force = model.steady(&at, &mut z);
            assert!(force.dot(&at.v) >= 0.0, "{name}: the force opposes sliding");
            if !model.attracts(&at) {
                repelled += 1;
                continue;
            }
            let speed = at.v.dot(&at.v).sqrt();
            let stays = |faster: f64| {
                let before = Drive { v: M::V::from_fn(|i| faster * at.v.get(i)), ..at };
                let at = Drive { mode: model.begin(&before, &z), ..at };
                let at = Drive { mode: model.commit(&at, &z), ..at };
                let (dz, again) = eval(&model, &at, &z);
                // Rates of z vanish against v, those of forces against k v.
                let still = dz.iter().zip(&z).enumerate().all(|(i, (dz, zi))| {
                    let against = speed * (1.0 + zi.abs() / z[0].abs().max(1e-300));
                    dz.abs() <= 1e-9 * against.max(if i == 0 { 1e-4 } else { 1.0 })
                });
                let size = force.dot(&force).sqrt();
                still && (0..M::V::DIM).all(|i| (force.get(i) - again.get(i)).abs() <= 1e-9 * size)
            };
            // Coming from this speed or from fast sliding: which branch holds depends on the past.
            assert!(stays(1.0) || stays(1e6), "{name} at {at:?}, z = {z:?}, F = {force:?}");
        }
    }
    assert!(M::V::DIM == 2 || repelled > 0, "the drives reach a falling law");
}

/// Where a model says that it follows its law in steady sliding, F = sgn(v) μ(v) N.
#[test]
fn steady_force_is_the_law_where_a_model_says_so() {
    let mut rng = rng();
    let mut checked = 0;
    for info in AnyBristle::<f64>::CATALOG {
        if info.nested.is_none() || !info.law.starts_with("yes") {
            continue;
        }
        for law_info in AnyLaw::<f64>::CATALOG {
            let law = AnyLaw::<f64>::named(law_info.name, ()).unwrap();
            let model = AnyBristle::named(info.name, law.clone()).unwrap();
            for _ in 0..50 {
                let at = drive::<f64>(&mut rng);
                let mut z = vec![0.0; model.states()];
                let force = model.steady(&at, &mut z);
                let expected = at.v.signum() * law.level(at.v) * at.load;
                let error = (force - expected).abs();
                assert!(error <= 1e-12 * expected.abs(), "{}: {force} {expected}", info.name);
                checked += 1;
            }
        }
    }
    assert!(checked > 500);
}

fn oddness<M: Subject>() {
    let mut rng = rng();
    for (name, model) in M::all() {
        for _ in 0..60 {
            let model = shaken(&model, &mut rng);
            let at = drive::<M::V>(&mut rng);
            let z = state(&model, &at, &mut rng);
            let at = begun(&model, at, &z);
            let mirror = Drive {
                x: M::V::from_fn(|i| -at.x.get(i)),
                v: M::V::from_fn(|i| -at.v.get(i)),
                ..at
            };
            let turned: Vec<f64> = z.iter().map(|z| -z).collect();
            let mirror = begun(&model, mirror, &turned);
            let ((dz, force), (mz, mirrored)) =
                (eval(&model, &at, &z), eval(&model, &mirror, &turned));
            assert!(dz.iter().zip(&mz).all(|(a, b)| *a == -*b), "{name}: {dz:?} {mz:?}");
            for i in 0..M::V::DIM {
                assert_eq!(force.get(i), -mirrored.get(i), "{name}");
            }
        }
    }
}

/// Piecewise constant random velocity and load, by the model's own exact step or, for those that
/// have none, by small Runge-Kutta steps.
fn bounds<M: Subject>() {
    let mut rng = rng();
    for (name, model) in M::all().into_iter().filter(|(_, model)| model.states() > 0) {
        for trial in 0..4 {
            let model = if trial < 2 { model.clone() } else { shaken(&model, &mut rng) };
            let n = model.states();
            let (v_max, load_max) = (0.2, 5.0);
            let mut bound = vec![0.0; n];
            model.bound(&vec![0.0; n], v_max, load_max, &mut bound);
            let start = [0.5, 3.0][trial % 2];
            let z0: Vec<f64> =
                bound.iter().map(|b| start * b.min(1.0) * rng.random_range(-1.0..1.0)).collect();
            model.bound(&z0, v_max, load_max, &mut bound);
            let mut z = z0;
            let mut x = 0.0;
            // A load that varies, lift-off included, changes the stored energy of a stiffness per unit
            // load, but never what the state may reach.
            for _ in 0..30 {
                let v = M::V::from_fn(|_| {
                    rng.random_range(-1.0..1.0) * v_max / (M::V::DIM as f64).sqrt()
                });
                let load = if rng.random_bool(0.2) { 0.0 } else { rng.random_range(0.0..load_max) };
                let time = 10f64.powf(rng.random_range(-5.0..-1.0));
                let at = Drive { x: M::V::from_fn(|_| x), ..Drive::new(v, load) };
                let mut at = begun(&model, at, &z);
                if model.step(Update::Exponential, &at, time, &mut z).is_none() {
                    // Rates may be far too fast to be followed explicitly; the end-of-step update keeps the bound.
                    let steps = 200;
                    let h = time / f64::from(steps);
                    let implicit =
                        n == 1 && model.step(Update::End, &at, h, &mut z.clone()).is_some();
                    if implicit {
                        for _ in 0..steps {
                            model.step(Update::End, &at, h, &mut z);
                        }
                    } else {
                        runge_kutta(&model, &mut at, time, &mut z);
                    }
                }
                x += v.get(0) * time;
                for i in 0..n {
                    let inside = z[i].abs() <= bound[i] * (1.0 + 1e-9);
                    assert!(inside, "{name}, state {i}: {} beyond {}", z[i], bound[i]);
                }
            }
        }
    }
}

fn runge_kutta<M: Subject>(model: &M, at: &mut Drive<f64, M::V>, time: f64, z: &mut [f64]) {
    // As small as the model's own rates ask for, seen from its steady state.
    let steps = 200.max((time / 5e-6) as usize);
    let h = time / steps as f64;
    for _ in 0..steps {
        at.mode = model.commit(at, z);
        let shifted = |k: &[f64], c: f64| -> Vec<f64> {
            z.iter().zip(k).map(|(z, k)| z + c * h * k).collect()
        };
        let k1 = eval(model, at, z).0;
        let k2 = eval(model, at, &shifted(&k1, 0.5)).0;
        let k3 = eval(model, at, &shifted(&k2, 0.5)).0;
        let k4 = eval(model, at, &shifted(&k3, 1.0)).0;
        for i in 0..z.len() {
            z[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
    }
}

fn extremes<M: Subject>() {
    let speeds = [0.0, 5e-324, 1e-300, 1e-12, 1.0, 1e8, 1e100];
    let loads = [0.0, -1.0, 5e-324, 1e-99, 1e-9, 1.0, 1e12];
    for (name, model) in M::all() {
        let n = model.states();
        for speed in speeds {
            for sign in [1.0, -1.0] {
                for load in loads {
                    for size in [0.0, 1e-300, 1e-6, 1e-3, 1.0] {
                        let v = M::V::from_fn(|i| if i == 0 { sign * speed } else { 0.5 * speed });
                        let z = vec![size; n];
                        let at = begun(&model, Drive { x: v, ..Drive::new(v, load) }, &z);
                        let mut out: Vec<f64> = Vec::new();
                        let (dz, force) = eval(&model, &at, &z);
                        let energy = model.energy(&at, &z, &dz);
                        let lifted = load <= 5e-324;
                        for i in 0..M::V::DIM {
                            assert!(!lifted || force.get(i) == 0.0, "{name}: no force at lift-off");
                            out.push(force.get(i));
                        }
                        if lifted && n > 0 {
                            let bent: Vec<f64> =
                                (0..n).map(|i| if i == 0 { size } else { 0.0 }).collect();
                            let back = eval(&model, &at, &bent).0;
                            let relaxes =
                                back[0] <= 0.0 && (size == 0.0 || back.iter().any(|d| *d < 0.0));
                            assert!(relaxes, "{name}: the bristle relaxes at lift-off: {back:?}");
                        }
                        out.extend(&dz);
                        if speed < 1e50 {
                            out.extend([energy.stored, energy.dissipated]);
                        }
                        let mut steady = vec![0.0; n];
                        model.steady(&at, &mut steady);
                        out.extend(steady);
                        for how in [Update::Midpoint, Update::Exponential] {
                            let mut z = z.clone();
                            if let Some(force) = model.step(how, &at, 1e-3, &mut z) {
                                out.extend((0..M::V::DIM).map(|i| force.get(i)));
                                out.extend(z);
                            }
                        }
                        assert!(
                            out.iter().all(|x| x.is_finite()),
                            "{name} at v = {v:?}, N = {load}, z = {size}: {out:?}"
                        );
                    }
                }
            }
        }
    }
}

/// Both updates are consistent with the rate, and the midpoint one is of second order.
fn steps<M: Subject>() {
    let mut rng = rng();
    for (name, model) in M::all() {
        for _ in 0..5 {
            let mut at = drive::<M::V>(&mut rng);
            at.v = M::V::from_fn(|i| 0.01 * at.v.get(i).signum());
            let z = state(&model, &at, &mut rng);
            let at = begun(&model, at, &z);
            let ends = |how, h: f64| {
                let mut z = z.clone();
                model.step(how, &at, h, &mut z).map(|force| (z, force))
            };
            let Some((exact, _)) = ends(Update::Exponential, 1e-4) else { continue };
            let both = ends(Update::Midpoint, 1e-4).is_some();
            let size = exact.iter().zip(&z).fold(0.0, |a: f64, (e, z)| a.max((e - z).abs()));
            if exact.is_empty() || size == 0.0 {
                continue;
            }
            let error = |steps: usize| {
                let mut z = z.clone();
                for _ in 0..steps {
                    model.step(Update::Midpoint, &at, 1e-4 / steps as f64, &mut z);
                }
                z.iter().zip(&exact).fold(0.0, |a: f64, (z, e)| a.max((z - e).abs())) / size
            };
            let (coarse, fine) = (error(4), error(8));
            let order = (coarse / fine).log2();
            let second = fine < 1e-9 || (order - 2.0).abs() < 0.2;
            assert!(!both || second, "{name}: {coarse:e} {fine:e}");
            // Two halves of an exact step are the whole of it, in state and in mean force.
            let (half, f1) = ends(Update::Exponential, 0.5e-4).unwrap();
            let (mut whole, mut there) = (z.clone(), at);
            let free = Free { velocity: at.v, gain: 0.0 };
            let carried = model.advance(Update::Exponential, &mut there, &free, 0.5e-4, &mut whole);
            let at = match carried {
                // What the step says of the mode: a slip that began in the first half goes on.
                Some(_) if !both => there,
                _ => {
                    whole = half;
                    at
                }
            };
            let f2 = model.step(Update::Exponential, &at, 0.5e-4, &mut whole).unwrap();
            let f = ends(Update::Exponential, 1e-4).unwrap().1;
            let scale = exact.iter().fold(0.0, |a: f64, z| a.max(z.abs()));
            for (a, b) in whole.iter().zip(&exact) {
                assert!((a - b).abs() <= 1e-12 * scale, "{name}: {whole:?} {exact:?}");
            }
            for i in 0..M::V::DIM {
                let mean = 0.5 * (f1.get(i) + f2.get(i));
                assert!((mean - f.get(i)).abs() <= 1e-10 * f.dot(&f).sqrt(), "{name}");
            }
        }
    }
}

/// The logic of masks is what `select` obeys.
#[test]
fn masks_of_lanes_act_lane_by_lane() {
    let (a, b) = (Lanes([1.0, 5.0, 3.0, 0.0]), Lanes([2.0, 4.0, 3.0, 1.0]));
    let less = a.lt(b);
    assert!(less.any() && !less.all() && (less | !less).all());
    assert_eq!(Lanes::select(less, a, b), Lanes([1.0, 4.0, 3.0, 0.0]));
}

/// Told on which side of v = 0 it is, a model says the same there to the last bit; on the other side it goes on smoothly:
/// its second differences over v = 0 vanish as fast as those of a smooth function.
#[test]
fn a_known_side_removes_the_kink_and_nothing_else() {
    for info in AnyBristle::<f64>::CATALOG {
        let model = AnyBristle::named(info.name, AnyLaw::named("stribeck", ()).unwrap()).unwrap();
        let rate = |v: f64, side: f64| {
            let at = Drive { x: 0.01, ..Drive::new(v, 2.0) };
            let z = vec![1e-6; model.states()];
            let mode = model.begin(&Drive { v: 1.0, ..at }, &z);
            let mut dz = z.clone();
            let side = if model.side(&mode) == 0.0 { 0.0 } else { side };
            model.rate(&Drive { mode, side, ..at }, &z, &mut dz);
            (dz.first().copied().unwrap_or(0.0), side)
        };
        for v in [1e-9, 1e-4, 0.3] {
            assert_eq!(rate(v, 1.0).0, rate(v, 0.0).0, "{} at {v}", info.name);
        }
        let bend = |h: f64, side: f64| {
            (rate(h, side).0 - 2.0 * rate(0.0, side).0 + rate(-h, side).0).abs() / h
        };
        if rate(0.0, 1.0).1 != 0.0 {
            let (kinked, smooth) = (bend(1e-7, 0.0), bend(1e-7, 1.0));
            assert!(smooth <= 1e-2 * kinked, "{}: {smooth:e} beside {kinked:e}", info.name);
        }
    }
}
