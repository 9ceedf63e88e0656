//! Every model of the catalogues, in every variant, without a name being mentioned.
use bristle_kernel::{
    AnyBristle, AnyLaw, AnyMatrix, AnyPlanar, Bristle, Cast, Check, Drive, Field, Group, Info,
    Kind, Params, Real, Slip, validate,
};
use bristle_num::Dual;
use proptest::test_runner::{RngAlgorithm, TestRng};
use rand::RngExt;

/// The dual numbers of all tests: every width compiles all models once more.
pub type D = Dual<f64, 8>;

/// A model under test: the union over its dimension, and what a test asks of it.
pub trait Subject: Bristle<f64, Self::V> + Params<f64> + Check + Clone + Sized {
    type V: Slip<f64>;
    type Over<T: Real>: Bristle<T, Self::Slip<T>>;
    type Slip<T: Real>: Slip<T>;

    /// Every model over everything it may nest, at start values and with every choice taken.
    fn all() -> Vec<(String, Self)>;
    /// Every number through `f`, in declaration order.
    fn carry<T: Real>(&self, f: &mut impl FnMut(f64) -> T) -> Self::Over<T>;
    fn in_scalar<T: Real>(&self) -> Self::Over<T> {
        self.carry(&mut |x| T::from(x))
    }
    fn says(&self) -> &'static Info;
}

impl Subject for AnyBristle<f64> {
    type V = f64;
    type Over<T: Real> = AnyBristle<T>;
    type Slip<T: Real> = T;

    fn all() -> Vec<(String, Self)> {
        let mut found = Vec::new();
        for info in Self::CATALOG {
            for law in laws(info.nested.is_some()) {
                let model = Self::named(info.name, law.1).unwrap();
                found.extend(choices(&format!("{}{}", info.name, law.0), &model));
            }
        }
        wanted(found)
    }
    fn carry<T: Real>(&self, f: &mut impl FnMut(f64) -> T) -> AnyBristle<T> {
        self.cast(f)
    }
    fn says(&self) -> &'static Info {
        self.info()
    }
}

impl Subject for AnyPlanar<f64> {
    type V = [f64; 2];
    type Over<T: Real> = AnyPlanar<T>;
    type Slip<T: Real> = [T; 2];

    fn all() -> Vec<(String, Self)> {
        let mut found = Vec::new();
        for info in Self::CATALOG {
            for matrix in AnyMatrix::<f64>::CATALOG {
                for law in laws(matrix.nested.is_some()) {
                    let inner = AnyMatrix::named(matrix.name, law.1).unwrap();
                    let model = Self::named(info.name, inner).unwrap();
                    let name = format!("{} over {}{}", info.name, matrix.name, law.0);
                    found.extend(choices(&name, &model));
                }
            }
        }
        wanted(found)
    }
    fn carry<T: Real>(&self, f: &mut impl FnMut(f64) -> T) -> AnyPlanar<T> {
        self.cast(f)
    }
    fn says(&self) -> &'static Info {
        self.info()
    }
}

/// `BRISTLE_ONLY=dahl,coulomb` tries what has one of these in its name.
fn wanted<M>(all: Vec<(String, M)>) -> Vec<(String, M)> {
    let Ok(only) = std::env::var("BRISTLE_ONLY") else { return all };
    all.into_iter().filter(|(name, _)| only.split(',').any(|part| name.contains(part))).collect()
}

fn laws(nested: bool) -> Vec<(String, AnyLaw<f64>)> {
    let all = AnyLaw::<f64>::CATALOG.iter();
    let all = all.map(|i| (format!(" over {}", i.name), AnyLaw::named(i.name, ()).unwrap()));
    if nested { all.collect() } else { all.take(1).map(|(_, l)| (String::new(), l)).collect() }
}

/// Every valid combination of the model's choices.
fn choices<M: Params<f64> + Check + Clone>(name: &str, model: &M) -> Vec<(String, M)> {
    let mut slots: Vec<(String, &'static [&'static str])> = Vec::new();
    model.clone().visit(Group::default(), &mut |v| {
        if let Kind::Choice { options, .. } = v.param.kind {
            slots.push((format!("{}{}", v.group, v.param.name), options));
        }
    });
    let mut variants = vec![(name.to_owned(), model.clone())];
    for (slot, options) in slots {
        variants = variants
            .iter()
            .flat_map(|(name, model)| {
                let slot = &slot;
                options.iter().map(move |option| {
                    let mut model = model.clone();
                    model.visit(Group::default(), &mut |mut v| {
                        if format!("{}{}", v.group, v.param.name) == *slot
                            && let Field::Choice(c) = &mut v.field
                        {
                            assert!(c.set(option));
                        }
                    });
                    (format!("{name}, {slot} = {option}"), model)
                })
            })
            .collect();
    }
    for (slot, value) in [("passes", 3.0), ("sigma3", 5e11)] {
        let mut turned = Vec::new();
        for (name, model) in &variants {
            let mut model = model.clone();
            let mut found = false;
            model.visit(Group::default(), &mut |v| {
                if let (true, Field::Number(x)) = (v.param.name == slot, v.field) {
                    (*x, found) = (value, true);
                }
            });
            if found {
                turned.push((format!("{name}, {slot} = {value}"), model));
            }
        }
        variants.extend(turned);
    }
    variants.into_iter().filter(|(_, m)| validate(m).is_ok()).collect()
}

