//! One file in a folder that holds other things too.
use crate::{Error, staging};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Whether a file can be written into a folder, or where there is none yet, into the one it will be made in.
pub fn check(folder: &Path) -> Result<(), String> {
    let above =
        folder.ancestors().map(|a| if a.as_os_str().is_empty() { Path::new(".") } else { a });
    let there = above.into_iter().find(|a| a.symlink_metadata().is_ok());
    let tried = there.map_or(Ok(()), staging::try_in);
    tried.map_err(|e| Error::io(folder, &e).to_string())
}

/// Writes files into a folder, which is made if need be: each appears under its name when it is complete.
pub fn write<N: AsRef<OsStr>>(folder: &Path, files: &[(N, Vec<u8>)]) -> Result<(), String> {
    let staged = staging::name_in(folder);
    let written = || -> io::Result<()> {
        fs::create_dir_all(folder)?;
        let _lock = staging::make(&staged)?;
        for (name, bytes) in files {
            let path = staged.join(name.as_ref());
            let mut file = File::create(&path)?;
            file.write_all(bytes)?;
            file.sync_all()?;
            fs::rename(path, folder.join(name.as_ref()))?;
        }
        Ok(())
    };
    let outcome = written().map_err(|e| Error::io(folder, &e).to_string());
    staging::remove(&staged);
    outcome
}
