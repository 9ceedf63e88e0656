//! What a run must satisfy, whatever the system.
use crate::generator::{Case, Rng, static_limit};
use crate::network::Machine;
use crate::reference;
use bristle_kernel::bristle::rotating::Rule;
use bristle_kernel::{AnyBristle, Bristle, Drive};
use bristle_ode::{Failure, Heap, Options, Radau, Solver, Statistics, Why};
use bristle_system::{Coupled, Kind, Ledger, Mechanism, Role, Step, Watch};
use std::fmt;
use std::ops::ControlFlow;

/// The tolerance of a run that is judged, and of the one that it is held against.
const TOLERANCE: f64 = 1e-8;
const TIGHT: f64 = 1e-10;
/// A part of the range of a state by which the two may differ.
const AGREEMENT: f64 = 1e-5;
/// A relative change of the start, and by how much more the end must change in an ill-conditioned case.
const NUDGE: f64 = 1e-9;
const GROWTH: f64 = 1e3;
/// So many steps a run may take; one that is longer is judged up to there.
const MOST_STEPS: usize = 20_000;
/// Rounding, as a part of what is rounded.
const ROUNDING: f64 = 1e3 * f64::EPSILON;
/// At rest a contact is not faster than this, m/s.
const AT_REST: f64 = 1e-12;
/// The load against which forces of a contact without load are held, N.
const LEAST_LOAD: f64 = 1e-3;
/// So many states of a run are compared with another.
const SAMPLES: usize = 40;
/// So many places of each step are looked at.
const LOOKS: usize = 8;

/// What is wrong with a run.
#[derive(Clone, Debug)]
pub enum Fault {
    /// It ended before its time.
    Failed(Failure),
    /// A state is not finite.
    NotFinite { t: f64 },
    /// A force is outside its limits by that part of them.
    Limits { t: f64, contact: usize, force: f64, limits: [f64; 2] },
    /// A contact slides against its direction.
    Way { t: f64, contact: usize, way: f64, v: f64 },
    /// A force drives the slip that it should oppose.
    Power { t: f64, contact: usize, force: f64, v: f64 },
    /// A contact that sticks moves.
    Creep { t: f64, contact: usize, v: f64 },
    /// The tooth or bristles of the mode are not those of the position.
    Tooth { t: f64, contact: usize, index: usize, is: f64, range: [f64; 2] },
    /// The energy does not balance, or comes from nowhere.
    Ledger(String),
    /// Runs at two tolerances differ, by that part of the range of that state.
    Tolerance { t: f64, state: usize, off: f64 },
    /// The run and the one by small steps differ.
    Reference { t: f64, state: usize, off: f64, own: f64 },
    /// The engine panicked.
    Panicked(String),
}

impl Fault {
    /// One word.
    pub fn kind(&self) -> &'static str {
        match self {
            Fault::Failed(failure) => match failure.why {
                Why::StepTooSmall => "step too small",
                Why::TooManySteps { .. } => "stalled",
                Why::Chattering { .. } => "chattering",
                Why::NotFinite => "rate not finite",
            },
            Fault::NotFinite { .. } => "not finite",
            Fault::Limits { .. } => "limits",
            Fault::Way { .. } => "way",
            Fault::Power { .. } => "power",
            Fault::Creep { .. } => "creep",
            Fault::Tooth { .. } => "tooth",
            Fault::Ledger(_) => "ledger",
            Fault::Tolerance { .. } => "tolerance",
            Fault::Reference { .. } => "reference",
            Fault::Panicked(_) => "panic",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Failed(failure) => write!(f, "{failure}"),
            Fault::NotFinite { t } => write!(f, "a state is not finite at t = {t} s"),
            Fault::Limits { t, contact, force, limits: [low, high] } => write!(
                f,
                "{force:e} N at contact {contact}, not within {low:e} and {high:e} N, at t = {t} s"
            ),
            Fault::Way { t, contact, way, v } => {
                write!(
                    f,
                    "contact {contact} slides at {v:e} m/s, its way being {way}, at t = {t} s"
                )
            }
            Fault::Power { t, contact, force, v } => {
                write!(f, "contact {contact} is driven by {force:e} N at {v:e} m/s, at t = {t} s")
            }
            Fault::Creep { t, contact, v } => {
                write!(f, "contact {contact} sticks and moves at {v:e} m/s, at t = {t} s")
            }
            Fault::Tooth { t, contact, index, is, range: [low, high] } => write!(
                f,
                "index {index} of contact {contact} is {is}, and that of its place from {low} to \
                 {high}, at t = {t} s"
            ),
            Fault::Ledger(text) | Fault::Panicked(text) => write!(f, "{text}"),
            Fault::Tolerance { t, state, off } => write!(
                f,
                "state {state} differs by {off:.1e} of its range at t = {t} s between tolerances"
            ),
            Fault::Reference { t, state, off, own } => write!(
                f,
                "state {state} differs by {off:.1e} of its range at t = {t} s from small steps, which \
                 differ by {own:.1e} among themselves"
            ),
        }
    }
}

