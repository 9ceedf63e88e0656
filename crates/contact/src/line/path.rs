//! One bristle along its path, and what a stretch of time does to any bristle.
//!
//! A bristle that is linear in its state obeys ż = A(t) z + b(t). A step that is exact for the drive frozen at its
//! middle is symmetric in time, so its error has even powers of the step only, and extrapolation over 1, 2, 3, …
//! steps takes them away one by one (Gragg; Deuflhard 1985). Where eight columns do not agree, the stretch is halved.
//!
//! The error that is stated is the larger of the last two changes of the table's diagonal, one of which may be small by
//! chance, times the number of steps. Where h²-expansions hold the last change alone would do. Where bristles settle within a step the error of n steps goes as 1/n instead, and
//! what the diagonal has still to go is 0.5 to 4.6 times its last change, in columns two to eight.
use super::NotLinear;

/// The most states a bristle in a line may have.
pub(super) const STATES: usize = 24;
/// Columns of the extrapolation: order 16 in 36 steps.
const COLUMNS: usize = 8;
/// Stretches are halved down to this part, and into so many at most.
const SHORTEST: f64 = 1e-6;
const MAX_PARTS: usize = 100_000;
/// Rounding that the columns leave: their weights add up to some hundreds.
const ROUNDING: f64 = 256.0 * f64::EPSILON;

/// A state with its error.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub z: [f64; STATES],
    pub error: [f64; STATES],
    pub n: usize,
}

impl Known {
    /// n zeros.
    pub fn zeros(n: usize) -> Self {
        Known { z: [0.0; STATES], error: [0.0; STATES], n }
    }

    fn unit(n: usize, k: usize) -> Self {
        let mut unit = Known::zeros(n);
        unit.z[k] = 1.0;
        unit
    }

    /// Its numbers.
    pub fn state(&self) -> &[f64] {
        &self.z[..self.n]
    }

    /// The state on the far side of its error.
    pub fn beside(&self) -> [f64; STATES] {
        std::array::from_fn(|i| self.z[i] + self.error[i])
    }
}

/// How well states are to be known at the end of a span of time: so well relative to the larger of a state on the way
/// and these sizes. A part of the span may add its part of the error.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tolerance {
    pub relative: f64,
    pub span: f64,
    pub sizes: [f64; STATES],
}

impl Tolerance {
    /// What a part of that duration may add, relatively.
    fn of(&self, duration: f64) -> f64 {
        (self.relative * (duration / self.span).min(1.0)).max(ROUNDING)
    }
}

/// Advances a state over a step at the drive of its middle: time of the middle, step, state.
pub(super) trait Step: Fn(f64, f64, &mut [f64]) -> Option<()> {}
impl<F: Fn(f64, f64, &mut [f64]) -> Option<()>> Step for F {}

/// One stretch by extrapolation, until it is within `tolerance`: the state, and its largest relative error.
fn extrapolate(
    step: &impl Step,
    from: f64,
    to: f64,
    start: &Known,
    tolerance: &Tolerance,
) -> Result<(Known, f64), NotLinear> {
    let n = start.n;
    let mut table = [[0.0; STATES]; COLUMNS];
    // The greatest size of each state on the way: what its change is measured against.
    let mut scale: [f64; STATES] =
        std::array::from_fn(|i| tolerance.sizes[i].max(start.z[i].abs()));
    let (mut best, mut change, mut worst) = (*start, [0.0; STATES], 0.0);
    for k in 0..COLUMNS {
        let h = (to - from) / (k + 1) as f64;
        let mut z = start.z;
        for i in 0..=k {
            step(from + (i as f64 + 0.5) * h, h, &mut z[..n]).ok_or(NotLinear)?;
            for (scale, z) in scale.iter_mut().zip(&z[..n]) {
                *scale = scale.max(z.abs());
            }
        }
        // Neville's scheme in h²: table[j] is the entry of the new row that began with k − j + 1 … k + 1 steps.
        for j in 0..=k {
            let old = std::mem::replace(&mut table[j], z);
            if j < k {
                let ratio = (k + 1) as f64 / (k - j) as f64;
                let divisor = ratio * ratio - 1.0;
                for i in 0..n {
                    z[i] += (z[i] - old[i]) / divisor;
                }
            }
        }
        let before = std::mem::replace(&mut best, Known { z: table[k], error: [0.0; STATES], n });
        worst = 0.0;
        for i in 0..n {
            let last = (best.z[i] - before.z[i]).abs();
            best.error[i] = (k + 1) as f64 * last.max(change[i]);
            change[i] = last;
            if best.error[i] > 0.0 {
                worst = f64::max(worst, best.error[i] / scale[i]);
            }
        }
        if k > 1 && worst <= tolerance.of(to - from) {
            break;
        }
    }
    Ok((best, worst))
}

