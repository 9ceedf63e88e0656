//! All rows as a table: Parquet, the plainest form of it.
//!
//! Columns of 64-bit integers, doubles and texts, none of them optional, uncompressed and in plain encoding, one page a column of
//! each group of rows: the part of the format that a table of numbers needs (<https://parquet.apache.org/docs/file-format/>).
use crate::axis::number;
use crate::sweep::Sweep;
use crate::table::{Finished, each, text};
use serde_json::json;
use std::io::{self, Write};

/// Rows of a group.
const GROUP: u64 = 1 << 16;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Int64 = 2,
    Double = 5,
    Text = 6,
}

struct Column {
    name: String,
    kind: Kind,
    bytes: Vec<u8>,
}

/// A column of a group that is written.
struct Chunk {
    offset: u64,
    length: u64,
}

/// Writes index, parameters, what is kept, and why a row failed (empty if it did not). A value that is none is NaN. Units are in the
/// metadata of the file, under `units`, as JSON by column.
pub fn write_parquet(
    sweep: &Sweep,
    rows: &(impl Finished + ?Sized),
    out: &mut dyn Write,
) -> io::Result<()> {
    let column = |name: &str, kind| Column { name: name.to_owned(), kind, bytes: Vec::new() };
    let mut columns = vec![column("index", Kind::Int64)];
    for axis in &sweep.plan.axes {
        let kind = if axis.values.is_numeric() { Kind::Double } else { Kind::Text };
        columns.push(column(&axis.key, kind));
    }
    let kept = sweep.columns();
    columns.extend(kept.iter().map(|(name, _)| column(name, Kind::Double)));
    columns.push(column("failed", Kind::Text));

    out.write_all(b"PAR1")?;
    let (mut at, mut groups, mut pending) = (4u64, Vec::new(), 0u64);
    each(sweep, rows, |index, point, row| {
        let mut own = columns.iter_mut();
        let mut put = |bytes: &[u8]| own.next().map_or((), |column| column.bytes.extend(bytes));
        put(&index.to_le_bytes());
        for (axis, value) in sweep.plan.axes.iter().zip(point) {
            match number(value).filter(|_| axis.values.is_numeric()) {
                Some(x) => put(&x.to_le_bytes()),
                None => put(&sized(&text(value))),
            }
        }
        row.values.iter().for_each(|x| put(&x.to_le_bytes()));
        put(&sized(row.failed.as_deref().unwrap_or_default()));
        pending += 1;
        if pending == GROUP {
            groups.push((pending, flush(&mut columns, pending, &mut at, out)?));
            pending = 0;
        }
        Ok(())
    })?;
    if pending > 0 {
        groups.push((pending, flush(&mut columns, pending, &mut at, out)?));
    }
    let parameters = sweep.plan.axes.iter().map(|axis| (axis.key.clone(), json!(axis.unit)));
    let units: serde_json::Map<String, serde_json::Value> =
        parameters.chain(kept.iter().map(|(name, unit)| (name.clone(), json!(unit)))).collect();
    let footer = footer(&columns, &groups, &serde_json::Value::Object(units).to_string());
    out.write_all(&footer)?;
    out.write_all(&(footer.len() as u32).to_le_bytes())?;
    out.write_all(b"PAR1")
}

/// A text with its length before it.
fn sized(text: &str) -> Vec<u8> {
    let mut bytes = (text.len() as u32).to_le_bytes().to_vec();
    bytes.extend(text.as_bytes());
    bytes
}

/// Writes a page of each column.
fn flush(
    columns: &mut [Column],
    rows: u64,
    at: &mut u64,
    out: &mut dyn Write,
) -> io::Result<Vec<Chunk>> {
    let mut chunks = Vec::new();
    for column in columns {
        let mut header = Compact::default();
        let size = column.bytes.len() as i64;
        // A data page of so many bytes, the same when uncompressed.
        header.int(1, 0).int(2, size).int(3, size);
        // Values in plain encoding; of the levels, which flat columns without gaps do not have, RLE.
        header.begin(5).int(1, rows as i64).int(2, 0).int(3, 3).int(4, 3).end();
        let header = header.finished();
        out.write_all(&header)?;
        out.write_all(&column.bytes)?;
        let length = (header.len() + column.bytes.len()) as u64;
        chunks.push(Chunk { offset: *at, length });
        *at += length;
        column.bytes.clear();
    }
    Ok(chunks)
}

