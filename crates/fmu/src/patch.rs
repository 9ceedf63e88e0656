//! A rolling contact patch as a unit: slips, speed and load in, forces out.
use crate::block::{Block, Description, Event, Fault, Given, Role, Saved, Variable, sound};
use bristle_contact::patch::{Rolling, Steady};
use bristle_kernel::{Field, Group, Kind, Params};
use bristle_scenario::patch::Scenario;

/// Slips, spins, speed and load, in the order of inputs.
const INPUTS: [&str; 6] = ["sigma_x", "sigma_y", "phi1", "phi2", "v_r", "load"];
/// The place of the load among them.
const LOAD: usize = 5;
/// Name, unit and meaning of each output.
const OUTPUTS: [(&str, &str, &str); 4] = [
    ("F_x", "N", "longitudinal force"),
    ("F_y", "N", "lateral force"),
    ("M_z", "N*m", "moment about the vertical, undeformed"),
    ("M_z_deformed", "N*m", "moment about the vertical, deformed"),
];

/// A patch in steady rolling at every instant.
pub struct PatchBlock {
    contact: Steady,
    rolling: Rolling<f64>,
    /// The load that forces are found under; they are proportional to it.
    load: f64,
    t: f64,
    inputs: Vec<f64>,
    /// The outputs at these inputs, once they are known.
    known: Option<(Vec<f64>, [f64; 4])>,
}

impl PatchBlock {
    /// The patch and what it is.
    pub fn new(scenario: &Scenario) -> Result<(Self, Description), Fault> {
        let contact = scenario.steady()?;
        let (mut patch, mut rolling) = (scenario.patch, scenario.rolling);
        let mut variables = Vec::new();
        let mut enter = |params: &mut dyn Params<f64>| {
            params.visit(Group::default(), &mut |visit| {
                let place = INPUTS.iter().position(|name| *name == visit.param.name);
                if let (Some(k), Field::Number(x), Kind::Number { range, .. }) =
                    (place, &visit.field, &visit.param.kind)
                {
                    variables.push((
                        k,
                        Variable {
                            meaning: visit.param.meaning.to_owned(),
                            start: Some(**x),
                            range: Some(*range),
                            ..Variable::new(visit.param.name, visit.unit, Role::Input(k))
                        },
                    ));
                }
            });
        };
        enter(&mut rolling);
        enter(&mut patch);
        variables.sort_by_key(|(k, _)| *k);
        let mut variables: Vec<Variable> = variables.into_iter().map(|(_, v)| v).collect();
        let inputs: Vec<f64> = variables.iter().filter_map(|v| v.start).collect();
        let all: Vec<Role> = (0..INPUTS.len()).map(Role::Input).collect();
        for (k, (name, unit, meaning)) in OUTPUTS.iter().enumerate() {
            variables.push(Variable {
                meaning: (*meaning).to_owned(),
                depends: Some(all.clone()),
                ..Variable::new(*name, *unit, Role::Output(k))
            });
        }
        let title = match scenario.title.as_str() {
            "" => "contact patch in steady rolling",
            title => title,
        };
        let description = Description {
            name: "patch".to_owned(),
            title: title.to_owned(),
            variables,
            inputs: INPUTS.len(),
            outputs: OUTPUTS.len(),
            exchanges: true,
            end: 1.0,
            step: 1e-2,
            tolerance: scenario.run.accuracy,
            ..Description::default()
        };
        let load = scenario.patch.load;
        let block =
            PatchBlock { contact, rolling: scenario.rolling, load, t: 0.0, inputs, known: None };
        Ok((block, description))
    }

    fn rolling(&self) -> Rolling<f64> {
        let [sigma_x, sigma_y, phi1, phi2, v_r] = std::array::from_fn(|k| self.inputs[k]);
        Rolling { sigma_x, sigma_y, phi1, phi2, v_r, ..self.rolling }
    }

    /// By how much forces are larger than under the patch's own load.
    fn factor(&self) -> Result<f64, Fault> {
        match self.inputs[LOAD] {
            load if load >= 0.0 && load.is_finite() && self.load > 0.0 => Ok(load / self.load),
            load => Err(Fault(format!("load = {load} N is outside [0, inf) (vertical force F_z)"))),
        }
    }
}

impl Block for PatchBlock {
    fn begin(&mut self, t: f64, given: &Given) -> Result<(), Fault> {
        self.t = t;
        self.set_inputs(&given.inputs, &given.slopes);
        Ok(())
    }
    fn time(&self) -> f64 {
        self.t
    }
    fn set_time(&mut self, t: f64) {
        self.t = t;
    }
    fn set_inputs(&mut self, inputs: &[f64], _slopes: &[f64]) {
        self.inputs.copy_from_slice(inputs);
    }
    fn states(&self) -> &[f64] {
        &[]
    }
    fn set_states(&mut self, _y: &[f64]) {}
    fn rates(&mut self, _out: &mut [f64]) -> Result<(), Fault> {
        Ok(())
    }

    fn outputs(&mut self, out: &mut [f64]) -> Result<(), Fault> {
        if let Some((inputs, known)) = &self.known
            && *inputs == self.inputs
        {
            out.copy_from_slice(known);
            return Ok(());
        }
        let factor = self.factor()?;
        let rolling = self.rolling();
        let wrench = self.contact.solve(&rolling)?.wrench().map(|w| w * factor);
        sound("an output", &wrench)?;
        self.known = Some((self.inputs.clone(), wrench));
        out.copy_from_slice(&wrench);
        Ok(())
    }

    fn indicators(&mut self, _out: &mut [f64]) -> Result<(), Fault> {
        Ok(())
    }
    fn event(&mut self) -> Result<Event, Fault> {
        Ok(Event { jumped: false, next: f64::INFINITY })
    }

    fn slopes(
        &mut self,
        _known: Role,
        _rates: &mut [f64],
        _outputs: &mut [f64],
    ) -> Result<(), Fault> {
        Err(Fault::from("the moment of the deformed patch has no derivative here"))
    }

    fn step(&mut self, h: f64, _stop: &mut dyn FnMut(f64) -> bool) -> Result<f64, Fault> {
        self.t += h;
        Ok(self.t)
    }

    fn save(&self) -> Vec<f64> {
        vec![self.t]
    }
    fn restore(&mut self, saved: &[f64]) -> Result<(), Fault> {
        self.t = Saved(saved).one()?;
        Ok(())
    }
}