/// Follows a state through a stretch, in as many parts as it takes, and says where they end.
fn in_parts(
    step: &impl Step,
    from: f64,
    to: f64,
    starts: &mut [Known],
    tolerance: &Tolerance,
    mut part: impl FnMut(f64, &mut [Known]),
) -> Result<(), NotLinear> {
    let (mut t, mut h) = (from, to - from);
    let (shortest, mut parts, mut before) = (SHORTEST * h, 0, f64::INFINITY);
    while t < to {
        let end = if t + 1.5 * h >= to { to } else { t + h };
        let mut found = Vec::with_capacity(starts.len());
        let mut worst = 0.0f64;
        for start in starts.iter() {
            let (next, error) = extrapolate(step, t, end, start, tolerance)?;
            worst = worst.max(error);
            found.push(next);
        }
        // Models round more than the columns do: what is small and does not shrink is rounding, and stays in the error.
        let rounding = worst < 16.0 * ROUNDING && worst > 0.5 * before;
        if worst > tolerance.of(end - t) && !rounding && h > shortest && parts < MAX_PARTS {
            (h, before) = (0.5 * (end - t), worst);
            continue;
        }
        before = f64::INFINITY;
        parts += 1;
        for (start, mut next) in starts.iter_mut().zip(found) {
            if start.error[..start.n].iter().any(|e| *e > 0.0) {
                // What was wrong before goes on as the equation says.
                let (mut here, mut beside) = (start.z, start.beside());
                for z in [&mut here, &mut beside] {
                    step(0.5 * (t + end), end - t, &mut z[..start.n]).ok_or(NotLinear)?;
                }
                for i in 0..start.n {
                    next.error[i] += (beside[i] - here[i]).abs();
                }
            }
            *start = next;
        }
        part(end, starts);
        (h, t) = (2.0 * (end - t), end);
    }
    Ok(())
}

/// The state at the end of a stretch.
pub(super) fn follow(
    step: &impl Step,
    from: f64,
    to: f64,
    start: Known,
    tolerance: &Tolerance,
) -> Result<Known, NotLinear> {
    let mut state = [start];
    in_parts(step, from, to, &mut state, tolerance, |_, _| {})?;
    Ok(state[0])
}

/// What a stretch of time does to any state: z → c + Φz.
#[derive(Clone, Debug)]
struct Affine {
    origin: Known,
    columns: Vec<Known>,
}

impl Affine {
    fn linear(&self, from: &Known, mut sum: Known) -> Known {
        for (column, (z, error)) in self.columns.iter().zip(from.z.iter().zip(from.error)) {
            for i in 0..sum.n {
                sum.z[i] += column.z[i] * z;
                sum.error[i] += column.z[i].abs() * error + column.error[i] * z.abs();
            }
        }
        sum
    }

    fn apply(&self, z: &Known) -> Known {
        self.linear(z, self.origin)
    }
}

/// A stretch of time that is resolved as a whole.
struct Cell {
    to: f64,
    /// From the end of the cell to the moment looked at.
    onward: Affine,
}

/// What time does to bristles that are all the same: cells, each with the map from its end to the moment looked at.
/// However many cells a bristle passed through, its state costs a part of one cell and one map.
pub(super) struct Cells {
    cells: Vec<Cell>,
    /// From the first time on.
    whole: Affine,
}

impl Cells {
    /// From the first of `times` to the last; between those in between the drive is smooth.
    pub fn new(
        step: &impl Step,
        n: usize,
        times: &[f64],
        tolerance: &Tolerance,
    ) -> Result<Self, NotLinear> {
        let mut found: Vec<(f64, Affine)> = Vec::new();
        for pair in times.windows(2) {
            let fresh =
                || std::iter::once(Known::zeros(n)).chain((0..n).map(|k| Known::unit(n, k)));
            let mut starts: Vec<Known> = fresh().collect();
            in_parts(step, pair[0], pair[1], &mut starts, tolerance, |to, images| {
                let origin = images[0];
                let column = |image: &Known| {
                    let mut column = *image;
                    for i in 0..n {
                        column.z[i] -= origin.z[i];
                        column.error[i] += origin.error[i];
                    }
                    column
                };
                found.push((
                    to,
                    Affine { origin, columns: images[1..].iter().map(column).collect() },
                ));
                for (image, start) in images.iter_mut().zip(fresh()) {
                    *image = start;
                }
            })?;
        }
        let columns = (0..n).map(|k| Known::unit(n, k)).collect();
        let mut onward = Affine { origin: Known::zeros(n), columns };
        let mut cells = Vec::with_capacity(found.len());
        for (to, own) in found.into_iter().rev() {
            let through = Affine {
                origin: onward.apply(&own.origin),
                columns: own.columns.iter().map(|c| onward.linear(c, Known::zeros(n))).collect(),
            };
            cells.push(Cell { to, onward: std::mem::replace(&mut onward, through) });
        }
        cells.reverse();
        Ok(Cells { cells, whole: onward })
    }

    /// The state now of a bristle that was in this state at the first time.
    pub fn since_start(&self, z: &Known) -> Known {
        self.whole.apply(z)
    }

    /// The state now of a bristle that entered, undeflected, at that time.
    pub fn entered(
        &self,
        step: &impl Step,
        n: usize,
        entry: f64,
        tolerance: &Tolerance,
    ) -> Result<Known, NotLinear> {
        let k = self.cells.partition_point(|c| c.to <= entry);
        let Some(cell) = self.cells.get(k) else { return Ok(Known::zeros(n)) };
        Ok(cell.onward.apply(&follow(step, entry, cell.to, Known::zeros(n), tolerance)?))
    }
}
