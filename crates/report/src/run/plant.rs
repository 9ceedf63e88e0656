//! What `bristle run` runs: a mechanism of the catalogue, or a machine of parts.
use crate::parameters;
use bristle_kernel::Drive;
use bristle_machine::Machine;
use bristle_scenario::table::Problems;
use bristle_scenario::{
    Files, OnImbalance, Panel, Run, Scenario, Setting, Stopped, machine, simulate,
};
use bristle_simulation as simulation;
use bristle_system::{Coupled, Mechanism};
use serde_json::{Value, json};
use std::ops::ControlFlow;

/// A file that is run.
#[allow(clippy::large_enum_variant)]
pub enum Plant {
    /// A mechanism.
    System(Scenario),
    /// A machine.
    Machine(machine::Scenario),
}

impl Plant {
    /// Reads a file's text. `settings` are put over it; logs stand in `files`.
    pub fn read<'f>(
        text: &str,
        settings: &[Setting],
        files: impl Into<Files<'f>>,
    ) -> Result<Self, Problems> {
        match machine::Scenario::is_one(text) {
            true => machine::Scenario::read(text, settings, files).map(Plant::Machine),
            false => Scenario::read(text, settings).map(Plant::System),
        }
    }

    /// What it is called.
    pub fn title(&self) -> &str {
        match self {
            Plant::System(scenario) => &scenario.title,
            Plant::Machine(scenario) => &scenario.title,
        }
    }

    /// How it is run.
    pub fn how(&self) -> &Run<f64> {
        match self {
            Plant::System(scenario) => &scenario.run,
            Plant::Machine(scenario) => &scenario.run,
        }
    }

    pub(crate) fn panels(&self) -> &[Panel] {
        match self {
            Plant::System(scenario) => &scenario.panels,
            Plant::Machine(scenario) => &scenario.panels,
        }
    }

    /// What its file says and has no meaning with what was set over it.
    pub fn left_out(&self) -> &[String] {
        match self {
            Plant::System(scenario) => &scenario.left_out,
            Plant::Machine(scenario) => &scenario.left_out,
        }
    }

    /// What it is, in a line.
    pub(crate) fn heading(&self) -> String {
        match self {
            Plant::System(Scenario { mechanism, friction, .. }) => {
                format!("{} with {}", mechanism.info().name, friction.info().name)
            }
            Plant::Machine(scenario) => {
                let layout = scenario.machine().layout();
                let contacts = scenario.system.contacts();
                let parts = layout.elements.len() + layout.links.len();
                format!("machine of {parts} parts, {contacts} of them contacts")
            }
        }
    }

    /// What it is, for programs.
    pub(crate) fn description(&self) -> Value {
        let element =
            |name: &str, parameters: Value| json!({ "model": name, "parameters": parameters });
        match self {
            Plant::System(scenario) => {
                let Scenario { mechanism, friction, observer, .. } = scenario;
                let mut all = json!({
                    "system": element(mechanism.info().name, parameters(mechanism)),
                    "friction": element(friction.info().name, parameters(friction)),
                });
                if let Some(observer) = observer {
                    all["observer"] = element(observer.info().name, parameters(observer));
                }
                all
            }
            Plant::Machine(scenario) => json!({ "machine": scenario.table }),
        }
    }

    /// Runs it; `go_on` is told the time after every step and may stop it.
    pub fn simulate(
        &self,
        on_imbalance: OnImbalance,
        go_on: &mut dyn FnMut(f64) -> ControlFlow<()>,
    ) -> Result<simulation::Run, Stopped> {
        match self {
            Plant::System(scenario) => simulate(scenario, on_imbalance, go_on),
            Plant::Machine(scenario) => scenario.simulate(on_imbalance, go_on),
        }
    }

    /// The same with its events and its energy over time.
    pub fn simulate_with_events(
        &self,
        on_imbalance: OnImbalance,
        go_on: &mut dyn FnMut(f64) -> ControlFlow<()>,
    ) -> Result<simulation::Run, Stopped> {
        match self {
            Plant::System(scenario) => scenario.simulate_with_events(on_imbalance, go_on),
            Plant::Machine(scenario) => scenario.simulate_with_events(on_imbalance, go_on),
        }
    }

    /// The force of steady sliding at velocities, under the load at the beginning, of the contact whose velocity is in
    /// that column.
    pub(crate) fn law(&self, column: &str, v: &[f64]) -> Vec<f64> {
        match self {
            Plant::System(scenario) => {
                scenario.system().map_or(Vec::new(), |(system, y)| steady(&system, &y, column, v))
            }
            Plant::Machine(scenario) => {
                steady(&scenario.system, &scenario.system.initial(), column, v)
            }
        }
    }

    /// What was measured, to be drawn beside it.
    pub(crate) fn measured(&self) -> &[machine::Measured] {
        match self {
            Plant::System(_) => &[],
            Plant::Machine(scenario) => &scenario.measured,
        }
    }

    /// The machine, if it is one.
    pub fn machine(&self) -> Option<&Machine> {
        match self {
            Plant::System(_) => None,
            Plant::Machine(scenario) => Some(scenario.machine()),
        }
    }
}

fn steady<M: Mechanism>(system: &Coupled<M>, y: &[f64], column: &str, v: &[f64]) -> Vec<f64> {
    let own = |name: &str| column == format!("v_rel_{name}");
    let i = system.mechanism.contacts().iter().position(|c| own(c.name)).unwrap_or(0);
    let load = system.contact(&system.begin(0.0, y), i, 0.0, y).0.load;
    let model = system.friction(i);
    let mut z = vec![0.0; model.states()];
    v.iter().map(|v| model.steady(&Drive::new(*v, load), &mut z)).collect()
}
