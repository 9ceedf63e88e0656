//! Trajectories of `data/reference/rotating`. Its `scalars.csv` is compared by the crate of papers.

/// The numbers of a file, by column.
pub fn table(file: &str) -> Vec<Vec<f64>> {
    bristle_reference::Table::of(&format!("rotating/{file}")).numbers()
}
