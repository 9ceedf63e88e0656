//! The rule that a motion was solved by, to be looked at.
use super::cell::Stretch;
use super::inflow::WIDTH;
use super::rules::weights;
use super::{Refused, Rolling, Steady};

/// One path of a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct RulePath {
    /// Which tile it belongs to, counted from 0.
    pub tile: usize,
    /// Places along it, m, the first where it enters and the last where it leaves.
    pub way: Vec<[f64; 2]>,
    /// Where its cells end, m.
    pub cells: Vec<[f64; 2]>,
}

/// Places along a drawn path.
const PLACES: usize = 32;

impl Steady {
    /// The paths and cells by which a motion is solved as accurately as asked for.
    pub fn rule(&mut self, rolling: &Rolling<f64>) -> Result<Vec<RulePath>, Refused> {
        let motion = self.checked(rolling)?;
        let (tiles, _) = self.by_tiles(&motion);
        let mut paths = Vec::new();
        for (tile, own) in tiles.iter().enumerate() {
            for (k, eight) in own.paths.iter().enumerate() {
                let used = weights(own.level, k);
                for lane in (0..WIDTH).filter(|lane| used.0[*lane] > 0.0) {
                    let entry = eight.entry.map(|x| x.0[lane]);
                    let v = motion.flow.velocity(entry[0], entry[1]);
                    let length = eight.length().0[lane];
                    let parts: Vec<f64> = eight.ends.iter().map(|end| end.0[lane]).collect();
                    let place = |tau: f64| motion.flow.follow(entry, v, tau);
                    let from = [0.0].into_iter().chain(own.cells.iter().copied());
                    let ends = from.zip(&own.cells);
                    let end =
                        |(from, to): (f64, &f64)| place(Stretch::of(&parts, from, *to).at(1.0)[0]);
                    let way = (0..=PLACES).map(|i| place(length * i as f64 / PLACES as f64));
                    let cells = ends.map(end).collect();
                    paths.push(RulePath { tile, way: way.collect(), cells });
                }
            }
        }
        Ok(paths)
    }
}
