use crate::scenario::{Method, Panel, Run, Scenario, index};
use crate::table::{Problem, Problems};
use bristle_kernel::Drive;
use bristle_simulation::{OnImbalance, Simulation, Spacing};
use bristle_system::{AnyMechanism, Coupled, Mechanism, Role};
use bristle_trace::Signals;
use std::fmt;
use std::ops::ControlFlow;

/// What a scenario runs.
pub type System = Coupled<AnyMechanism<f64>>;

/// Why a scenario gave nothing.
#[derive(Clone, Debug)]
pub enum Stopped {
    /// The scenario names what the system does not have.
    Input(Problems),
    /// Its run stopped.
    Run(bristle_simulation::Stopped),
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stopped::Input(problems) => problems.fmt(f),
            Stopped::Run(stopped) => stopped.fmt(f),
        }
    }
}

impl std::error::Error for Stopped {}

/// Runs a scenario, without keeping its events. `go_on` is called with the time after every step and may end the run.
pub fn simulate(
    scenario: &Scenario,
    on_imbalance: OnImbalance,
    go_on: &mut dyn FnMut(f64) -> ControlFlow<()>,
) -> Result<bristle_simulation::Run, Stopped> {
    let simulation = scenario.simulation().map_err(Stopped::Input)?;
    let simulation = simulation.on_imbalance(on_imbalance).keep_events(false);
    simulation.run_while(scenario.run.end, go_on).map_err(|stopped| scenario.located(stopped))
}

/// What a run calls its columns, and those of them that are states.
pub(crate) struct Names {
    pub columns: Vec<String>,
    pub states: Vec<String>,
}

impl Names {
    pub(crate) fn of(signals: &Signals) -> Self {
        let columns: Vec<String> = signals.columns.iter().map(|c| c.0.clone()).collect();
        let states = signals.states.iter().map(|c| columns[*c].clone()).collect();
        Names { columns, states }
    }
}

impl Scenario {
    /// What its run calls its columns.
    pub(crate) fn names(&self) -> Names {
        Names::of(&Signals::of(&Coupled::new(self.mechanism.clone(), self.friction.clone())))
    }

    /// What the scenario runs, and how.
    pub fn simulation(&self) -> Result<Simulation<AnyMechanism<f64>>, Problems> {
        let mut system = Coupled::new(self.mechanism.clone(), self.friction.clone());
        let mut problems = Vec::new();
        if let Some(observer) = &self.observer {
            let contacts = self.mechanism.contacts();
            match contacts.iter().position(|c| c.role == Role::Observer) {
                Some(i) => system = system.with(i, observer.clone()),
                None => problems.push(Problem::NoObserver),
            }
        }
        let contacts = self.mechanism.contacts();
        if let Some(i) = contacts.iter().position(|c| c.role == Role::Observer) {
            let at = Drive::new(0.0, 1.0);
            if system.friction(i).limits(&at).is_some() {
                let model = self.observer.as_ref().unwrap_or(&self.friction).info().name;
                problems.push(Problem::SetValuedObserver { model });
            }
        }
        let plan = Plan { initial: &self.initial, panels: &self.panels, run: &self.run };
        plan.simulation(system, problems).map_err(|problems| self.places.locate(problems))
    }

    /// Runs it and keeps its events and its energy over time. `go_on` is called with the time after every step and may end the run.
    pub fn simulate_with_events(
        &self,
        on_imbalance: OnImbalance,
        go_on: &mut dyn FnMut(f64) -> ControlFlow<()>,
    ) -> Result<bristle_simulation::Run, Stopped> {
        let simulation = self.simulation().map_err(Stopped::Input)?.on_imbalance(on_imbalance);
        let simulation = simulation.keep_books(true);
        simulation.run_while(self.run.end, go_on).map_err(|stopped| self.located(stopped))
    }

    /// The system with its friction, and its state at t = 0.
    pub fn system(&self) -> Result<(System, Vec<f64>), Problems> {
        let simulation = self.simulation()?;
        Ok((simulation.system().clone(), simulation.state().to_vec()))
    }

    /// Where in the file to look for why a run stopped, if it is there.
    fn located(&self, stopped: bristle_simulation::Stopped) -> Stopped {
        match stopped {
            bristle_simulation::Stopped::NoFixedStep => {
                let model = self.friction.info().name;
                Stopped::Input(self.places.locate(vec![Problem::NoFixedStep { model }]))
            }
            other => Stopped::Run(other),
        }
    }
}

/// What of a file says how a system is run and what is shown of it.
pub(crate) struct Plan<'a> {
    pub(crate) initial: &'a [(String, f64)],
    pub(crate) panels: &'a [Panel],
    pub(crate) run: &'a Run<f64>,
}

impl Plan<'_> {
    /// The system as it is run; `problems` are those found before.
    pub(crate) fn simulation<M: Mechanism>(
        &self,
        system: Coupled<M>,
        mut problems: Vec<Problem>,
    ) -> Result<Simulation<M>, Vec<Problem>> {
        let signals = Signals::of(&system);
        let Names { columns, states: names } = Names::of(&signals);
        for (name, _) in self.initial {
            index("initial", name, &names, &mut problems);
        }
        for panel in self.panels {
            let x =
                panel.x.as_ref().map(|x| (x, index("figure.panels", x, &columns, &mut problems)));
            for name in &panel.y {
                index("figure.panels", name, &columns, &mut problems);
            }
            if let Some((x, Some(k))) = x
                && panel.law
                && !signals.velocities.contains(&k)
            {
                problems.push(Problem::WrongKind {
                    key: "figure.panels".into(),
                    expected: "over a velocity where law = true, such as v_rel".into(),
                    found: format!("{{ x = \"{x}\", … }}"),
                });
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let Run { tolerance, max_steps, step, update, .. } = *self.run;
        let how = match self.run.method {
            Method::Radau => bristle_simulation::Method::Radau,
            Method::DormandPrince => bristle_simulation::Method::DormandPrince,
            Method::Fixed => bristle_simulation::Method::Fixed { step, update },
        };
        let spacing = match self.run.spacing {
            dt if dt > 0.0 => Spacing::Even(dt),
            _ => Spacing::Steps,
        };
        let simulation = Simulation::of(system).tolerance(tolerance).method(how);
        let simulation = simulation.max_steps(max_steps as usize).spacing(spacing);
        Ok(self.initial.iter().fold(simulation, |s, (name, value)| s.initial(name, *value)))
    }
}
