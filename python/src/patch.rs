//! A patch at many operating points.
use crate::errors::Refusal;
use crate::given::Asked;
use crate::work;
use bristle::contact::patch::Rolling;
use bristle::kernel::{Field, Group, Params};
use bristle::scenario::patch::Scenario;
use numpy::{PyArray1, PyReadonlyArray1, ToPyArray};
use pyo3::prelude::*;

/// A patch that is looked at again and again.
#[pyclass(frozen, module = "bristle._bristle")]
pub struct Contact {
    subject: String,
    scenario: Scenario,
}

/// Faults that are told at once.
const TOLD: usize = 20;

/// F_x, F_y, both M_z and the estimated error of each point.
type Wrenches<'py> = Vec<Bound<'py, PyArray1<f64>>>;

#[pymethods]
impl Contact {
    #[new]
    fn new(py: Python<'_>, asked: Asked<'_>) -> PyResult<Self> {
        let given = asked.read(py)?;
        let scenario = Scenario::read(&given.text, &given.settings)
            .map_err(|p| Refusal::from(p).raise(py, &given.subject))?;
        Ok(Contact { subject: given.subject, scenario })
    }

    /// Steady rolling at many points, whose slips and spins go by name; arrays of one length.
    fn solve<'py>(
        &self,
        py: Python<'py>,
        rolling: Vec<(String, PyReadonlyArray1<'py, f64>)>,
    ) -> PyResult<Wrenches<'py>> {
        let raise = |refusal: Refusal| refusal.raise(py, &self.subject);
        let count = rolling.first().map_or(0, |(_, all)| all.as_array().len());
        let mut points = vec![self.scenario.rolling; count];
        for (name, all) in &rolling {
            let all = all.as_array();
            for (point, value) in points.iter_mut().zip(all) {
                set(point, name, *value).map_err(raise)?;
            }
        }
        let scenario = self.scenario.clone();
        let found = work::run(py, &self.subject, None, move |_| {
            let contact = scenario.steady().map_err(|e| Refusal::lines(&e.to_string()))?;
            let (mut found, mut faults) = (Vec::with_capacity(points.len()), Vec::new());
            for (i, outcome) in contact.solve_all(&points).into_iter().enumerate() {
                match outcome {
                    Ok(outcome) => found.push(outcome),
                    Err(why) => faults.push(format!("point {i}: {why}")),
                }
            }
            match faults.is_empty() {
                true => Ok(found),
                false => {
                    let more = faults.len().saturating_sub(TOLD);
                    faults.truncate(TOLD);
                    if more > 0 {
                        faults.push(format!("and {more} more points"));
                    }
                    Err(Refusal::lines(&faults.join("\n")))
                }
            }
        })?;
        let columns = (0..5).map(|k| {
            let value = |o: &bristle::contact::patch::Outcome| match k {
                4 => o.error,
                k => o.wrench()[k],
            };
            found.iter().map(value).collect::<Vec<f64>>().to_pyarray(py)
        });
        Ok(columns.collect())
    }
}

/// Sets a number of a rolling motion by its name.
fn set(rolling: &mut Rolling<f64>, name: &str, value: f64) -> Result<(), Refusal> {
    let mut known = false;
    rolling.visit(Group::default(), &mut |visit| {
        if let Field::Number(x) = visit.field
            && visit.param.name == name
        {
            (*x, known) = (value, true);
        }
    });
    match known {
        true => Ok(()),
        false => Err(Refusal::of(name, format!("`rolling` has no number `{name}`"))),
    }
}
