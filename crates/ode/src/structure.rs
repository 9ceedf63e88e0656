//! The zeros of a Jacobian, and what they save.
//!
//! Bristles couple to their own contact and positions to velocities. An order of elimination that takes
//! states with few neighbours first (minimum degree) therefore eliminates both before anything fills in,
//! whatever the number of bodies. Columns that share no row get their derivatives from one and the same
//! direction of dual numbers (A. R. Curtis, M. J. D. Powell, J. K. Reid, J. Inst. Maths Applics 13
//! (1974) 117-119).
use crate::{Slope, Storage, System};

/// The colour of an entry that is zero before elimination.
const FILL: u32 = u32::MAX;
/// Directions of one dual number.
const WIDTH: usize = 4;

/// Where the entries of a Jacobian and of its factors are. Rows and columns are numbered in the order of
/// elimination.
#[derive(Clone, Debug)]
pub(crate) struct Structure<St: Storage> {
    /// The state eliminated at each place.
    pub(crate) order: St::States<u32>,
    /// Row i has the entries `first[i]..last[i]`, its diagonal is `diagonal[i]`.
    pub(crate) first: St::States<u32>,
    pub(crate) diagonal: St::States<u32>,
    pub(crate) last: St::States<u32>,
    /// The column of each entry.
    pub(crate) column: St::Pairs<u32>,
    /// Its direction among the dual numbers.
    colour: St::Pairs<u32>,
    /// The direction of each state.
    direction: St::States<u32>,
    colours: usize,
    seeded: St::States<Slope>,
    rates: St::States<Slope>,
}

impl<St: Storage> Structure<St> {
    /// That of a system's rates, or of equations in which each state enters its own besides.
    pub(crate) fn of<Sys: System>(system: &Sys, own: bool) -> Self {
        let n = system.states();
        // Whether row i depends on column j, and whether elimination couples them.
        let mut depends = St::pairs(n * n, false);
        let depends = depends.as_mut();
        for i in 0..n {
            system.depends(i, &mut |j| depends[i * n + j] = true);
            depends[i * n + i] |= own;
        }
        let mut coupled = St::pairs(n * n, false);
        let coupled = coupled.as_mut();
        for i in 0..n {
            for j in 0..n {
                coupled[i * n + j] = i == j || depends[i * n + j] || depends[j * n + i];
            }
        }
        let order = minimum_degree::<St>(n, coupled);
        let (direction, colours) = colour_columns::<St>(n, depends);
        let places = order.as_ref();
        let entries = coupled.iter().take(n * n).filter(|c| **c).count();
        let mut column = St::pairs(entries, 0);
        let mut colour = St::pairs(entries, FILL);
        let mut first = St::states(n, 0);
        let (mut diagonal, mut last) = (first.clone(), first.clone());
        let mut entry = 0;
        for i in 0..n {
            first.as_mut()[i] = entry as u32;
            for j in 0..n {
                let (row, col) = (places[i] as usize, places[j] as usize);
                if !coupled[row * n + col] {
                    continue;
                }
                if i == j {
                    diagonal.as_mut()[i] = entry as u32;
                }
                column.as_mut()[entry] = j as u32;
                if depends[row * n + col] {
                    colour.as_mut()[entry] = direction.as_ref()[col];
                }
                entry += 1;
            }
            last.as_mut()[i] = entry as u32;
        }
        let seeded = St::states(n, Slope::from(0.0));
        let rates = seeded.clone();
        Structure {
            order,
            first,
            diagonal,
            last,
            column,
            colour,
            direction,
            colours,
            seeded,
            rates,
        }
    }

    /// How many entries the factors have.
    pub(crate) fn entries(&self) -> usize {
        self.last.as_ref().last().map_or(0, |last| *last as usize)
    }

    /// Writes the entries of the Jacobian of `f` at `y`.
    pub(crate) fn jacobian(
        &mut self,
        mut f: impl FnMut(&[Slope], &mut [Slope]),
        y: &[f64],
        out: &mut [f64],
    ) {
        for from in (0..self.colours.max(1)).step_by(WIDTH) {
            let seeded = self.seeded.as_mut();
            for ((slope, y), direction) in seeded.iter_mut().zip(y).zip(self.direction.as_ref()) {
                *slope = Slope::from(*y);
                if let Some(eps) = slope.eps.get_mut((*direction as usize).wrapping_sub(from)) {
                    *eps = 1.0;
                }
            }
            let rates = self.rates.as_mut();
            f(seeded, rates);
            let rows = self.first.as_ref().iter().zip(self.last.as_ref());
            for ((first, last), row) in rows.zip(self.order.as_ref()) {
                let rate = &rates[*row as usize];
                let entries = *first as usize..*last as usize;
                let colours = &self.colour.as_ref()[entries.clone()];
                for (out, colour) in out[entries].iter_mut().zip(colours) {
                    if *colour == FILL {
                        *out = 0.0;
                    } else if let Some(eps) = rate.eps.get((*colour as usize).wrapping_sub(from)) {
                        *out = *eps;
                    }
                }
            }
        }
    }
}

/// An order in which the state with the fewest neighbours comes next. Marks as coupled what elimination
/// couples.
fn minimum_degree<St: Storage>(n: usize, coupled: &mut [bool]) -> St::States<u32> {
    let mut order = St::states(n, 0);
    let mut done = St::states(n, false);
    let done = done.as_mut();
    let mut degree = St::states(n, 0);
    let degree = degree.as_mut();
    let mut near = St::states(n, 0);
    let near = near.as_mut();
    for i in 0..n {
        degree[i] = (0..n).filter(|j| coupled[i * n + j]).count();
    }
    for place in order.as_mut() {
        let Some(next) = (0..n).filter(|i| !done[*i]).min_by_key(|i| degree[*i]) else { break };
        *place = next as u32;
        done[next] = true;
        let mut neighbours = 0;
        for j in (0..n).filter(|j| !done[*j] && coupled[next * n + j]) {
            near[neighbours] = j;
            neighbours += 1;
        }
        for (k, &i) in near[..neighbours].iter().enumerate() {
            degree[i] -= 1;
            for &j in &near[..k] {
                if !coupled[i * n + j] {
                    (coupled[i * n + j], coupled[j * n + i]) = (true, true);
                    degree[i] += 1;
                    degree[j] += 1;
                }
            }
        }
    }
    order
}

/// A direction for each column, such that columns with a row in common have different ones, and how many
/// there are.
fn colour_columns<St: Storage>(n: usize, depends: &[bool]) -> (St::States<u32>, usize) {
    let mut colour = St::states(n, FILL);
    // The last column that a colour was found next to.
    let mut taken = St::states(n, usize::MAX);
    let mut colours = 0;
    for j in 0..n {
        for i in (0..n).filter(|i| depends[i * n + j]) {
            for k in (0..j).filter(|k| depends[i * n + k]) {
                taken.as_mut()[colour.as_ref()[k] as usize] = j;
            }
        }
        let free = taken.as_ref().iter().position(|last| *last != j).unwrap_or(0);
        colour.as_mut()[j] = free as u32;
        colours = colours.max(free + 1);
    }
    (colour, colours)
}