/// A model with its numbers multiplied by random factors of up to ten either way, still valid.
pub fn shaken<M: Params<f64> + Check + Clone>(model: &M, rng: &mut TestRng) -> M {
    loop {
        let mut shaken = model.clone();
        shaken.visit(Group::default(), &mut |v| {
            let factor = |rng: &mut TestRng| 10f64.powf(rng.random_range(-1.0..1.0));
            match v.field {
                Field::Number(x) if v.param.name == "epsilon" => {
                    *x = if rng.random_bool(0.5) { 0.0 } else { 1e-8 * rng.random::<f64>() };
                }
                // A count stays whole.
                Field::Number(_) if v.param.name == "passes" => {}
                // What makes another kind of equation of it: `all` has models with and without.
                Field::Number(_) if v.param.name == "sigma3" => {}
                // Shares of one.
                Field::List(_) if v.param.name == "alpha" => {}
                // A row of bristles that is shifted is not symmetric.
                Field::Number(_) if v.param.name == "offset" => {}
                Field::Number(x) if v.param.name == "exponent" => *x = rng.random_range(0.5..3.0),
                Field::Number(x) => {
                    // What starts at zero (damping, off-diagonals, viscosity) gets a value too.
                    if *x == 0.0 && rng.random_bool(0.5) {
                        *x = 10f64.powf(rng.random_range(-3.0..1.0));
                    }
                    *x *= factor(rng);
                }
                Field::List(list) if v.param.name == "v" => {
                    let all = factor(rng);
                    list.iter_mut().for_each(|x| *x *= all);
                }
                Field::List(list) => list.iter_mut().for_each(|x| *x *= factor(rng)),
                Field::Choice(_) => {}
            }
        });
        // Matrices stay away from singular ones, whose inverse would lose the digits tested for.
        let mut further = shaken.clone();
        further.visit(Group::default(), &mut |v| {
            if let (true, Field::Number(x)) = (v.param.name.ends_with("_xy"), v.field) {
                *x *= 1.2;
            }
        });
        if validate(&shaken).is_ok() && validate(&further).is_ok() {
            return shaken;
        }
    }
}

/// The same random numbers in every run: a failure is a fact about the models, not about the day.
pub fn rng() -> TestRng {
    TestRng::deterministic_rng(RngAlgorithm::ChaCha)
}

/// A random drive: speed over eight decades, position, load.
pub fn drive<V: Slip<f64>>(rng: &mut TestRng) -> Drive<f64, V> {
    let mut signed = |lo: f64, hi: f64| {
        let size = 10f64.powf(rng.random_range(lo..hi));
        if rng.random_bool(0.5) { size } else { -size }
    };
    let v = V::from_fn(|_| signed(-6.0, 1.0));
    let x = V::from_fn(|_| signed(-3.0, 0.0));
    let load = signed(-2.0, 3.0).abs();
    let torques = [signed(-2.0, 0.5), signed(-2.0, 0.5)];
    Drive { x, torques, ..Drive::new(v, load) }
}

/// A random state within the model's own bound.
pub fn state<M: Subject>(model: &M, at: &Drive<f64, M::V>, rng: &mut TestRng) -> Vec<f64> {
    let n = model.states();
    let mut bound = vec![0.0; n];
    let speed = at.v.dot(&at.v).sqrt();
    model.bound(&vec![0.0; n], speed, at.load, &mut bound);
    let at = &begun(model, *at, &vec![0.0; n]);
    // A state that can occur: near the steady one, where that is far inside the bound.
    let mut steady = vec![0.0; n];
    model.steady(at, &mut steady);
    let settle = steady.iter().fold(0.0, |a: f64, z| a.max(z.abs()));
    bound
        .iter()
        .map(|b| {
            let size = if b.is_finite() && *b < 1e3 * settle { *b } else { 10.0 * settle };
            size * rng.random_range(-1.0..1.0)
        })
        .collect()
}

/// The drive in the mode in which a motion begins there.
pub fn begun<M: Subject>(model: &M, at: Drive<f64, M::V>, z: &[f64]) -> Drive<f64, M::V> {
    Drive { mode: model.begin(&at, z), ..at }
}

/// The rate and the force.
pub fn eval<S: Real, V: Slip<S>>(
    model: &impl Bristle<S, V>,
    at: &Drive<S, V>,
    z: &[S],
) -> (Vec<S>, V) {
    let mut dz = vec![S::from(0.0); z.len()];
    let force = model.eval(at, z, &mut dz);
    (dz, force)
}
