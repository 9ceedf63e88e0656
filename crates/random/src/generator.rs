//! Random valid systems: mechanisms, friction models and drives that go together.
use crate::network::{Acts, Link, MOST, Machine, Network, Rub};
use bristle_kernel::law::Tabulated;
use bristle_kernel::{
    AnyBristle, AnyLaw, Bristle, Drive, Field, Group, Kind, Law, List, Params, Start, validate,
};
use bristle_ode::System;
use bristle_system::mechanism::arm::Compensation;
use bristle_system::mechanism::{Arm, Belt, Festoon, Mass, Prescribed, SpringDrag, Valve};
use bristle_system::signal::{Constant, Points, Pulses, Sine, Steps};
use bristle_system::{AnyMechanism, AnySignal, Coupled, Friction, Mechanism, Role};

/// SplitMix64: the same numbers for ever.
pub struct Rng(u64);

impl Rng {
    /// The generator of that case under that seed.
    pub fn new(seed: u64, case: u64) -> Self {
        let mut rng = Rng(seed ^ 0x9e37_79b9_7f4a_7c15);
        let mixed = rng.next() ^ case.wrapping_mul(0xd134_2543_de82_ef95);
        Rng(mixed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From `low` to `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.next() >> 11) as f64 / (1u64 << 53) as f64)
    }

    /// From `low` to `high`, every decade as likely.
    pub fn decades(&mut self, low: f64, high: f64) -> f64 {
        10f64.powf(self.between(low.log10(), high.log10()))
    }

    /// Below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// True with that probability.
    pub fn chance(&mut self, p: f64) -> bool {
        self.between(0.0, 1.0) < p
    }

    /// 1 or −1.
    pub fn sign(&mut self) -> f64 {
        if self.chance(0.5) { 1.0 } else { -1.0 }
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

/// A system, where it starts, and how long it runs.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its number.
    pub number: u64,
    /// The kind of its mechanism.
    pub kind: &'static str,
    /// The mechanism.
    pub machine: Machine,
    /// The friction of each contact.
    pub friction: Vec<AnyBristle<f64>>,
    /// The state at t = 0.
    pub start: Vec<f64>,
    /// When the run ends, s.
    pub end: f64,
}

impl Case {
    /// Case `number` under that seed.
    pub fn draw(seed: u64, number: u64) -> Self {
        let mut rng = Rng::new(seed, number);
        loop {
            if let Some(case) = attempt(&mut rng, number) {
                return case;
            }
        }
    }

    /// The system that is integrated.
    pub fn system(&self) -> Coupled<Machine> {
        let friction = self.friction.iter().map(|model| Friction::from(model.clone()));
        Coupled::each(self.machine.clone(), friction.collect())
    }

    /// The names of its models; one, if all are the same.
    pub fn models(&self) -> String {
        let names: Vec<&str> = self.friction.iter().map(|model| model.info().name).collect();
        match names.iter().all(|name| *name == names[0]) {
            true => names[0].to_owned(),
            false => "several".to_owned(),
        }
    }
}

/// Whether the force of a model has a range at rest.
pub fn is_set_valued(model: &AnyBristle<f64>) -> bool {
    model.limits(&Drive::new(0.0, 1.0)).is_some()
}

/// The distance after which the force of a model repeats, of those that look at the position.
pub fn pitch(model: &AnyBristle<f64>) -> Option<f64> {
    match model {
        AnyBristle::Sawtooth(m) => Some(m.delta),
        AnyBristle::Ffbm(m) => Some(m.delta),
        AnyBristle::Rotating(m) => Some(m.delta),
        AnyBristle::RotatingDiscontinuous(m) => Some(m.delta),
        _ => None,
    }
}

const KINDS: [&str; 14] = [
    "mass",
    "belt",
    "spring_drag",
    "prescribed",
    "valve",
    "festoon",
    "arm",
    "chain",
    "joined",
    "gear",
    "brakes",
    "rope",
    "incline",
    "stack",
];

fn law(rng: &mut Rng) -> AnyLaw<f64> {
    let name = rng.one_of(&["coulomb", "stribeck", "stribeck", "tabulated"]);
    let mut law = AnyLaw::named(name, ()).expect("the law is in the catalogue");
    let (level, wide) = (rng.decades(0.1, 3.0), rng.between(0.5, 1.5));
    match &mut law {
        AnyLaw::Coulomb(law) => law.mu = level,
        AnyLaw::Stribeck(law) => {
            law.mu_d = level;
            law.mu_s = if rng.chance(0.1) { level } else { level * rng.between(1.0, 3.0) };
            law.v_s *= around(rng, wide);
            law.exponent = match rng.below(10) {
                0 => rng.between(0.5, 1.0),
                1..=3 => 1.0,
                4 => rng.between(1.0, 3.0),
                _ => 2.0,
            };
            law.viscous = if rng.chance(0.5) { 0.0 } else { rng.decades(1e-2, 1e1) };
        }
        AnyLaw::Tabulated(law) => *law = curve(rng, level),
    }
    law
}

/// A curve through points, which fall at first and may rise later.
fn curve(rng: &mut Rng, level: f64) -> Tabulated<f64> {
    let n = 2 + rng.below(5);
    let mut at = if rng.chance(0.7) { 0.0 } else { rng.decades(1e-4, 1e-2) };
    let (mut v, mut mu): (List<f64>, List<f64>) = (List::new(), List::new());
    for i in 0..n {
        v.push(at);
        let down = 1.0 - 0.5 * i as f64 / n as f64;
        mu.push(level * down * rng.between(0.8, 1.2));
        at += rng.decades(1e-3, 3e-1);
    }
    Tabulated { v, mu, ..Tabulated::start(()) }
}

/// A factor within that many decades on either side of 1.
fn around(rng: &mut Rng, decades: f64) -> f64 {
    10f64.powf(rng.between(-decades, decades))
}

/// A model of the catalogue with random parameters.
fn model(rng: &mut Rng, name: &str) -> AnyBristle<f64> {
    loop {
        let inner = law(rng);
        let mut model = AnyBristle::named(name, inner).expect("the model is in the catalogue");
        let wide = rng.between(0.5, 1.5);
        let branches = 1 + rng.below(4);
        let of_law = Group::default().enter("law");
        model.visit(Group::default(), &mut |visit| {
            if visit.group == of_law {
                return;
            }
            match (visit.field, &visit.param.kind) {
                (Field::Number(x), Kind::Number { start, .. }) => {
                    *x = match visit.param.name {
                        "epsilon" if rng.chance(0.7) => 0.0,
                        "epsilon" => rng.decades(1e-10, 1e-6),
                        "offset" if rng.chance(0.5) => 0.0,
                        "offset" => rng.between(-0.1, 0.1),
                        "passes" if rng.chance(0.5) => 1.0,
                        "passes" => (1 + rng.below(8)) as f64,
                        "sigma1" if *start > 0.0 && rng.chance(0.1) => 0.0,
                        _ => start * around(rng, wide),
                    };
                }
                (Field::List(list), Kind::List { start, .. }) => {
                    *list = (0..branches)
                        .map(|i| start[i % start.len()] * around(rng, wide.min(1.0)))
                        .collect();
                }
                (Field::Choice(choice), Kind::Choice { options, .. }) if rng.chance(0.3) => {
                    choice.set(options[rng.below(options.len())]);
                }
                _ => {}
            }
        });
        fit(rng, &mut model);
        if validate(&model).is_ok() {
            return model;
        }
    }
}

/// Draws what must fit together: heights and lengths of bristles, least and greatest forces, shares of one.
fn fit(rng: &mut Rng, model: &mut AnyBristle<f64>) {
    let row = |rng: &mut Rng, l_b: f64| {
        let h = l_b * (1.0 - rng.decades(1e-3, 0.5));
        let reach = (l_b * l_b - h * h).sqrt();
        let delta = reach * rng.decades(0.1, 5.0);
        (h, delta, delta * rng.decades(0.3, 100.0))
    };
    let rise = |rng: &mut Rng| if rng.chance(0.05) { 1.0 } else { rng.between(1.0, 5.0) };
    match model {
        AnyBristle::Rotating(m) => (m.h, m.delta, m.d) = row(rng, m.l_b),
        AnyBristle::RotatingDiscontinuous(m) => (m.h, m.delta, m.d) = row(rng, m.l_b),
        AnyBristle::Sawtooth(m) => m.f_max = m.f_min * rise(rng),
        AnyBristle::Ffbm(m) => m.f_max = m.f_min * rise(rng),
        AnyBristle::Mpabm(m) => m.theta_max = m.theta_min * rise(rng),
        AnyBristle::Gms(m) => {
            let sum: f64 = m.alpha.iter().sum();
            m.alpha = m.alpha.iter().map(|share| share / sum).collect();
        }
        _ => {}
    }
}

/// The greatest force that holds a body, or nearly holds it, N.
pub fn static_limit(model: &AnyBristle<f64>, load: f64) -> f64 {
    let row = match model {
        AnyBristle::Rotating(m) => Some(m.row()),
        AnyBristle::RotatingDiscontinuous(m) => Some(m.row()),
        _ => None,
    };
    if let Some(row) = row {
        return row.range()[1];
    }
    let mut z = vec![0.0; model.states()];
    let speeds = [1e-6, 1e-4, 1e-3, 1e-2];
    speeds
        .iter()
        .fold(0.0, |most: f64, v| most.max(model.steady(&Drive::new(*v, load), &mut z).abs()))
}

/// The stiffness of a contact that is not slipping, N/m; 0 if it is rigid or has none.
fn contact_stiffness(model: &AnyBristle<f64>, load: f64) -> f64 {
    let (x, v, dx) = (0.0, 1e-9, 1e-9);
    match model {
        AnyBristle::Rotating(m) => m.row().pull(m.delta) / m.delta,
        _ if model.states() == 0 => 0.0,
        _ => {
            // The force that a small deflection of all of its states makes.
            let mut z = vec![0.0; model.states()];
            z[0] = dx;
            let mut dz = z.clone();
            let at = Drive { x, ..Drive::new(v * 1e-6, load) };
            let at = Drive { mode: model.begin(&at, &z), ..at };
            (model.eval(&at, &z, &mut dz) / dx).abs()
        }
    }
}

/// A drive of that size which changes in times like `period`, for a run until `end`.
fn signal(rng: &mut Rng, size: f64, period: f64, end: f64) -> AnySignal<f64> {
    let knots = |rng: &mut Rng| {
        let n = 2 + rng.below(5);
        let mut t: Vec<f64> = (0..n).map(|_| rng.between(0.02, 1.0) * end).collect();
        t[0] = 0.0;
        t.sort_by(f64::total_cmp);
        let value = |rng: &mut Rng, i: usize| match rng.below(5) {
            0 => 0.0,
            1 if i == 0 => 0.0,
            _ => size * rng.between(-1.0, 1.5),
        };
        let values: List<f64> = (0..n).map(|i| value(rng, i)).collect();
        (t.into_iter().collect::<List<f64>>(), values)
    };
    match rng.below(6) {
        0 => {
            let value = if rng.chance(0.2) { 0.0 } else { size * rng.sign() };
            AnySignal::Constant(Constant { value })
        }
        1 | 2 => AnySignal::Sine(Sine {
            mean: if rng.chance(0.5) { 0.0 } else { size * rng.between(-1.0, 1.0) },
            amplitude: size,
            frequency: around(rng, 0.7) / period,
            angle: if rng.chance(0.5) { 0.0 } else { rng.between(0.0, 6.3) },
        }),
        3 => {
            let period = period * around(rng, 0.5);
            AnySignal::Pulses(Pulses {
                value: size * rng.sign(),
                on: period * rng.between(0.1, 0.9),
                period,
            })
        }
        4 => {
            let (t, value) = knots(rng);
            AnySignal::Steps(Steps { t, value })
        }
        _ => {
            let (t, value) = knots(rng);
            AnySignal::Points(Points { t, value })
        }
    }
}

/// What a run is measured by.
struct Scale {
    /// Inertia, kg.
    mass: f64,
    /// Stiffness of springs, N/m; 0 if there are none.
    stiffness: f64,
    /// The force that holds a body, N.
    limit: f64,
    /// The way on which forces change, m.
    way: f64,
    /// The time of an oscillation, s.
    period: f64,
    /// How long the run is, s.
    end: f64,
}

impl Scale {
    fn new(
        rng: &mut Rng,
        mass: f64,
        stiffness: f64,
        limit: f64,
        friction: &[AnyBristle<f64>],
        load: f64,
    ) -> Self {
        let limit = if limit > 0.0 { limit } else { 1.0 };
        let way = if stiffness > 0.0 { limit / stiffness } else { 0.1 };
        let period = std::f64::consts::TAU * (mass * way / limit).sqrt();
        let mut end = period * rng.between(1.0, 4.0);
        // No more than a few hundred teeth, and vibrations of a bristle.
        if let Some(pitch) = friction.iter().filter_map(pitch).reduce(f64::min) {
            end = end.min(100.0 * pitch / (way / period));
        }
        let stiffest = friction.iter().map(|m| contact_stiffness(m, load)).fold(0.0, f64::max);
        if stiffest > 0.0 {
            end = end.min(150.0 * std::f64::consts::TAU * (mass / stiffest).sqrt());
        }
        Scale { mass, stiffness, limit, way, period, end }
    }

    /// A speed at which a body sticks and slips.
    fn speed(&self, rng: &mut Rng) -> f64 {
        self.way / self.period * rng.decades(0.03, 10.0)
    }

    /// A force drive that overcomes friction, or does not.
    fn force(&self, rng: &mut Rng) -> AnySignal<f64> {
        let part = rng.decades(0.3, 4.0);
        // Some of them by exactly as much as friction holds.
        let size = self.limit * if (part - 1.0).abs() < 0.04 { 1.0 } else { part };
        signal(rng, size, self.period, self.end)
    }

    /// A drive by a velocity.
    fn velocity(&self, rng: &mut Rng) -> AnySignal<f64> {
        let size = self.speed(rng);
        signal(rng, size, self.period, self.end)
    }
}

fn attempt(rng: &mut Rng, number: u64) -> Option<Case> {
    let kind = match rng.below(40) {
        0 => "festoon",
        _ => rng.one_of(&KINDS),
    };
    if kind == "festoon" && rng.chance(0.6) {
        return None;
    }
    let bodies = if kind == "chain" { 1 + rng.below(MOST) } else { 2 };
    let contacts = match kind {
        "mass" | "belt" | "spring_drag" | "prescribed" | "valve" | "rope" | "incline" => 1,
        "arm" => 1 + rng.below(2),
        "chain" => bodies,
        _ => 2,
    };
    let names: Vec<&str> = AnyBristle::<f64>::CATALOG.iter().map(|info| info.name).collect();
    let first = rng.one_of(&names);
    // An observer watches the friction that there is.
    let (same, alike) = (rng.chance(0.7) || kind == "arm", rng.chance(0.5) || kind == "arm");
    let shared = model(rng, first);
    let mut friction: Vec<AnyBristle<f64>> = Vec::new();
    for i in 0..contacts {
        let name = if same { first } else { rng.one_of(&names) };
        friction.push(if i == 0 || (same && alike) { shared.clone() } else { model(rng, name) });
    }
    if kind == "arm" && contacts == 2 && friction.iter().any(is_set_valued) {
        return None;
    }
    let load = if rng.chance(0.03) { 0.0 } else { rng.decades(0.3, 30.0) };
    let limit = friction.iter().map(|m| static_limit(m, load)).sum::<f64>() / contacts as f64;
    let mass = rng.decades(0.1, 10.0);
    let stiffness = match friction.iter().find_map(pitch) {
        Some(pitch) if rng.chance(0.7) => {
            (limit / pitch * rng.decades(0.03, 3.0)).clamp(0.5, 500.0)
        }
        _ => rng.decades(0.5, 500.0),
    };
    let tied = |rng: &mut Rng| if rng.chance(0.3) { 0.0 } else { stiffness };
    let bare = match kind {
        "mass" | "joined" | "gear" | "brakes" | "incline" => tied(rng),
        _ => stiffness,
    };
    let scale = Scale::new(rng, mass, bare, limit, &friction, load);
    let machine = match kind {
        "valve" => valve(rng, limit, load),
        "festoon" => festoon(rng, &scale, &mut friction)?,
        "arm" => arm(rng, &scale, load, contacts == 2),
        "mass" | "belt" | "spring_drag" | "prescribed" => single(rng, kind, &scale, load),
        _ => network(rng, kind, &scale, load, bodies),
    };
    if let Machine::Catalog(mechanism) = &machine {
        validate(mechanism).ok()?;
    }
    if let Machine::Network(network) = &machine {
        validate(&network.drive).ok()?;
    }
    let end = match (&machine, kind) {
        (Machine::Catalog(AnyMechanism::Valve(m)), _) => m.lag * rng.between(0.3, 2.0),
        (_, "festoon") => rng.between(0.5, 2.0),
        (Machine::Catalog(AnyMechanism::Arm(m)), _) => {
            // The reference is of the order of a radian: no more than a few hundred teeth.
            let pitch = friction.iter().filter_map(pitch).fold(f64::INFINITY, f64::min);
            scale.end.min(rng.between(0.5, 4.0)).min(300.0 * pitch / m.lambda)
        }
        _ => scale.end,
    };
    let mut case = Case { number, kind, machine, friction, start: Vec::new(), end };
    case.start = start(rng, &case, &scale);
    Some(case)
}

fn single(rng: &mut Rng, kind: &str, scale: &Scale, load: f64) -> Machine {
    let Scale { mass, stiffness, .. } = *scale;
    Machine::Catalog(match kind {
        "mass" => AnyMechanism::Mass(Mass { mass, stiffness, load, drive: scale.force(rng) }),
        "belt" => AnyMechanism::Belt(Belt { mass, stiffness, load, drive: scale.velocity(rng) }),
        "spring_drag" => {
            let drive = scale.velocity(rng);
            AnyMechanism::SpringDrag(SpringDrag { mass, stiffness, load, drive })
        }
        _ => AnyMechanism::Prescribed(Prescribed { load, drive: scale.velocity(rng) }),
    })
}

fn valve(rng: &mut Rng, limit: f64, load: f64) -> Machine {
    let start: Valve<f64, AnySignal<f64>> =
        Valve::start(AnySignal::Constant(Constant { value: 0.0 }));
    let limit = limit.max(0.1);
    let lag = rng.between(0.1, 1.0);
    // So soft a spring that friction matters.
    let stiffness = (limit * rng.decades(1e2, 1e4)).min(start.stiffness);
    let per_cent = limit / (start.area * start.gain);
    let size = per_cent * rng.decades(0.5, 20.0);
    let drive = signal(rng, size, lag, 2.0 * lag);
    let mass = rng.decades(0.5, 5.0);
    Machine::Catalog(AnyMechanism::Valve(Valve { mass, stiffness, lag, load, drive, ..start }))
}

fn festoon(rng: &mut Rng, scale: &Scale, friction: &mut [AnyBristle<f64>]) -> Option<Machine> {
    let size = rng.between(0.05, 0.5);
    let drive = signal(rng, size, 2.0, scale.end.max(2.0));
    // Rails are smooth.
    for model in friction {
        let of_law = Group::default().enter("law");
        model.visit(Group::default(), &mut |visit| {
            if let Field::Number(x) = visit.field
                && visit.group == of_law
                && ["mu", "mu_s", "mu_d"].contains(&visit.param.name)
            {
                *x *= 0.1;
            }
        });
        validate(model).ok()?;
    }
    Some(Machine::Catalog(AnyMechanism::Festoon(Festoon::start(drive))))
}

fn arm(rng: &mut Rng, scale: &Scale, load: f64, observer: bool) -> Machine {
    let size = rng.between(0.05, 1.0);
    let end = scale.end.min(4.0);
    let drive = signal(rng, size, end, end);
    Machine::Catalog(AnyMechanism::Arm(Arm {
        inertia: rng.decades(0.05, 5.0),
        variation: if rng.chance(0.5) { 0.0 } else { rng.between(-0.8, 0.8) },
        gravity: rng.between(-5.0, 5.0),
        load,
        lambda: rng.decades(1.0, 20.0),
        k1: rng.decades(1.0, 30.0),
        k2: if rng.chance(0.3) { 0.0 } else { rng.decades(1e-3, 1e-1) },
        compensation: if observer { Compensation::Observer } else { Compensation::None },
        start: if rng.chance(0.5) { 0.0 } else { rng.between(-0.5, 0.5) },
        drive,
    }))
}

fn network(rng: &mut Rng, kind: &str, scale: &Scale, load: f64, bodies: usize) -> Machine {
    let Scale { mass, stiffness, limit, .. } = *scale;
    let wall =
        |stiffness: f64, damping: f64| Link { body: 0, to: None, stiffness, damping, rope: false };
    let on_ground = |body: usize, load: f64| Rub { sees: vec![(body, 1.0)], belt: false, load };
    let (sparse, guarded) = (rng.chance(0.5), rng.chance(0.5));
    let force = scale.force(rng);
    let one = Network {
        mass: vec![mass],
        weight: vec![0.0],
        links: vec![wall(stiffness, 0.0)],
        rubs: Vec::new(),
        acts: Acts::Force(0),
        sparse,
        guarded,
        drive: force,
    };
    let two = |rng: &mut Rng| vec![mass, mass * around(rng, 0.5)];
    Machine::Network(match kind {
        "chain" => chain(rng, scale, load, bodies, one),
        "joined" => {
            let damping = (stiffness.max(1.0) * mass).sqrt() * rng.decades(0.03, 3.0);
            let joint = Link { body: 0, to: Some(1), stiffness: 0.0, damping, rope: false };
            Network {
                mass: two(rng),
                weight: vec![0.0; 2],
                links: vec![wall(stiffness, 0.0), joint],
                rubs: vec![on_ground(0, load), on_ground(1, load * around(rng, 0.5))],
                ..one
            }
        }
        "gear" => {
            let ratio = rng.sign() * rng.decades(0.2, 5.0);
            let geared = Rub { sees: vec![(0, ratio)], belt: false, load: load * around(rng, 0.5) };
            Network { rubs: vec![on_ground(0, load), geared], ..one }
        }
        "brakes" => {
            let other = if rng.chance(0.3) { load } else { load * around(rng, 0.5) };
            Network { rubs: vec![on_ground(0, load), on_ground(0, other)], ..one }
        }
        "rope" => {
            let rope = Link { rope: true, ..wall(stiffness, 0.0) };
            Network { links: vec![rope], rubs: vec![on_ground(0, load)], ..one }
        }
        "incline" => {
            let damping = if rng.chance(0.5) { 0.0 } else { rng.decades(0.01, 1.0) };
            Network {
                weight: vec![limit * rng.sign() * rng.decades(0.1, 2.0)],
                links: vec![wall(stiffness, damping)],
                rubs: vec![on_ground(0, load)],
                ..one
            }
        }
        // One body on another, which slides on the ground.
        _ => Network {
            mass: two(rng),
            weight: vec![0.0; 2],
            rubs: vec![
                on_ground(0, load),
                Rub {
                    sees: vec![(1, 1.0), (0, -1.0)],
                    belt: false,
                    load: load * rng.between(0.1, 1.0),
                },
            ],
            ..one
        },
    })
}

/// Blocks in a row with springs between them, on a belt or on the ground.
fn chain(rng: &mut Rng, scale: &Scale, load: f64, bodies: usize, one: Network) -> Network {
    let Scale { mass, stiffness, .. } = *scale;
    let damping =
        if rng.chance(0.5) { 0.0 } else { (stiffness * mass).sqrt() * rng.decades(0.01, 1.0) };
    let same = rng.chance(0.5);
    let vary = |rng: &mut Rng, x: f64| if same { x } else { x * around(rng, 0.3) };
    let mut links: Vec<Link> = (1..bodies)
        .map(|i| Link {
            body: i,
            to: Some(i - 1),
            stiffness: vary(rng, stiffness),
            damping,
            rope: false,
        })
        .collect();
    let acts = rng.one_of(&[Acts::Belt, Acts::Force(0), Acts::End(bodies - 1, 0.0)]);
    let acts = match acts {
        Acts::End(body, _) => Acts::End(body, vary(rng, stiffness)),
        other => other,
    };
    let belt = matches!(acts, Acts::Belt);
    if belt || rng.chance(0.3) {
        let each = if belt { 0..bodies } else { 0..1 };
        let wall = |body| Link { body, to: None, stiffness, damping: 0.0, rope: false };
        links.extend(each.map(wall));
    }
    let drive = if matches!(acts, Acts::Force(_)) { one.drive } else { scale.velocity(rng) };
    Network {
        mass: (0..bodies).map(|_| vary(rng, mass)).collect(),
        weight: vec![0.0; bodies],
        links,
        rubs: (0..bodies)
            .map(|i| Rub { sees: vec![(i, 1.0)], belt, load: vary(rng, load) })
            .collect(),
        acts,
        drive,
        ..one
    }
}

/// Where the run begins: at rest, nearly at rest, or anywhere; on an edge, if there are edges.
fn start(rng: &mut Rng, case: &Case, scale: &Scale) -> Vec<f64> {
    let system = case.system();
    let mut y = system.initial();
    let quantities = case.machine.quantities();
    if matches!(case.kind, "valve" | "festoon") {
        if rng.chance(0.3) {
            y[1] = rng.between(-1e-3, 1e-3);
        }
        return y;
    }
    let pitch = case.friction.iter().find_map(pitch);
    let (place, speed) = (rng.below(5), rng.below(5));
    for (k, quantity) in quantities.iter().enumerate() {
        let size = match quantity.kind {
            bristle_system::Kind::Position => scale.way,
            _ => scale.way / scale.period,
        };
        y[k] = match (quantity.kind, place, speed) {
            (bristle_system::Kind::Position, 0, _) => y[k] + rng.between(-1e-6, 1e-6),
            (bristle_system::Kind::Position, 1, _) => y[k] + size * rng.between(-1.0, 1.0),
            (bristle_system::Kind::Position, 2, _) => {
                pitch.map_or(y[k], |pitch| pitch * (rng.below(7) as f64 - 3.0))
            }
            (bristle_system::Kind::Velocity, _, 0) => y[k] + rng.between(-1e-4, 1e-4),
            (bristle_system::Kind::Velocity, _, 1) => y[k] + 3.0 * size * rng.between(-1.0, 1.0),
            _ => y[k],
        };
    }
    if case.kind == "chain"
        && let Machine::Network(network) = &case.machine
        && network.rubs[0].belt
        && rng.chance(0.5)
    {
        // Carried along by the belt.
        let belt = network.input(0, 0.0, &[0]);
        (0..network.mass.len()).for_each(|i| y[2 * i + 1] = belt);
    }
    if rng.chance(0.2) {
        let mode = system.begin(0.0, &y);
        for i in (0..system.contacts())
            .filter(|i| system.mechanism.contacts()[*i].role == Role::Friction)
        {
            let (at, z) = system.contact(&mode, i, 0.0, &y);
            let mut steady = z.to_vec();
            system.friction(i).steady(&Drive { v: 1e-3, ..at }, &mut steady);
            let part = rng.between(-0.9, 0.9);
            let own = system.place(i);
            if own.len() == 1 {
                y[own.start] = part * steady[0];
            }
        }
    }
    debug_assert_eq!(y.len(), system.states());
    y
}

/// The friction level μ(v) of the models that are set-valued over a law.
pub fn dry_level(model: &AnyBristle<f64>, v: f64) -> Option<f64> {
    match model {
        AnyBristle::Dry(m) => Some(m.law.level(v)),
        _ => None,
    }
}
