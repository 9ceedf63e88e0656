//! Rows of results in a file, each at a place of its own, so that they may be finished in any order and none is lost.
//!
//! A row is a checksum, a mark and its numbers, and stands at its index times its length: rows that were written are told from
//! those that were not, or only half, by their checksums, and a finished file has the same bytes in whatever order and however
//! often interrupted it was written. Reasons of failed rows stand in a second file in the same way, which takes room on the disk
//! only where there are any.
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// What came of a point.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The numbers that are kept; none are known of a failed one.
    pub values: Vec<f64>,
    /// Why it failed, if it did.
    pub failed: Option<String>,
}

impl Row {
    /// One that failed.
    pub fn failed(width: usize, why: &str) -> Self {
        Row { values: vec![f64::NAN; width], failed: Some(cut(why).to_owned()) }
    }
}

/// A reason is no longer than this, bytes.
const LONGEST: usize = 250;
const SLOT: usize = LONGEST + 6;

/// As much of a reason as is kept.
fn cut(why: &str) -> &str {
    let mut end = why.len().min(LONGEST);
    while !why.is_char_boundary(end) {
        end -= 1;
    }
    &why[..end]
}

const DONE: u32 = 1;
const FAILED: u32 = 2;

const ROWS: &str = "rows.bin";
const REASONS: &str = "reasons.bin";
const DESCRIPTION: &str = "sweep.toml";

/// Rows in a folder.
#[derive(Debug)]
pub struct Rows {
    folder: PathBuf,
    rows: File,
    reasons: File,
    width: usize,
    count: u64,
}

/// Why rows cannot be kept.
#[derive(Debug)]
pub enum RowsError {
    /// There are rows of another sweep.
    Other(PathBuf),
    /// Another program writes them at this moment.
    Locked(PathBuf),
    /// The system's reason.
    Io(PathBuf, io::Error),
}

impl std::fmt::Display for RowsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RowsError::Other(folder) => write!(
                f,
                "{} holds the finished rows of another sweep, of other settings, or of another version of bristle: remove it, or \
                 choose another folder with --out",
                folder.display()
            ),
            RowsError::Locked(folder) => {
                write!(f, "another program works on {}: wait for it, or end it", folder.display())
            }
            RowsError::Io(path, error) => write!(f, "cannot write {}: {error}", path.display()),
        }
    }
}

impl std::error::Error for RowsError {}

impl Rows {
    /// Whether a folder holds rows.
    pub fn are_in(folder: &Path) -> bool {
        folder.join(DESCRIPTION).exists()
    }

    /// Opens the rows of a sweep, which `description` tells from all others: new ones, or those that an earlier program left.
    pub fn open(
        folder: &Path,
        description: &str,
        width: usize,
        count: u64,
    ) -> Result<Self, RowsError> {
        let io = |path: PathBuf| move |error| RowsError::Io(path, error);
        fs::create_dir_all(folder).map_err(io(folder.to_owned()))?;
        let path = folder.join(DESCRIPTION);
        match fs::read_to_string(&path) {
            Ok(own) if own == description => {}
            Ok(_) => return Err(RowsError::Other(folder.to_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // It is there as a whole or not at all.
                let draft = folder.join(format!(".{DESCRIPTION}"));
                fs::write(&draft, description).map_err(io(draft.clone()))?;
                fs::rename(&draft, &path).map_err(io(path))?;
            }
            Err(error) => return Err(RowsError::Io(path, error)),
        }
        let open = |name: &str, length: u64| {
            let path = folder.join(name);
            let opened =
                OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&path);
            let sized = opened.and_then(|file| file.set_len(length).map(|()| file));
            sized.map_err(io(path))
        };
        let rows = open(ROWS, count * length(width) as u64)?;
        if rows.try_lock().is_err() {
            return Err(RowsError::Locked(folder.to_owned()));
        }
        let reasons = open(REASONS, count * SLOT as u64)?;
        Ok(Rows { folder: folder.to_owned(), rows, reasons, width, count })
    }