/// What became of a case.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// All is as it must be.
    Right,
    /// It depends so strongly on its start that no two runs agree.
    IllConditioned,
    /// It fails, and may: the reason.
    Excused(&'static str),
    /// What is wrong.
    Wrong(Vec<Fault>),
}

/// A case judged.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// What became of it.
    pub verdict: Verdict,
    /// What the run cost.
    pub statistics: Statistics,
    /// How far it went, s.
    pub end: f64,
    /// Whether it was compared with small steps, and these resolved it.
    pub compared: bool,
}

/// Sees a run: keeps samples and ranges, and what is wrong.
struct Look<'c> {
    case: &'c Case,
    rtol: f64,
    /// When samples are taken, and those taken.
    times: Vec<f64>,
    samples: Vec<Vec<f64>>,
    low: Vec<f64>,
    high: Vec<f64>,
    /// What is checked: nothing, in runs that are only compared.
    ledger: Option<Ledger>,
    faults: Vec<Fault>,
    /// What to print of each step.
    print: bool,
}

impl<'c> Look<'c> {
    fn new(case: &'c Case, rtol: f64, end: f64) -> Self {
        let times = (1..=SAMPLES).map(|k| end * k as f64 / SAMPLES as f64).collect();
        Look {
            case,
            rtol,
            times,
            samples: Vec::new(),
            low: case.start.clone(),
            high: case.start.clone(),
            ledger: None,
            faults: Vec::new(),
            print: false,
        }
    }

    /// Keeps a fault, one of each kind.
    fn keep(&mut self, fault: Fault) {
        if self.faults.iter().all(|f| f.kind() != fault.kind()) {
            self.faults.push(fault);
        }
    }

    fn sample(&mut self, step: &Step<'_>) {
        while let Some(&t) = self.times.get(self.samples.len()).filter(|t| **t <= step.end()) {
            self.samples.push(step.at(t));
        }
        let y = step.at(step.end());
        for (k, y) in y.iter().enumerate() {
            self.low[k] = self.low[k].min(*y);
            self.high[k] = self.high[k].max(*y);
        }
        if y.iter().any(|y| !y.is_finite()) {
            self.keep(Fault::NotFinite { t: step.end() });
        }
    }

    fn check(&mut self, system: &Coupled<Machine>, step: &Step<'_>) {
        let h = step.end() - step.start();
        if h <= 0.0 {
            return;
        }
        for k in 0..=LOOKS {
            let t = step.start() + h * k as f64 / LOOKS as f64;
            let y = step.at(t);
            let force = system.forces(step.mode, t, &y);
            for i in 0..system.contacts() {
                self.check_force(system, step, i, t, &y, force[i]);
            }
        }
    }

