//! What one fixed step with a body costs and loses, for every model that is solved together with it: time in units of one
//! `exp`, evaluations of the law, and energy over random steps of random length, in double and in single precision.
//!
//! ```sh
//! cargo run --release -p bristle-kernel --example steps -- 10000000 1000000
//! ```
//!
//! The arguments are how many inputs are counted and how many steps are taken.
use bristle_kernel::bristle::{
    Bristle2, Dry, ElastoPlastic, Frbd, Gms, Implicit, LuGre, Rotating, RotatingDiscontinuous,
    Sawtooth,
};
use bristle_kernel::law::Stribeck;
use bristle_kernel::{Bristle, Cast, Drive, Free, Law, Start, Update};
use bristle_num::{Lanes, Real, Single};
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// A law that counts how often it is evaluated.
#[derive(Clone, Copy)]
struct Counting<S>(Stribeck<S>);

static EVALUATIONS: AtomicUsize = AtomicUsize::new(0);

fn count() {
    EVALUATIONS.fetch_add(1, Ordering::Relaxed);
}

impl<S: Real> Law<S> for Counting<S> {
    fn dry(&self, v: S) -> S {
        count();
        self.0.dry(v)
    }
    fn dry_slope(&self, v: S) -> S {
        count();
        self.0.dry_slope(v)
    }
    fn rest(&self) -> S {
        self.0.rest()
    }
    fn bounds(&self) -> [S; 2] {
        self.0.bounds()
    }
    fn pieces(&self) -> usize {
        self.0.pieces()
    }
    fn piece(&self, i: usize) -> S {
        self.0.piece(i)
    }
    fn viscous(&self) -> S {
        Law::viscous(&self.0)
    }
}

/// Numbers that look random and are the same in every run (G. Marsaglia, J. Stat. Softw. 8, 2003).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
    /// Between these, evenly in the logarithm, of either sign.
    fn signed(&mut self, low: f64, high: f64) -> f64 {
        let size = low * (high / low).powf(self.next());
        if self.next() < 0.5 { size } else { -size }
    }
}

/// One step's input.
#[derive(Clone, Copy)]
struct Input {
    v: f64,
    push: f64,
    mass: f64,
    h: f64,
    how: Update,
}

fn input(random: &mut Random) -> Input {
    Input {
        v: random.signed(1e-7, 1.0),
        push: random.signed(1e-3, 30.0),
        mass: random.signed(1e-2, 100.0).abs(),
        h: random.signed(1e-6, 1.0).abs(),
        how: if random.next() < 0.5 { Update::Midpoint } else { Update::End },
    }
}

/// Takes a step from the state in `z` and `at`; gives the work done on the element, and that of the velocities that it is
/// the difference of.
fn step<S: Real, M: Bristle<S>>(
    m: &M,
    at: &mut Drive<S>,
    i: &Input,
    z: &mut [S],
) -> Option<[S; 2]> {
    let of = |x: f64| S::from(x);
    at.v = of(i.v);
    let free = Free::body(i.how, of(i.v), of(i.mass), of(i.push), of(i.h));
    let force = m.advance(i.how, at, &free, of(i.h), z)?;
    let gross = force.abs() * (free.velocity.abs() + free.gain * force.abs());
    Some([force * at.v * i.h, gross * i.h])
}

/// How many evaluations of the law a step takes, on average and at most.
fn evaluations<M: Bristle<f64>>(m: &M, inputs: usize) -> (f64, usize) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut z, mut at) = (vec![0.0; m.states()], Drive::new(0.0, 2.0));
    at.mode = m.begin(&at, &z);
    let (mut all, mut most) = (0, 0);
    for _ in 0..inputs {
        let input = input(&mut random);
        let before = EVALUATIONS.load(Ordering::Relaxed);
        black_box(step(m, &mut at, &input, &mut z));
        let taken = EVALUATIONS.load(Ordering::Relaxed) - before;
        (all, most) = (all + taken, most.max(taken));
        at.x = 0.0;
        at.mode = if m.positional() { m.begin(&at, &z) } else { at.mode };
    }
    (all as f64 / inputs as f64, most)
}

/// The least of F v h − ΔW over random steps, as a part of what is moved.
fn least_loss<S: Real, M: Bristle<S>>(m: &M, steps: usize, plain: impl Fn(S) -> f64) -> f64 {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let (mut z, mut at) = (vec![S::from(0.0); m.states()], Drive::new(S::from(0.0), S::from(2.0)));
    at.mode = m.begin(&at, &z);
    let mut least = f64::INFINITY;
    for _ in 0..steps {
        let input = input(&mut random);
        let zero = vec![S::from(0.0); z.len()];
        let before = plain(m.energy(&at, &z, &zero).stored);
        let Some([work, gross]) = step(m, &mut at, &input, &mut z) else { return f64::NAN };
        let after = plain(m.energy(&at, &z, &zero).stored);
        let size = plain(gross) + before + after + 1e-12;
        least = least.min((plain(work) - (after - before)) / size);
        // A body far off rounds where its bristles are.
        if plain(at.x).abs() > 1.0 && m.positional() {
            at.x = S::from(0.0);
            at.mode = m.begin(&at, &z);
        }
    }
    least
}

