/// A column of numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Column {
    /// Its name, unique within the trace.
    pub name: String,
    /// Its unit; empty if it has none.
    pub unit: String,
    /// One number for each row.
    pub values: Vec<f64>,
}

/// A table of numbers: columns of one length, time first by convention.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    columns: Vec<Column>,
}

impl Trace {
    /// An empty table with these columns, given as name and unit.
    pub fn new<'a>(columns: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let column = |(name, unit): (&str, &str)| Column {
            name: name.into(),
            unit: unit.into(),
            values: Vec::new(),
        };
        Trace { columns: columns.into_iter().map(column).collect() }
    }

    /// The columns, in order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The column of that name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|c| c.name == name)
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |c| c.values.len())
    }

    /// Appends a row, which has one number for each column.
    ///
    /// # Panics
    ///
    /// If it has not.
    pub fn push(&mut self, row: &[f64]) {
        assert_eq!(row.len(), self.columns.len(), "one number for each column");
        for (column, value) in self.columns.iter_mut().zip(row) {
            column.values.push(*value);
        }
    }
}
