//! Bristle from Python. Translates; decides nothing.
#![deny(unsafe_code)]

mod commands;
mod errors;
mod export;
mod fit;
mod friction;
mod given;
mod mechanics;
mod patch;
mod report;
mod runs;
mod sweep;
mod work;

use pyo3::prelude::*;

/// What `bristle` is made of; the package `bristle` has what users call.
#[pymodule]
mod _bristle {
    use super::*;

    #[pymodule_export]
    use commands::{
        audit, check_line, check_patch, compare, cycle, explain, linearize, loops, map, names,
        parts, patch_cases, patch_steady, patch_surface, patch_transient, reproduce, roll_line,
        schema,
    };
    #[pymodule_export]
    use export::unit;
    #[pymodule_export]
    use fit::fit;
    #[pymodule_export]
    use friction::{Element, States};
    #[pymodule_export]
    use mechanics::simulate;
    #[pymodule_export]
    use patch::Contact;
    #[pymodule_export]
    use report::{Picture, Report};
    #[pymodule_export]
    use runs::{Recorded, Runs, run};
    #[pymodule_export]
    use sweep::{Kept, Sweep, read_sweep, same_sweep};

    /// How many threads computations use.
    #[pyfunction]
    fn threads() -> usize {
        work::threads()
    }

    /// From now on computations use so many threads, 0 for one for each core.
    #[pyfunction]
    fn use_threads(count: usize) {
        work::use_threads(count);
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