    fn check_force(
        &mut self,
        system: &Coupled<Machine>,
        step: &Step<'_>,
        i: usize,
        t: f64,
        y: &[f64],
        force: f64,
    ) {
        if system.mechanism.contacts()[i].role != Role::Friction {
            return;
        }
        let contact = &step.mode.contacts[i];
        let (at, _) = system.contact(step.mode, i, t, y);
        if t == step.end() {
            self.check_tooth(i, t, &at);
        }
        let Some(limits) = system.friction(i).limits(&at) else { return };
        let [low, high] = limits;
        let most = static_limit(&self.case.friction[i], at.load.max(LEAST_LOAD));
        let still = AT_REST + 1e2 * self.rtol * (self.fastest(&system.mechanism) + 1e-3);
        if contact.element.way == 0.0 {
            if contact.carried {
                return;
            }
            let outside = (low - force).max(force - high);
            let spare = ROUNDING * (low.abs() + high.abs() + force.abs() + most);
            if outside > spare && outside > spare + self.unseen(system, step, i, t, y) {
                self.keep(Fault::Limits { t, contact: i, force, limits });
            }
            let belt =
                !matches!(self.case.kind, "mass" | "spring_drag" | "brakes" | "gear" | "incline");
            if at.v.abs() > if belt { still } else { AT_REST } {
                self.keep(Fault::Creep { t, contact: i, v: at.v });
            }
            return;
        }
        let way = contact.element.way;
        if way * at.v < -still {
            self.keep(Fault::Way { t, contact: i, way, v: at.v });
        }
        // A bristle that was just reached may lean the wrong way by rounding.
        let wrong = still * (low.abs() + high.abs() + force.abs()) + 1e-9 * most * at.v.abs();
        if force * at.v < -wrong {
            self.keep(Fault::Power { t, contact: i, force, v: at.v });
        }
        if let AnyBristle::Sawtooth(m) = &self.case.friction[i]
            && force.abs() > m.f_max * (1.0 + 1e-9)
        {
            self.keep(Fault::Limits { t, contact: i, force, limits: [-m.f_max, m.f_max] });
        }
    }

    /// By how much the force of a stuck contact and its limits change within what the solver does not tell
    /// from zero: a thousandth of the absolute tolerances, and the resolution of time.
    fn unseen(
        &self,
        system: &Coupled<Machine>,
        step: &Step<'_>,
        i: usize,
        t: f64,
        y: &[f64],
    ) -> f64 {
        let spares = |t: f64, y: &[f64]| {
            let force = system.forces(step.mode, t, y)[i];
            let at = system.contact(step.mode, i, t, y).0;
            let [low, high] = system.friction(i).limits(&at).unwrap_or_default();
            [high - force, force - low]
        };
        let (here, close) = (spares(t, y), 32.0 * f64::EPSILON * t.max(step.end() - step.start()));
        let mut rates = vec![0.0; y.len()];
        system.flow(step.mode, t, y, &mut rates);
        let ahead: Vec<f64> = y.iter().zip(&rates).map(|(y, rate)| y + close * rate).collect();
        let atol = system.tolerances(self.rtol);
        let mut change = 0.0;
        for way in [-1.0, 1.0] {
            for k in 0..y.len() {
                let mut aside = y.to_vec();
                aside[k] += way * 1e-3 * atol[k];
                let there = spares(t, &aside);
                change += (there[0] - here[0]).abs().max((there[1] - here[1]).abs());
            }
        }
        let there = spares(t + close, &ahead);
        2.0 * (change + (there[0] - here[0]).abs().max((there[1] - here[1]).abs()))
    }

    /// The greatest speed of a body so far, m/s.
    fn fastest(&self, machine: &Machine) -> f64 {
        let quantities = machine.quantities().iter().enumerate();
        let speeds = quantities.filter(|(_, q)| q.kind == Kind::Velocity);
        speeds.map(|(k, _)| self.high[k].max(-self.low[k])).fold(0.0, f64::max)
    }

    /// Each index of the mode is one that a body set down here could have, but for what tolerances move it.
    fn check_tooth(&mut self, i: usize, t: f64, at: &Drive<f64>) {
        let model = &self.case.friction[i];
        let (own, pitch) = match model {
            AnyBristle::Sawtooth(m) => (2, m.delta),
            AnyBristle::Ffbm(m) => (1, m.delta),
            AnyBristle::Rotating(m) => (4, m.delta),
            AnyBristle::RotatingDiscontinuous(m) => (4, m.delta),
            _ => return,
        };
        let slack = 1e-9 * pitch + 1e2 * self.rtol * (at.x.abs() + 1e-3);
        if slack > 0.1 * pitch {
            return;
        }
        let set_down = |way: f64| {
            let z = vec![0.0; model.states()];
            model.begin(&Drive { x: at.x + way * slack, v: way, ..*at }, &z).index
        };
        let (back, ahead) = (set_down(-1.0), set_down(1.0));
        for index in 0..own {
            let (is, range) = (at.mode.index[index], [back[index], ahead[index]]);
            if is < range[0].min(range[1]) || is > range[0].max(range[1]) {
                self.keep(Fault::Tooth { t, contact: i, index, is, range });
            }
        }
    }
}

