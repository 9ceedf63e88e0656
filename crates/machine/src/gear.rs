//! Rigid gears and racks: bodies that move together share a coordinate.
use crate::Builder;

/// What ties two bodies: the first moves `ratio` times as far as the second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gear {
    pub(crate) bodies: [usize; 2],
    pub(crate) ratio: f64,
    /// Its place in the file.
    pub(crate) part: (&'static str, usize),
}

/// The coordinate of a body, and how far the body moves with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    pub(crate) coordinate: usize,
    pub(crate) ratio: f64,
}

impl Builder {
    /// One coordinate for every set of bodies that gears tie together: that of the body which comes first.
    pub(crate) fn share_coordinates(&mut self, bodies: usize, gears: &[Gear]) -> Vec<Share> {
        let mut shares: Vec<Option<Share>> = vec![None; bodies];
        let mut used = vec![false; gears.len()];
        let mut coordinates = 0;
        for root in 0..bodies {
            if shares[root].is_some() {
                continue;
            }
            shares[root] = Some(Share { coordinate: coordinates, ratio: 1.0 });
            coordinates += 1;
            let mut open = vec![root];
            while let Some(body) = open.pop() {
                let Some(own) = shares[body] else { continue };
                for (k, gear) in gears.iter().enumerate() {
                    let [a, b] = gear.bodies;
                    if used[k] || (a != body && b != body) {
                        continue;
                    }
                    used[k] = true;
                    let (other, ratio) = if a == body {
                        (b, own.ratio / gear.ratio)
                    } else {
                        (a, own.ratio * gear.ratio)
                    };
                    if shares[other].is_some() {
                        let text = "closes a loop of rigid gears, which cannot turn or carries an \
                                    undetermined torque: leave one of them out, or make it an elastic [[shaft]]";
                        self.fault(gear.part, "between", text.into());
                    } else {
                        shares[other] = Some(Share { coordinate: own.coordinate, ratio });
                        open.push(other);
                    }
                }
            }
        }
        shares.into_iter().flatten().collect()
    }
}
