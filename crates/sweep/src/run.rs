//! Makes the rows that are missing, on all cores, and keeps each as it is finished.
use crate::rows::{Row, Rows, RowsError};
use crate::sweep::Sweep;
use rayon::prelude::*;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// So many rows are written at once at most: one by one they would wait for the file, all at once an interrupt would lose many.
const TOGETHER: u64 = 64;
/// What is finished waits no longer than this to be written.
const SOON: Duration = Duration::from_millis(200);
/// What is written waits no longer than this to be on the disk.
const SAFE: Duration = Duration::from_secs(5);

/// What happens meanwhile.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// So many rows were there already.
    Found(u64),
    /// One more is finished.
    Done,
}

/// How a run of a sweep ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Every row is there.
    Complete,
    /// It was told to end; so many rows are there.
    Interrupted(u64),
}

/// Makes all rows that are not there yet. `go_on` is asked now and then and may end it; what is finished stays.
pub fn run(
    sweep: &Sweep,
    rows: &Rows,
    go_on: &(dyn Fn() -> bool + Sync),
    tell: &(dyn Fn(Event) + Sync),
) -> Result<Ended, RowsError> {
    let threads = rayon::current_num_threads() as u64;
    let together = (sweep.len() / (64 * threads)).clamp(1, TOGETHER);
    let broken = AtomicBool::new(false);
    let synced = Mutex::new(Instant::now());
    let going = || !broken.load(Ordering::Relaxed) && go_on();
    let block = |k: u64| -> Result<u64, RowsError> {
        let first = k * together;
        let count = together.min(sweep.len() - first) as usize;
        let there = rows.get(first, count)?;
        let found = there.iter().flatten().count() as u64;
        tell(Event::Found(found));
        let mut finished: Vec<Row> = Vec::new();
        let (mut begin, mut since, mut made) = (first, Instant::now(), 0);
        let keep = |begin: u64, finished: &mut Vec<Row>| -> Result<u64, RowsError> {
            let count = finished.len() as u64;
            if count > 0 {
                rows.put(begin, finished)?;
                finished.clear();
                let mut last = synced.lock().unwrap_or_else(PoisonError::into_inner);
                if last.elapsed() > SAFE {
                    *last = Instant::now();
                    drop(last);
                    rows.sync()?;
                }
            }
            Ok(count)
        };
        for (index, own) in (first..).zip(&there) {
            let row = match own {
                Some(_) => None,
                None if !going() => break,
                None => sweep.row(index, &going),
            };
            match row {
                Some(row) => {
                    finished.push(row);
                    tell(Event::Done);
                }
                // Those before it stand together.
                None => {
                    made += keep(begin, &mut finished)?;
                    begin = index + 1;
                    if own.is_none() {
                        break;
                    }
                }
            }
            if since.elapsed() > SOON {
                let count = keep(begin, &mut finished)?;
                (begin, since, made) = (begin + count, Instant::now(), made + count);
            }
        }
        Ok(found + made + keep(begin, &mut finished)?)
    };
    let blocks = sweep.len().div_ceil(together);
    let there = (0..blocks)
        .into_par_iter()
        .map(|k| {
            let there = block(k);
            if there.is_err() {
                broken.store(true, Ordering::Relaxed);
            }
            there
        })
        .try_reduce(|| 0, |a, b| Ok(a + b));
    let synced = rows.sync();
    let there = there?;
    synced?;
    Ok(if there == sweep.len() { Ended::Complete } else { Ended::Interrupted(there) })
}