impl Watch<Machine> for Look<'_> {
    fn step(&mut self, system: &Coupled<Machine>, step: &Step<'_>) -> ControlFlow<()> {
        if self.print {
            let modes: Vec<String> =
                step.mode.contacts.iter().map(|c| format!("{:?}", c.element)).collect();
            let fired: Vec<usize> = (0..step.fired.len()).filter(|k| step.fired[*k]).collect();
            println!(
                "{:.17e} + {:.3e} fired {fired:?} y {:?} phase {:?} {}",
                step.start(),
                step.end() - step.start(),
                step.at(step.end()),
                step.mode.phase,
                modes.join(" ")
            );
        }
        self.sample(step);
        if let Some(mut ledger) = self.ledger.take() {
            self.check(system, step);
            ledger.enter(system, step.mode, step.dense);
            self.ledger = Some(ledger);
        }
        ControlFlow::Continue(())
    }
}

/// Runs from `t` and `y` to `end`.
fn travel(
    system: &Coupled<Machine>,
    (t, y): (f64, &[f64]),
    end: f64,
    look: &mut Look<'_>,
    most_steps: usize,
) -> (Result<(), Failure>, Statistics) {
    let rtol = look.rtol;
    let options: Options<Heap> = Options::new(rtol, &system.tolerances(rtol));
    let options = Options { max_steps: most_steps, ..options };
    if look.print {
        println!("at {rtol:e}:");
    }
    let mode = system.begin(t, y);
    if look.ledger.is_some() {
        look.ledger = Some(Ledger::new(system, &mode, t, y, rtol));
    }
    let mut solver = Solver::new(system, Radau::new(system), t, y, mode, options);
    let result = bristle_system::run(system, &mut solver, end, look).map(|_| ());
    (result, *solver.statistics())
}

/// Judges a case, by small steps too if `compare`.
pub fn judge(case: &Case, compare: bool, print: bool) -> Judgement {
    let caught = std::panic::catch_unwind(|| judge_run(case, compare, print));
    caught.unwrap_or_else(|payload| {
        let text = payload.downcast_ref::<String>().cloned();
        let text = text.or_else(|| payload.downcast_ref::<&str>().map(|s| (*s).to_owned()));
        let fault = Fault::Panicked(text.unwrap_or_default());
        Judgement {
            verdict: Verdict::Wrong(vec![fault]),
            statistics: Statistics::default(),
            end: 0.0,
            compared: false,
        }
    })
}

fn judge_run(case: &Case, compare: bool, print: bool) -> Judgement {
    let system = case.system();
    let start = (0.0, case.start.as_slice());
    let mode = system.begin(0.0, &case.start);
    let ledger = || Some(Ledger::new(&system, &mode, 0.0, &case.start, TOLERANCE));
    let mut end = case.end;
    let mut look = Look { ledger: ledger(), print, ..Look::new(case, TOLERANCE, end) };
    let (mut result, mut statistics) = travel(&system, start, end, &mut look, MOST_STEPS);
    if let Err(Failure { t, why: Why::TooManySteps { .. }, .. }) = result
        && t > 1e-3 * end
    {
        // A long run: judged up to here.
        end = 0.9 * t;
        look = Look { ledger: ledger(), ..Look::new(case, TOLERANCE, end) };
        (result, statistics) = travel(&system, start, end, &mut look, MOST_STEPS);
    }
    let mut faults = std::mem::take(&mut look.faults);
    let judgement =
        |verdict: Verdict, compared: bool| Judgement { verdict, statistics, end, compared };
    if let Err(failure) = result {
        if let Some(reason) = excuse(case, &failure) {
            return judgement(Verdict::Excused(reason), false);
        }
        faults.push(Fault::Failed(failure));
        return judgement(Verdict::Wrong(faults), false);
    }
    if let Some(imbalance) = look.ledger.as_ref().and_then(Ledger::imbalance) {
        faults.push(Fault::Ledger(imbalance.to_string()));
    }
    let sizes = sizes(&system, &look);
    let mut tight = Look { print, ..Look::new(case, TIGHT, end) };
    let (result, _) = travel(&system, start, end, &mut tight, 50 * MOST_STEPS);
    let mut ill = false;
    match result {
        Err(failure) => faults.push(Fault::Failed(failure)),
        Ok(()) => {
            let (t, state, off) = difference(&look, &tight.samples, &sizes);
            if off > AGREEMENT {
                ill = is_ill_conditioned(case, &system, &look, &sizes, end)
                    || converges(case, &system, &tight, &sizes, off, end);
                if !ill {
                    faults.push(Fault::Tolerance { t, state, off });
                }
            }
        }
    }
    let mut compared = false;
    if compare && !ill && faults.is_empty() {
        match against_reference(case, &tight, &sizes, end) {
            Comparison::Agrees => compared = true,
            Comparison::Unresolved => {}
            Comparison::Differs(fault) => {
                if is_ill_conditioned(case, &system, &look, &sizes, end) {
                    ill = true;
                } else {
                    faults.push(fault);
                }
            }
        }
    }
    let verdict = match (faults.is_empty(), ill) {
        (false, _) => Verdict::Wrong(faults),
        (true, true) => Verdict::IllConditioned,
        (true, false) => Verdict::Right,
    };
    judgement(verdict, compared)
}

