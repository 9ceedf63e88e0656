//! Results go to files all at once or not at all.
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Writes files, each with its name, into `folder`, which is made if need be. Each is written in full
/// under another name first and then renamed, so that an interruption leaves no half file.
pub fn write<N: AsRef<str>>(folder: &Path, files: &[(N, Vec<u8>)]) -> Result<Vec<PathBuf>, String> {
    let cannot = |path: &Path, error: io::Error| {
        format!("cannot write {}: {error}; choose another folder with --out", path.display())
    };
    fs::create_dir_all(folder).map_err(|e| cannot(folder, e))?;
    let part = |name: &str| folder.join(format!(".{name}.{}.part", std::process::id()));
    let outcome = files.iter().try_for_each(|(name, bytes)| {
        fs::write(part(name.as_ref()), bytes).map_err(|e| cannot(&folder.join(name.as_ref()), e))
    });
    let outcome = outcome.and_then(|()| {
        files.iter().try_for_each(|(name, _)| {
            let path = folder.join(name.as_ref());
            fs::rename(part(name.as_ref()), &path).map_err(|e| cannot(&path, e))
        })
    });
    if outcome.is_err() {
        for (name, _) in files {
            // What is left of this attempt; there may be nothing.
            let _ = fs::remove_file(part(name.as_ref()));
        }
    }
    outcome.map(|()| files.iter().map(|(name, _)| folder.join(name.as_ref())).collect())
}

/// Writes one file under a name of the user's, in the same way.
pub fn write_as(folder: &Path, name: &OsStr, bytes: &[u8]) -> Result<(), String> {
    let path = folder.join(name);
    let cannot = |error: io::Error| {
        format!("cannot write {}: {error}; choose another file with --out", path.display())
    };
    if !folder.as_os_str().is_empty() {
        fs::create_dir_all(folder).map_err(cannot)?;
    }
    let part = folder.join(format!(".{}.{}.part", name.to_string_lossy(), std::process::id()));
    let outcome = fs::write(&part, bytes).and_then(|()| fs::rename(&part, &path)).map_err(cannot);
    if outcome.is_err() {
        // What is left of this attempt; there may be nothing.
        let _ = fs::remove_file(&part);
    }
    outcome
}