/// Time of one step over that of one exp: on average, and of the slowest of some inputs, each the quickest of
/// twenty times.
fn times<M: Bristle<f64>>(m: &M, exp: f64, choose: impl Fn(&Input) -> Input) -> (f64, f64) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut sum, mut worst, inputs) = (0.0, 0.0f64, 400);
    let (mut z, mut at) = (vec![0.0; m.states()], Drive::new(0.0, 2.0));
    at.mode = m.begin(&at, &z);
    for _ in 0..inputs {
        let input = choose(&input(&mut random));
        let (begun, mode) = (z.clone(), at);
        let mut quickest = f64::INFINITY;
        for _ in 0..20 {
            let clock = Instant::now();
            for _ in 0..16 {
                z.copy_from_slice(&begun);
                at = mode;
                black_box(step(m, &mut at, &input, &mut z));
            }
            quickest = quickest.min(clock.elapsed().as_secs_f64() / 16.0);
        }
        (sum, worst) = (sum + quickest, worst.max(quickest));
    }
    (sum / f64::from(inputs) / exp, worst / exp)
}

fn one_exp() -> f64 {
    let mut quickest = f64::INFINITY;
    for _ in 0..200 {
        let clock = Instant::now();
        let mut x = 0.3;
        for _ in 0..1000 {
            x = black_box((-black_box(x)).exp());
        }
        quickest = quickest.min(clock.elapsed().as_secs_f64() / 1000.0);
        black_box(x);
    }
    quickest
}

fn report<M, C, T>(
    name: &str,
    m: &M,
    counting: Option<&C>,
    single: &T,
    [inputs, steps]: [usize; 2],
    exp: f64,
) where
    M: Bristle<f64>,
    C: Bristle<f64>,
    T: Bristle<Single>,
{
    let (mean, worst) = times(m, exp, |i| *i);
    let (few, most) = counting.map_or((0.0, 0), |c| evaluations(c, inputs));
    let double = least_loss(m, steps, |x| x);
    let single = least_loss(single, steps / 10, f64::from);
    println!(
        "| `{name}` | {mean:.1} | {worst:.1} | {few:.1} | {most} | {double:.1e} | {single:.1e} |"
    );
}

fn main() {
    let mut args = std::env::args().skip(1).map(|a| a.parse().unwrap_or(10_000));
    let counts = [args.next().unwrap_or(10_000), args.next().unwrap_or(10_000)];
    let exp = one_exp();
    let law: Stribeck<f64> = Stribeck::start(());
    let counted = Counting(law);
    println!("one exp: {:.2} ns", 1e9 * exp);
    println!("| model | mean, exp | worst, exp | evaluations | at most | least loss | in f32 |");
    println!("|---|---|---|---|---|---|---|");
    macro_rules! all {
        ($($name:literal: $Model:ident { $($field:ident: $value:expr),* };)*) => {$({
            let m = $Model { $($field: $value,)* ..$Model::start(law) };
            let counting = $Model { $($field: $value,)* ..$Model::start(counted) };
            let single = m.cast(&mut |x| Single::from(x));
            report($name, &m, Some(&counting), &single, counts, exp);
        })*};
    }
    all! {
        "frbd, 1 pass": Frbd {};
        "frbd, 4 passes": Frbd { passes: 4.0 };
        "frbd, hardening": Frbd { sigma3: 5e11 };
        "elasto_plastic": ElastoPlastic {};
        "gms": Gms {};
        "implicit": Implicit {};
        "bristle2": Bristle2 {};
        "lugre": LuGre {};
    }
    let dry = Dry::start(law);
    report(
        "dry",
        &dry,
        Some(&Dry::<f64, Counting<f64>>::start(counted)),
        &dry.cast(&mut |x| Single::from(x)),
        counts,
        exp,
    );
    let m = Implicit::start(law);
    // Pushed below the static limit from rest.
    let sticking =
        |i: &Input| Input { v: 0.0, push: i.push.clamp(-0.5, 0.5), h: 1e-3, mass: 1.0, ..*i };
    let sliding = |i: &Input| Input { v: 0.3, push: 5.0, h: 1e-3 * i.h, mass: 1.0, ..*i };
    let (mean, worst) = times(&m, exp, sticking);
    println!("implicit, sticking: {mean:.1} exp, at most {worst:.1}");
    let (mean, worst) = times(&m, exp, sliding);
    println!("implicit, sliding: {mean:.1} exp, at most {worst:.1}");
    let wide = m.cast(&mut Lanes::<4>::from);
    let mut random = Random(7);
    let (mut z, mut at) =
        ([Lanes::<4>::from(0.0)], Drive::new(Lanes::<4>::from(0.0), Lanes::from(2.0)));
    let clock = Instant::now();
    for _ in 0..10_000 {
        let input = input(&mut random);
        black_box(step(&wide, &mut at, &input, &mut z));
    }
    let lane = clock.elapsed().as_secs_f64() / 40_000.0 / exp;
    println!("implicit, per lane of four: {lane:.1} exp");
    println!(
        "| model over position | mean, exp | worst, exp | evaluations | at most | least loss | in f32 |"
    );
    println!("|---|---|---|---|---|---|---|");
    macro_rules! placed {
        ($($name:literal: $Model:ident;)*) => {$({
            let m = $Model::<f64>::start(());
            report($name, &m, None::<&$Model<f64>>, &m.cast(&mut |x| Single::from(x)), counts, exp);
        })*};
    }
    placed! {
        "sawtooth": Sawtooth;
        "rotating": Rotating;
        "rotating_discontinuous": RotatingDiscontinuous;
    }
}
