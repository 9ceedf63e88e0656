//! Trajectories of `data/reference/rotating`. Its `scalars.csv` is compared by the crate of papers.

/// The numbers of a file, by column.
pub fn table(file: &str) -> Vec<Vec<f64>> {
    let path = format!("{}/../../data/reference/rotating/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let lines = text.lines().filter(|l| !l.starts_with('#')).skip(1);
    lines.map(|l| l.split(',').map(|x| x.parse().unwrap()).collect()).collect()
}
