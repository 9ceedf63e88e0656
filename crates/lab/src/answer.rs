//! What the server answers: a header in JSON, and columns of numbers behind it.
//!
//! Eight bytes say how long the header is (little-endian); the header follows, filled up with spaces to a multiple of eight; then
//! the columns, one behind the other, little-endian, eight bytes a number. The header names a column as `[first, count]`.
use serde_json::{Value, json};

/// An answer under way.
#[derive(Debug, Default)]
pub struct Answer {
    /// What is said.
    pub header: Value,
    numbers: Vec<f64>,
}

impl Answer {
    /// Keeps a column; gives what the header calls it.
    pub fn column(&mut self, values: impl IntoIterator<Item = f64>) -> Value {
        let first = self.numbers.len();
        self.numbers.extend(values);
        json!([first, self.numbers.len() - first])
    }

    /// As it is sent.
    pub fn bytes(&self) -> Vec<u8> {
        let mut header = self.header.to_string().into_bytes();
        header.resize(header.len().next_multiple_of(8), b' ');
        let mut bytes = Vec::with_capacity(8 + header.len() + 8 * self.numbers.len());
        bytes.extend((header.len() as u64).to_le_bytes());
        bytes.extend(header);
        bytes.extend(self.numbers.iter().flat_map(|x| x.to_le_bytes()));
        bytes
    }
}

/// An answer as it was sent, for tests and other clients.
#[derive(Debug)]
pub struct Received {
    /// What is said.
    pub header: Value,
    numbers: Vec<f64>,
}

impl Received {
    /// Reads the bytes of an answer; nothing if they are none.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let (length, rest) = bytes.split_first_chunk()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (header, rest) = rest.split_at_checked(length)?;
        let (numbers, []) = rest.as_chunks() else { return None };
        let numbers = numbers.iter().map(|x| f64::from_le_bytes(*x)).collect();
        Some(Received { header: serde_json::from_slice(header).ok()?, numbers })
    }

    /// The column that the header calls `[first, count]`.
    pub fn column(&self, place: &Value) -> Option<&[f64]> {
        let at = |k: usize| usize::try_from(place[k].as_u64()?).ok();
        self.numbers.get(at(0)?..at(0)? + at(1)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_as_it_was_written() {
        let mut answer = Answer::default();
        let [a, b] = [vec![1.0, f64::NAN, -0.0], vec![]].map(|column| answer.column(column));
        answer.header = json!({ "a": a, "b": b, "text": "µ" });
        let bytes = answer.bytes();
        let read = Received::read(&bytes).unwrap();
        let a = read.column(&read.header["a"]).unwrap();
        assert!(a[0] == 1.0 && a[1].is_nan() && a[2].is_sign_negative() && a.len() == 3);
        assert_eq!(read.column(&read.header["b"]).unwrap(), [0.0; 0]);
        assert!(Received::read(&bytes[..bytes.len() - 1]).is_none());
        assert!(read.column(&json!([2, 5])).is_none());
    }
}