    /// How many there are in all.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Writes rows, the first of that index. Where it fails, none of them may be there.
    pub fn put(&self, first: u64, rows: &[Row]) -> Result<(), RowsError> {
        let mut bytes = Vec::with_capacity(rows.len() * length(self.width));
        for (index, row) in (first..).zip(rows) {
            if let Some(why) = &row.failed {
                let why = cut(why).as_bytes();
                let mut slot = vec![0; SLOT];
                slot[4..6].copy_from_slice(&(why.len() as u16).to_le_bytes());
                slot[6..6 + why.len()].copy_from_slice(why);
                seal(&mut slot, index);
                self.write(&self.reasons, REASONS, index * SLOT as u64, &slot)?;
            }
            let begin = bytes.len();
            let mark = if row.failed.is_some() { FAILED } else { DONE };
            bytes.extend([0; 4]);
            bytes.extend(mark.to_le_bytes());
            let values = row.values.iter().chain(std::iter::repeat(&f64::NAN)).take(self.width);
            values.for_each(|value| bytes.extend(value.to_le_bytes()));
            seal(&mut bytes[begin..], index);
        }
        self.write(&self.rows, ROWS, first * length(self.width) as u64, &bytes)
    }

    /// Reads rows, the first of that index; those that are not finished are none.
    pub fn get(&self, first: u64, count: usize) -> Result<Vec<Option<Row>>, RowsError> {
        let length = length(self.width);
        let mut bytes = vec![0; count * length];
        self.read(&self.rows, ROWS, first * length as u64, &mut bytes)?;
        (first..).zip(bytes.chunks_exact(length)).map(|(index, own)| self.one(index, own)).collect()
    }

    fn one(&self, index: u64, bytes: &[u8]) -> Result<Option<Row>, RowsError> {
        let mark = u32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]);
        if !is_sealed(bytes, index) || ![DONE, FAILED].contains(&mark) {
            return Ok(None);
        }
        let value = |own: &[u8]| f64::from_le_bytes(own.try_into().unwrap_or_default());
        let values = bytes[8..].chunks_exact(8).map(value).collect();
        if mark == DONE {
            return Ok(Some(Row { values, failed: None }));
        }
        let mut slot = vec![0; SLOT];
        self.read(&self.reasons, REASONS, index * SLOT as u64, &mut slot)?;
        let end = 6 + usize::from(u16::from_le_bytes([slot[4], slot[5]])).min(LONGEST);
        let why = String::from_utf8_lossy(&slot[6..end]).into_owned();
        Ok(is_sealed(&slot, index).then_some(Row { values, failed: Some(why) }))
    }

    /// Everything that was written is on the disk from now on.
    pub fn sync(&self) -> Result<(), RowsError> {
        let synced = self.reasons.sync_data().and_then(|()| self.rows.sync_data());
        synced.map_err(|error| RowsError::Io(self.folder.join(ROWS), error))
    }

    /// Removes them.
    pub fn remove(self) -> Result<(), RowsError> {
        let folder = self.folder.clone();
        drop(self);
        Rows::discard(&folder)
    }

    /// Removes the rows that a folder holds, and the folder where nothing else is in it.
    pub fn discard(folder: &Path) -> Result<(), RowsError> {
        for name in [ROWS, REASONS, DESCRIPTION] {
            let path = folder.join(name);
            if let Err(error) = fs::remove_file(&path)
                && error.kind() != io::ErrorKind::NotFound
            {
                return Err(RowsError::Io(path, error));
            }
        }
        // Somebody may keep something else there.
        let _ = fs::remove_dir(folder);
        Ok(())
    }

    fn write(&self, file: &File, name: &str, at: u64, bytes: &[u8]) -> Result<(), RowsError> {
        write_at(file, bytes, at).map_err(|error| RowsError::Io(self.folder.join(name), error))
    }

    fn read(&self, file: &File, name: &str, at: u64, bytes: &mut [u8]) -> Result<(), RowsError> {
        read_at(file, bytes, at).map_err(|error| RowsError::Io(self.folder.join(name), error))
    }
}

