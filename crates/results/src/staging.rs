use crate::destination::{Destination, RECORD, Record};
use crate::{Error, Origin, parent};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What staging folders begin with.
const STAGING: &str = ".bristle-staging-";

/// What this program has under way, for who ends it early.
#[derive(Default)]
struct UnderWay {
    staged: Vec<PathBuf>,
    committed: Option<PathBuf>,
}

static UNDER_WAY: Mutex<UnderWay> = Mutex::new(UnderWay { staged: Vec::new(), committed: None });

fn under_way() -> MutexGuard<'static, UnderWay> {
    UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Nothing more is written for as long as this lives.
pub struct Left {
    under_way: MutexGuard<'static, UnderWay>,
}

impl Left {
    /// The folder whose results were complete before, if there is one.
    pub fn committed(&self) -> Option<&Path> {
        self.under_way.committed.as_deref()
    }
}

/// Removes what is not complete, and lets nothing more be written.
pub fn abandon() -> Left {
    let mut under_way = under_way();
    for folder in under_way.staged.drain(..) {
        let _ = fs::remove_dir_all(folder);
    }
    Left { under_way }
}

/// The name of this program's staging folder in another one.
pub(crate) fn name_in(folder: &Path) -> PathBuf {
    folder.join(format!("{STAGING}{}", std::process::id()))
}

/// Makes a staging folder, and locks it for as long as this program runs, so that others leave it alone.
pub(crate) fn make(folder: &Path) -> io::Result<Option<File>> {
    let mut under_way = under_way();
    fs::create_dir(folder)?;
    under_way.staged.push(folder.to_owned());
    // Where folders cannot be locked nobody takes them for forgotten either.
    Ok(File::open(folder).ok().filter(|lock| lock.try_lock().is_ok()))
}

/// Removes a staging folder of this program.
pub(crate) fn remove(folder: &Path) {
    let mut under_way = under_way();
    under_way.staged.retain(|f| f != folder);
    // It may be gone already.
    let _ = fs::remove_dir_all(folder);
}

/// Whether a staging folder can be made there. Removes those that killed programs left.
pub(crate) fn try_in(folder: &Path) -> io::Result<()> {
    sweep(folder);
    let trial = name_in(folder);
    make(&trial).map(|_| remove(&trial))
}