/// Why a failure is right.
fn excuse(case: &Case, failure: &Failure) -> Option<&'static str> {
    let literal = case
        .friction
        .iter()
        .any(|m| matches!(m, AnyBristle::Rotating(m) if m.rule != Rule::Consistent));
    let chatters = matches!(failure.why, Why::Chattering { .. });
    (literal && chatters).then_some("Table 1 taken literally turns bristles at every reversal")
}

/// What differences of each state are held against: its range, or a small value if it hardly moves.
fn sizes(system: &Coupled<Machine>, look: &Look<'_>) -> Vec<f64> {
    let small = system.small_values();
    let range = look.high.iter().zip(&look.low).map(|(high, low)| high - low);
    range.zip(small).map(|(range, small)| range.max(small)).collect()
}

/// Where a run and other samples differ most, and by which part of the size of the state.
fn difference(look: &Look<'_>, other: &[Vec<f64>], sizes: &[f64]) -> (f64, usize, f64) {
    let mut worst = (0.0, 0, 0.0);
    for ((t, a), b) in look.times.iter().zip(&look.samples).zip(other) {
        for (k, size) in sizes.iter().enumerate() {
            let off = (a[k] - b[k]).abs() / size;
            if off > worst.2 || off.is_nan() {
                worst = (*t, k, off);
            }
        }
    }
    worst
}

/// Whether a slight change of the start, or of the state on the way, changes the run a thousand times as much. A start
/// that is forgotten says nothing of what comes later: sliding that loses its stability as it slows down leaves it when
/// the least deviation at that time has grown.
fn is_ill_conditioned(
    case: &Case,
    system: &Coupled<Machine>,
    look: &Look<'_>,
    sizes: &[f64],
    end: f64,
) -> bool {
    let mut rng = Rng::new(0, case.number);
    (0..6).any(|k| {
        let mut y = case.start.clone();
        let mut t = 0.0;
        if k == 0 {
            t = NUDGE * end;
        } else {
            for (y, size) in y.iter_mut().zip(sizes) {
                *y += rng.sign() * NUDGE * size.max(y.abs());
            }
        }
        let mut nudged = Look::new(case, TOLERANCE, end);
        let (result, _) = travel(system, (t, &y), end, &mut nudged, 4 * MOST_STEPS);
        result.is_ok() && difference(look, &nudged.samples, sizes).2 > GROWTH * NUDGE
    }) || (0..2).any(|_| {
        let mut nudged = Look::new(case, TOLERANCE, end);
        let result = travel_nudged(case, system, sizes, end, &mut nudged, &mut rng);
        result.is_ok() && difference(look, &nudged.samples, sizes).2 > GROWTH * NUDGE
    })
}