/// The metadata: `FileMetaData` of parquet.thrift.
fn footer(columns: &[Column], groups: &[(u64, Vec<Chunk>)], units: &str) -> Vec<u8> {
    let mut file = Compact::default();
    file.int(1, 1);
    file.list(2, STRUCT, columns.len() + 1);
    file.open().text(4, "sweep").int(5, columns.len() as i64).close();
    for column in columns {
        file.open().int(1, column.kind as i64).int(3, 0).text(4, &column.name);
        if column.kind == Kind::Text {
            file.int(6, 0);
        }
        file.close();
    }
    file.long(3, groups.iter().map(|(rows, _)| *rows as i64).sum());
    file.list(4, STRUCT, groups.len());
    for (rows, chunks) in groups {
        file.open().list(1, STRUCT, chunks.len());
        for (column, chunk) in columns.iter().zip(chunks) {
            file.open().long(2, chunk.offset as i64).begin(3);
            file.int(1, column.kind as i64);
            file.list(2, INT, 1).raw_int(0);
            file.list(3, TEXT, 1).raw_text(&column.name);
            file.int(4, 0).long(5, *rows as i64);
            file.long(6, chunk.length as i64).long(7, chunk.length as i64);
            file.long(9, chunk.offset as i64).end().close();
        }
        let size: u64 = chunks.iter().map(|chunk| chunk.length).sum();
        file.long(2, size as i64).long(3, *rows as i64).close();
    }
    file.list(5, STRUCT, 1);
    file.open().text(1, "units").text(2, units).close();
    file.text(6, concat!("bristle ", env!("CARGO_PKG_VERSION")));
    file.finished()
}

const INT: u8 = 5;
const LONG: u8 = 6;
const TEXT: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// Writes Thrift's compact protocol, in which the metadata are.
#[derive(Default)]
struct Compact {
    bytes: Vec<u8>,
    /// The number of the last field, and those of the structures around it.
    last: i64,
    around: Vec<i64>,
}

impl Compact {
    fn field(&mut self, id: i64, kind: u8) {
        // Fields are written in their order, less than 16 apart.
        self.bytes.push(((id - self.last) as u8) << 4 | kind);
        self.last = id;
    }

    fn varint(&mut self, mut x: u64) {
        while x >= 0x80 {
            self.bytes.push(x as u8 | 0x80);
            x >>= 7;
        }
        self.bytes.push(x as u8);
    }

    fn raw_int(&mut self, x: i64) -> &mut Self {
        self.varint((x << 1 ^ x >> 63) as u64);
        self
    }

    fn raw_text(&mut self, text: &str) -> &mut Self {
        self.varint(text.len() as u64);
        self.bytes.extend(text.as_bytes());
        self
    }

    fn int(&mut self, id: i64, x: i64) -> &mut Self {
        self.field(id, INT);
        self.raw_int(x)
    }

    fn long(&mut self, id: i64, x: i64) -> &mut Self {
        self.field(id, LONG);
        self.raw_int(x)
    }

    fn text(&mut self, id: i64, text: &str) -> &mut Self {
        self.field(id, TEXT);
        self.raw_text(text)
    }

    fn list(&mut self, id: i64, kind: u8, length: usize) -> &mut Self {
        self.field(id, LIST);
        match length {
            short if short < 15 => self.bytes.push((short as u8) << 4 | kind),
            long => {
                self.bytes.push(0xF0 | kind);
                self.varint(long as u64);
            }
        }
        self
    }

    /// A structure in a list.
    fn open(&mut self) -> &mut Self {
        self.around.push(self.last);
        self.last = 0;
        self
    }

    fn close(&mut self) -> &mut Self {
        self.bytes.push(0);
        self.last = self.around.pop().unwrap_or_default();
        self
    }

    /// A structure in a field.
    fn begin(&mut self, id: i64) -> &mut Self {
        self.field(id, STRUCT);
        self.open()
    }

    fn end(&mut self) -> &mut Self {
        self.close()
    }

    fn finished(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }
}
