use crate::staging::{self, Staging};
use crate::{Error, parent};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// What made a result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The command and its subject: `bristle run scenarios/belt.toml`.
    pub command: String,
    /// What was set beyond them: `--set friction.model=dahl`.
    pub options: Vec<String>,
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.command)?;
        self.options.iter().try_for_each(|option| write!(f, " {option}"))
    }
}

/// The record that lies beside the results: what made them, and their names.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Record {
    #[serde(flatten)]
    pub(crate) origin: Origin,
    pub(crate) files: Vec<String>,
}

/// The name of the record.
pub(crate) const RECORD: &str = ".made-by.json";

/// What a folder holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Nothing, or there is none.
    Nothing,
    /// The results of that.
    Results(Origin),
    /// Files without a record.
    Others,
}

/// A folder for results.
#[derive(Clone, Debug)]
pub struct Destination {
    /// As it was asked for.
    pub(crate) folder: PathBuf,
    /// Where it is.
    pub(crate) place: PathBuf,
}

impl Destination {
    /// Looks at a folder, which need not be there yet, before the work begins: whether it can be replaced. What a
    /// killed program left beside it is removed.
    pub fn new(folder: &Path) -> Result<Self, Error> {
        let io = |e: std::io::Error| Error::io(folder, &e);
        let place = match folder.symlink_metadata() {
            Ok(_) => folder.canonicalize().map_err(io)?,
            Err(_) => folder.to_owned(),
        };
        if place.file_name().is_none() {
            return Err(Error::new(folder, "it is replaced as a whole: name a folder inside it"));
        }
        let destination = Destination { folder: folder.to_owned(), place };
        destination.recover();
        if destination.place.exists() {
            destination.can_be_replaced()?;
        }
        let above = parent(&destination.place).ancestors();
        let above = above.map(|a| if a.as_os_str().is_empty() { Path::new(".") } else { a });
        // The nearest one that is there: the others are made in it.
        if let Some(there) = above.into_iter().find(|a| a.symlink_metadata().is_ok()) {
            staging::try_in(there).map_err(io)?;
        }
        Ok(destination)
    }

    fn can_be_replaced(&self) -> Result<(), Error> {
        let (folder, place) = (&self.folder, &self.place);
        if !place.is_dir() {
            return Err(Error::new(folder, "a file is in its place; choose another with --out"));
        }
        if std::env::current_dir().is_ok_and(|here| here.starts_with(place)) {
            let why = "it is replaced as a whole, and the working directory lies in it: name a folder inside it, as in \
                       --out results";
            return Err(Error::new(folder, why));
        }
        if is_mounted(place) {
            let why = "it is replaced as a whole, which a mounted folder cannot be: name a folder inside it";
            return Err(Error::new(folder, why));
        }
        Ok(())
    }

    /// What it holds.
    pub fn holds(&self) -> Holds {
        let is_empty =
            || fs::read_dir(&self.place).map_or(true, |mut inside| inside.next().is_none());
        match self.record() {
            Some(record) => Holds::Results(record.origin),
            None if is_empty() => Holds::Nothing,
            None => Holds::Others,
        }
    }

    pub(crate) fn record(&self) -> Option<Record> {
        let text = fs::read_to_string(self.place.join(RECORD)).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// A staging folder for new results, made by that.
    pub fn stage(&self, origin: Origin) -> Result<Staging, Error> {
        Staging::new(self.clone(), origin)
    }

    /// Where old results are while they are replaced in two steps.
    pub(crate) fn aside(&self) -> PathBuf {
        let name = self.place.file_name().unwrap_or_default().to_string_lossy();
        parent(&self.place).join(format!(".{name}.replaced"))
    }

    /// Puts right what a program that was killed between those two steps left.
    fn recover(&self) {
        let aside = self.aside();
        // Another program may do the same at this moment, and then there is nothing left to do.
        if self.place.exists() {
            let _ = fs::remove_dir_all(aside);
        } else {
            let _ = fs::rename(aside, &self.place);
        }
    }
}

/// Whether another file system begins there.
#[cfg(unix)]
fn is_mounted(place: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let device = |path: &Path| path.metadata().map(|m| m.dev()).ok();
    device(place) != device(parent(place))
}

#[cfg(not(unix))]
fn is_mounted(_place: &Path) -> bool {
    false
}
