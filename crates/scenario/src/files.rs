//! Where the logs and tables lie that a file names.
use std::collections::BTreeMap;
use std::io::{Error, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Texts of files, by their names.
pub type Given = BTreeMap<String, String>;

/// Where a name in a file leads.
#[derive(Clone, Copy, Debug)]
pub enum Files<'a> {
    /// Into a folder, mostly that of the file itself.
    Folder(&'a Path),
    /// To a text that was given with the file, and nowhere else.
    Given(&'a Given),
}

impl<'a> From<&'a Path> for Files<'a> {
    fn from(folder: &'a Path) -> Self {
        Files::Folder(folder)
    }
}

impl<'a> From<&'a PathBuf> for Files<'a> {
    fn from(folder: &'a PathBuf) -> Self {
        Files::Folder(folder)
    }
}

impl<'a> From<&'a Given> for Files<'a> {
    fn from(given: &'a Given) -> Self {
        Files::Given(given)
    }
}

impl Files<'_> {
    /// The bytes of a file, no more than `most` and one, by which it can be told that there are more.
    pub fn read(self, name: &str, most: u64) -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        match self {
            Files::Folder(folder) => {
                let file = std::fs::File::open(folder.join(name))?;
                file.take(most + 1).read_to_end(&mut bytes)?;
            }
            Files::Given(given) => {
                let why = "it was not given with the file that names it";
                let text = given.get(name).ok_or_else(|| Error::new(ErrorKind::NotFound, why))?;
                text.as_bytes().take(most + 1).read_to_end(&mut bytes)?;
            }
        }
        Ok(bytes)
    }

    /// The same as text.
    pub fn read_text(self, name: &str, most: u64) -> std::io::Result<String> {
        let invalid = |_| Error::new(ErrorKind::InvalidData, "stream did not contain valid UTF-8");
        String::from_utf8(self.read(name, most)?).map_err(invalid)
    }
}

/// A place of files that is kept.
#[derive(Clone, Debug)]
pub enum Place {
    /// A folder.
    Folder(PathBuf),
    /// Texts by their names.
    Given(Given),
}

impl Place {
    /// That of these files.
    pub fn of(files: Files<'_>) -> Self {
        match files {
            Files::Folder(folder) => Place::Folder(folder.into()),
            Files::Given(given) => Place::Given(given.clone()),
        }
    }

    /// The files there.
    pub fn files(&self) -> Files<'_> {
        match self {
            Place::Folder(folder) => folder.into(),
            Place::Given(given) => given.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_given_is_all_there_is() {
        let given = Given::from([("log.csv".to_owned(), "t,x\n".to_owned())]);
        let files = Files::from(&given);
        assert_eq!(files.read_text("log.csv", 100).unwrap(), "t,x\n");
        assert_eq!(files.read("log.csv", 2).unwrap().len(), 3);
        for outside in ["/etc/passwd", "../log.csv", "Cargo.toml", "src/lib.rs"] {
            let told = files.read(outside, 100).unwrap_err();
            assert_eq!(told.kind(), ErrorKind::NotFound, "{outside}");
        }
        let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        assert!(Files::from(&here).read_text("Cargo.toml", 1 << 20).unwrap().contains("[package]"));
    }
}
