//! The shared library that goes into units: where it is, and whether it is the right one.
use crate::block::Fault;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};

/// Stands in every library, with its version.
#[used]
static MARK: &str = concat!("bristle units, version ", env!("CARGO_PKG_VERSION"));

/// What the file is called.
pub fn name() -> String {
    format!("{DLL_PREFIX}bristle_fmu{DLL_SUFFIX}")
}

/// The bytes of the library: at `given`, or else beside the program, in a folder `lib` beside that of the program, or where
/// cargo built this.
pub fn read(given: Option<&Path>) -> Result<Vec<u8>, Fault> {
    let name = name();
    let places: Vec<PathBuf> = match given {
        Some(given) => vec![given.to_owned()],
        None => {
            let program = std::env::current_exe().ok().and_then(|exe| exe.canonicalize().ok());
            let folder = program.as_deref().and_then(Path::parent);
            let beside = folder
                .into_iter()
                .flat_map(|folder| [folder.to_owned(), folder.join("deps"), folder.join("../lib")]);
            let built = Path::new(env!("BRISTLE_BUILT_IN"));
            beside.chain([built.to_owned(), built.join("deps")]).map(|at| at.join(&name)).collect()
        }
    };
    let mut other = None;
    for place in &places {
        let Ok(bytes) = std::fs::read(place) else { continue };
        if bytes.windows(MARK.len()).any(|window| window == MARK.as_bytes()) {
            return Ok(bytes);
        }
        other.get_or_insert(place);
    }
    let what = match (other, given) {
        (Some(place), _) => {
            format!("{} is no library of version {}", place.display(), env!("CARGO_PKG_VERSION"))
        }
        (None, Some(given)) => format!("{} cannot be read", given.display()),
        (None, None) => format!("{name} is not where it was built, nor beside the program"),
    };
    Err(Fault(format!(
        "{what}: make it with `cargo build --release -p bristle-fmu` and give it with --library target/release/{name}"
    )))
}
