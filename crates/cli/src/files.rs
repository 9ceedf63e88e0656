//! Results go to files all at once or not at all.
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Files that are being written, each under another name than its own. Who ends the program early takes them away.
static PARTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn parts() -> MutexGuard<'static, Vec<PathBuf>> {
    PARTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes away what is half written, and lets nothing more be written for as long as the guard lives.
pub fn abandon() -> MutexGuard<'static, Vec<PathBuf>> {
    let mut parts = parts();
    for part in parts.drain(..) {
        // It may not have been begun.
        let _ = fs::remove_file(part);
    }
    parts
}

/// The name that a file is written under before it has its own.
fn part(folder: &Path, name: &OsStr) -> PathBuf {
    folder.join(format!(".{}.{}.part", name.to_string_lossy(), std::process::id()))
}

fn cannot(path: &Path, error: &io::Error) -> String {
    format!("cannot write {}: {error}; choose another place with --out", path.display())
}

/// Whether files can be written into `folder` or, where there is none yet, into the one it will be made in. Nothing
/// of the trial stays.
pub fn check(folder: &Path) -> Result<(), String> {
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let above = here.ancestors().map(|a| if a.as_os_str().is_empty() { Path::new(".") } else { a });
    let Some(place) = above.into_iter().find(|a| a.symlink_metadata().is_ok()) else {
        return Ok(());
    };
    let trial = part(place, OsStr::new("trial"));
    let mut parts = parts();
    parts.push(trial.clone());
    let outcome = fs::write(&trial, []).map_err(|e| cannot(folder, &e));
    // There is none where the trial failed.
    let _ = fs::remove_file(&trial);
    parts.clear();
    outcome
}

/// Writes files, each with its name, into `folder`, which is made if need be. Each is written in full
/// under another name first and then renamed, so that an interruption leaves no half file.
pub fn write<N: AsRef<OsStr>>(
    folder: &Path,
    files: &[(N, Vec<u8>)],
) -> Result<Vec<PathBuf>, String> {
    fs::create_dir_all(folder).map_err(|e| cannot(folder, &e))?;
    let path = |name: &N| folder.join(name.as_ref());
    let written = files.iter().try_for_each(|(name, bytes)| {
        let part = part(folder, name.as_ref());
        // Held while a file is written, so that none is begun after `abandon`.
        let mut parts = parts();
        parts.push(part.clone());
        fs::write(&part, bytes).map_err(|e| cannot(&path(name), &e))
    });
    let mut parts = written.map(|()| parts()).inspect_err(|_| drop(abandon()))?;
    let renamed = files.iter().try_for_each(|(name, _)| {
        fs::rename(part(folder, name.as_ref()), path(name)).map_err(|e| cannot(&path(name), &e))
    });
    if renamed.is_ok() {
        parts.clear();
    }
    drop(parts);
    renamed.inspect_err(|_| drop(abandon()))?;
    Ok(files.iter().map(|(name, _)| path(name)).collect())
}