/// Removes what killed programs left in a folder: what nobody holds a lock on.
fn sweep(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let staging = |name: &OsStr| name.to_string_lossy().starts_with(STAGING);
    for entry in entries.filter(|e| staging(&e.file_name())) {
        if File::open(entry.path()).is_ok_and(|lock| lock.try_lock().is_ok()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Results that are being written. Dropped before [`Staging::commit`] they leave nothing.
pub struct Staging {
    destination: Destination,
    record: Record,
    folder: PathBuf,
    /// The folders that had to be made to hold it, from the outermost.
    made: Vec<PathBuf>,
    _lock: Option<File>,
}

impl Staging {
    pub(crate) fn new(destination: Destination, origin: Origin) -> Result<Self, Error> {
        let above = parent(&destination.place).to_owned();
        let missing = above.ancestors().take_while(|a| !a.as_os_str().is_empty() && !a.exists());
        let mut made: Vec<PathBuf> = missing.map(Path::to_owned).collect();
        made.reverse();
        let cannot = |e: io::Error| Error::io(&destination.folder, &e);
        fs::create_dir_all(&above).map_err(cannot)?;
        sweep(&above);
        let folder = name_in(&above);
        let lock = make(&folder).map_err(cannot)?;
        let record = Record { origin, files: Vec::new() };
        Ok(Staging { destination, record, folder, made, _lock: lock })
    }

    /// Writes a file under a name, which may have a folder in it: `figures/belt.svg`.
    pub fn write(
        &mut self,
        name: &str,
        contents: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Error> {
        let path = self.folder.join(name);
        let shown = self.destination.folder.join(name);
        let written = || {
            let file = {
                // Nothing is begun after `abandon`.
                let _going_on = under_way();
                fs::create_dir_all(parent(&path))?;
                File::create(&path)?
            };
            let mut out = BufWriter::new(file);
            contents(&mut out)?;
            // What a file system could not store it says here, and not on closing.
            out.into_inner()?.sync_all()
        };
        written().map_err(|e| Error::io(&shown, &e))?;
        let top = name.split('/').next().unwrap_or(name);
        if !self.record.files.iter().any(|f| f == top) {
            self.record.files.push(top.to_owned());
        }
        Ok(())
    }

    /// Puts the results in their place. Files there that are not on the record of the old results are kept.
    pub fn commit(mut self) -> Result<(), Error> {
        let record = serde_json::to_vec_pretty(&self.record).unwrap_or_default();
        let files = std::mem::take(&mut self.record.files);
        self.write(RECORD, |out| out.write_all(&record))?;
        let (place, shown) = (&self.destination.place, &self.destination.folder);
        let cannot = |e: io::Error| Error::io(shown, &e);
        if let Ok(old) = place.metadata() {
            let of_old = self.destination.record().unwrap_or_default().files;
            self.keep(&of_old, &files)?;
            fs::set_permissions(&self.folder, old.permissions()).map_err(cannot)?;
        }
        let mut under_way = under_way();
        self.swap().map_err(cannot)?;
        under_way.committed = Some(shown.clone());
        drop(under_way);
        self.made.clear();
        Ok(())
    }

    /// Links what is to be kept of the old folder into the new one, so that both have it until the old one goes.
    fn keep(&self, of_old: &[String], new: &[String]) -> Result<(), Error> {
        let shown = &self.destination.folder;
        let entries = fs::read_dir(&self.destination.place).map_err(|e| Error::io(shown, &e))?;
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let mut kept = name != RECORD && !of_old.contains(&name);
            if new.contains(&name) {
                let folders = [entry.path(), self.folder.join(&name)].map(|path| path.is_dir());
                if kept && folders != [false, false] {
                    let why = "a folder is in its place; choose another place with --out";
                    return Err(Error::new(&shown.join(name), why));
                }
                kept = false;
            }
            if kept {
                let why = |e| Error::new(&shown.join(&name), format!("cannot keep it: {e}"));
                link(&entry.path(), &self.folder.join(entry.file_name())).map_err(why)?;
            }
        }
        Ok(())
    }

    /// Exchanges the two folders in one step where the file system can, in two otherwise.
    fn swap(&self) -> io::Result<()> {
        let place = &self.destination.place;
        if !place.exists() {
            return fs::rename(&self.folder, place);
        }
        #[cfg(any(target_os = "linux", target_vendor = "apple"))]
        {
            use rustix::fs::{CWD, RenameFlags, renameat_with};
            if renameat_with(CWD, &self.folder, CWD, place, RenameFlags::EXCHANGE).is_ok() {
                return Ok(());
            }
        }
        self.swap_in_two()
    }

    fn swap_in_two(&self) -> io::Result<()> {
        let (place, aside) = (&self.destination.place, self.destination.aside());
        fs::rename(place, &aside)?;
        // A program that is killed here leaves nothing in the place; the next one puts the old results back.
        fs::rename(&self.folder, place).or_else(|e| fs::rename(&aside, place).and(Err(e)))?;
        // What cannot be removed now the next program removes.
        let _ = fs::remove_dir_all(aside);
        Ok(())
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        remove(&self.folder);
        for folder in self.made.iter().rev() {
            // Somebody else may have put something into it.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Gives a file, or everything in a folder, a second name.
fn link(from: &Path, to: &Path) -> io::Result<()> {
    if !from.symlink_metadata()?.is_dir() {
        return fs::hard_link(from, to);
    }
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        link(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where folders cannot be exchanged, a kill between the two steps leaves the old results, one step aside.
    #[test]
    fn two_steps_leave_the_old_or_the_new() {
        let folder = std::env::temp_dir().join(format!("bristle-two-{}", std::process::id()));
        let destination = || Destination::new(&folder.join("run")).unwrap();
        let stage = |text: &'static [u8]| {
            let mut staging = destination().stage(Origin::default()).unwrap();
            staging.write("trace.csv", |out| out.write_all(text)).unwrap();
            staging
        };
        stage(b"old").commit().unwrap();
        let read = || fs::read_to_string(folder.join("run/trace.csv")).unwrap();
        let new = stage(b"new");
        new.swap_in_two().unwrap();
        drop(new);
        assert_eq!(read(), "new");
        // As a kill after the first step leaves it.
        fs::rename(folder.join("run"), destination().aside()).unwrap();
        destination();
        assert_eq!(read(), "new");
        let names: Vec<_> =
            fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["run"]);
        fs::remove_dir_all(folder).unwrap();
    }
}
