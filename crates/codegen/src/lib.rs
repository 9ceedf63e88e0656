//! The step of a friction model as C source, for machines that no Rust compiler reaches.
//!
//! Kernels are generic over their scalar and choose by `select`. Run in the scalar [`Traced`], which writes down what is done to
//! it, a step gives its own formula; with the parameters as constants, what they decide is decided here. The C is one function
//! without loops, memory of its own or other files than `math.h`.
//!
//! ```
//! use bristle_codegen::step;
//! use bristle_kernel::{Start, bristle::Frbd, law::Stribeck};
//!
//! let frbd: Frbd<f64, Stribeck<f64>> = Frbd::start(Stribeck::start(()));
//! let source = step(&frbd, "frbd_step")?;
//! assert!(source.contains("double frbd_step(double *z, double v, double load, double h)"));
//! # Ok::<(), bristle_codegen::Refused>(())
//! ```
#![forbid(unsafe_code)]

mod traced;

pub use traced::Traced;

use bristle_kernel::{Bristle, Cast, Drive, Update};
use std::fmt;
use traced::{Node, Tape};

/// A step of more operations than this is no formula: it comes from a search that ends by what it finds.
const MOST_OPERATIONS: usize = 2000;

/// Why there is no source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The model has no step that is linear in its state.
    NoStep,
    /// Its step is a search, not a formula.
    Search,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refused::NoStep => "the model has no step at a frozen velocity",
            Refused::Search => {
                "the model's step searches a root, which no formula does: take frbd or lugre"
            }
        })
    }
}

impl std::error::Error for Refused {}

/// A C function of that name that takes one midpoint step of the model at a frozen velocity and gives the force.
pub fn step<M>(model: &M, name: &str) -> Result<String, Refused>
where
    M: Bristle<f64> + Cast<f64>,
    M::Over<Traced>: Bristle<Traced>,
{
    let tape = Tape::begin();
    let model = model.cast(&mut Traced::from);
    let n = model.states();
    let mut z: Vec<Traced> = (0..n).map(|k| Traced::input(format!("z[{k}]"))).collect();
    let [v, load, h] = ["v", "load", "h"].map(|name| Traced::input(name.to_owned()));
    let at = Drive::new(v, load);
    let force = model.step(Update::Midpoint, &at, h, &mut z).ok_or(Refused::NoStep)?;
    let nodes = tape.end();
    let roots: Vec<usize> = z.iter().chain([&force]).map(|x| x.place()).collect();
    let mut used = vec![false; nodes.len()];
    roots.iter().for_each(|root| used[*root] = true);
    for k in (0..nodes.len()).rev() {
        if used[k] {
            nodes[k].operands(&mut |of| used[of] = true);
        }
    }
    let operations = used.iter().zip(&nodes).filter(|(used, node)| **used && node.is_operation());
    if operations.count() > MOST_OPERATIONS {
        return Err(Refused::Search);
    }
    let mut body = String::new();
    for (k, node) in nodes.iter().enumerate().filter(|(k, node)| used[*k] && node.is_operation()) {
        let kind = if node.is_truth() { "int" } else { "double" };
        body += &format!("  const {kind} t{k} = {};\n", node.text(&nodes));
    }
    let value = |x: &Traced| Node::name(&nodes, x.place());
    for (k, x) in z.iter().enumerate() {
        body += &format!("  z[{k}] = {};\n", value(x));
    }
    Ok(format!(
        "// Made by Bristle {}: one step of h seconds at the velocity v, m/s, under the normal load, N; z has {n} numbers, 0 at first.\n\
         // Gives the friction force, N, positive for positive sliding. Licence: MIT OR Apache-2.0.\n\
         #include <math.h>\n\ndouble {name}(double *z, double v, double load, double h) {{\n{body}  return {};\n}}\n",
        env!("CARGO_PKG_VERSION"),
        value(&force)
    ))
}