/// Runs to `end` with a slight change of the state at equal distances in time.
fn travel_nudged(
    case: &Case,
    system: &Coupled<Machine>,
    sizes: &[f64],
    end: f64,
    look: &mut Look<'_>,
    rng: &mut Rng,
) -> Result<(), Failure> {
    /// So often: their sum is still far from what an ill-conditioned run makes of them.
    const NUDGES: u32 = 200;
    let options: Options<Heap> = Options::new(look.rtol, &system.tolerances(look.rtol));
    let options = Options { max_steps: 8 * MOST_STEPS, ..options };
    let start = (system.begin(0.0, &case.start), case.start.as_slice());
    let mut solver = Solver::new(system, Radau::new(system), 0.0, start.1, start.0, options);
    for k in 1..=NUDGES {
        let until = end * f64::from(k) / f64::from(NUDGES);
        let _ = bristle_system::run(system, &mut solver, until, look)?;
        let nudged = |(y, size): (&f64, &f64)| y + rng.sign() * NUDGE * size.max(y.abs());
        let y: Vec<f64> = solver.y().iter().zip(sizes).map(nudged).collect();
        solver.restart(system, &y, solver.mode().clone());
    }
    Ok(())
}

/// Whether runs that differ by `off` do so because errors grow where a contact leaves its stick, which no
/// change of the start shows: at tighter tolerances they differ far less.
fn converges(
    case: &Case,
    system: &Coupled<Machine>,
    tight: &Look<'_>,
    sizes: &[f64],
    off: f64,
    end: f64,
) -> bool {
    /// No more than this part of the range of a state is an error that grew.
    const GROWN: f64 = 1e-3;
    let mut tightest = Look::new(case, 1e-2 * TIGHT, end);
    let (result, _) = travel(system, (0.0, &case.start), end, &mut tightest, 200 * MOST_STEPS);
    off < GROWN && result.is_ok() && difference(tight, &tightest.samples, sizes).2 < 0.1 * off
}

enum Comparison {
    Agrees,
    /// Small steps differ among themselves.
    Unresolved,
    Differs(Fault),
}

/// Holds a run against small steps, and these against each other.
fn against_reference(case: &Case, look: &Look<'_>, sizes: &[f64], end: f64) -> Comparison {
    /// Steps of the coarsest of the runs by small steps.
    const COARSE: usize = 10_000;
    /// So many times as much as they differ among themselves the run may differ from them, beside this
    /// part of the size of the state.
    const SPREAD: f64 = 6.0;
    const LEAST: f64 = 1e-4;
    /// They resolve nothing, if they differ by more than this.
    const MOST: f64 = 0.03;
    let case = Case { end, ..case.clone() };
    let mut last = Comparison::Unresolved;
    let mut before = f64::INFINITY;
    for refined in [1, 4, 16, 64, 256] {
        // Only a run that smaller steps would find wrong is worth the smallest.
        if refined > 16 && !matches!(last, Comparison::Differs(_)) {
            break;
        }
        let coarse = reference::states(&case, &look.times, refined * COARSE);
        let fine = reference::states(&case, &look.times, 2 * refined * COARSE);
        let (Some(coarse), Some(fine)) = (coarse, fine) else {
            // What is lost by smaller steps was not resolved by larger ones either.
            (last, before) = (Comparison::Unresolved, f64::INFINITY);
            continue;
        };
        let among = |k: usize| {
            let apart = coarse.iter().zip(&fine).map(|(a, b)| (a[k] - b[k]).abs());
            apart.fold(0.0, f64::max) / sizes[k]
        };
        let own: Vec<f64> = (0..sizes.len()).map(among).collect();
        let resolved = own.iter().all(|own| *own <= MOST);
        let (t, state, off) = difference(look, &fine, sizes);
        let agrees = |k: usize| {
            let apart = look.samples.iter().zip(&fine).map(|(a, b)| (a[k] - b[k]).abs());
            apart.fold(0.0, f64::max) / sizes[k] <= SPREAD * own[k] + LEAST
        };
        if resolved && (0..sizes.len()).all(agrees) {
            return Comparison::Agrees;
        }
        // What comes nearer with smaller steps has not arrived yet.
        let stays = resolved && off > 0.5 * before;
        let fault = Fault::Reference { t, state, off, own: own[state] };
        last = if stays { Comparison::Differs(fault) } else { Comparison::Unresolved };
        before = off;
    }
    last
}