/// Bytes of a row of so many numbers.
fn length(width: usize) -> usize {
    8 + 8 * width
}

fn check(bytes: &[u8], index: u64) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&index.to_le_bytes());
    hasher.update(&bytes[4..]);
    hasher.finalize()
}

fn seal(bytes: &mut [u8], index: u64) {
    let check = check(bytes, index);
    bytes[..4].copy_from_slice(&check.to_le_bytes());
}

fn is_sealed(bytes: &[u8], index: u64) -> bool {
    bytes[..4] == check(bytes, index).to_le_bytes()
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(windows)]
fn write_at(file: &File, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = std::os::windows::fs::FileExt::seek_write(file, bytes, at)?;
        (bytes, at) = (&bytes[written..], at + written as u64);
    }
    Ok(())
}

#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let read = std::os::windows::fs::FileExt::seek_read(file, bytes, at)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        (bytes, at) = (&mut bytes[read..], at + read as u64);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder =
            std::env::temp_dir().join(format!("bristle-rows-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    fn row(k: u64) -> Row {
        match k % 5 {
            3 => Row::failed(2, &format!("row {k}: µ is out of range")),
            _ => Row { values: vec![k as f64, -0.5 * k as f64], failed: None },
        }
    }

    /// NaN is not itself.
    fn said(row: &Option<Row>) -> String {
        format!("{row:?}")
    }

    #[test]
    fn the_order_of_writing_leaves_no_trace() {
        let bytes = |name: &str, order: &mut dyn Iterator<Item = u64>| {
            let folder = folder(name);
            let rows = Rows::open(&folder, "a", 2, 20).unwrap();
            order.for_each(|k| rows.put(k, &[row(k)]).unwrap());
            let all = [ROWS, REASONS].map(|name| fs::read(folder.join(name)).unwrap());
            rows.remove().unwrap();
            assert!(!folder.exists());
            all
        };
        assert_eq!(bytes("up", &mut (0..20)), bytes("down", &mut (0..20).rev()));
    }

    #[test]
    fn rows_come_back_and_half_ones_do_not() {
        let folder = folder("back");
        let rows = Rows::open(&folder, "a", 2, 10).unwrap();
        rows.put(2, &[row(2), row(3), row(4)]).unwrap();
        drop(rows);
        // As a crash of the whole machine may leave it.
        let path = folder.join(ROWS);
        let mut bytes = fs::read(&path).unwrap();
        bytes[4 * length(2) + 15] ^= 1;
        fs::write(&path, &bytes).unwrap();
        let rows = Rows::open(&folder, "a", 2, 10).unwrap();
        let got: Vec<String> = rows.get(0, 10).unwrap().iter().map(said).collect();
        for (k, got) in (0..).zip(&got) {
            let expected = if k == 2 || k == 3 { Some(row(k)) } else { None };
            assert_eq!(*got, said(&expected), "{k}");
        }
        rows.remove().unwrap();
    }

    #[test]
    fn rows_of_another_sweep_and_rows_at_work_are_refused() {
        let folder = folder("other");
        let rows = Rows::open(&folder, "a", 1, 4).unwrap();
        assert!(matches!(Rows::open(&folder, "a", 1, 4), Err(RowsError::Locked(_))));
        assert!(matches!(Rows::open(&folder, "b", 1, 4), Err(RowsError::Other(_))));
        rows.remove().unwrap();
    }

    #[test]
    fn long_reasons_are_cut_between_letters() {
        let Row { failed, .. } = Row::failed(1, &"µ".repeat(200));
        let failed = failed.unwrap();
        assert!(failed.len() == LONGEST && failed.chars().all(|c| c == 'µ'));
    }
}
