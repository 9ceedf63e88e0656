//! The rolling contact scheme of paper 004, Appendix C.1, to compare with: first-order upwind differences on a
//! square grid around the patch, for one isotropic bristle without damping.
use bristle_contact::patch::{Model, Patch, Rolling};

/// The grid and the friction on it.
pub struct Upwind<F> {
    n: usize,
    a: f64,
    b: f64,
    /// The columns of the grid, from the leading edge on, and its rows.
    x: Vec<f64>,
    y: Vec<f64>,
    inside: Vec<bool>,
    load: Vec<f64>,
    z: Vec<[f64; 2]>,
    old: Vec<[f64; 2]>,
    /// λ of the squared slip velocity, 1/m.
    forget: F,
    stiffness: f64,
}

impl<F: Fn(f64) -> f64> Upwind<F> {
    /// An n × n grid over a patch; `forget` gives λ in z′ = −v̄ − λz over |v̄|².
    pub fn new(patch: &Patch<f64>, n: usize, stiffness: f64, forget: F) -> Self {
        let (shape, pressure) = (patch.shape(), patch.pressure());
        let part = |k: usize| 2.0 * k as f64 / (n - 1) as f64 - 1.0;
        let mut grid = Upwind {
            n,
            a: patch.a,
            b: patch.b,
            x: (0..n).map(|i| -patch.a * part(i)).collect(),
            y: (0..n).map(|j| patch.b * part(j)).collect(),
            inside: vec![false; n * n],
            load: vec![0.0; n * n],
            z: vec![[0.0; 2]; n * n],
            old: vec![[0.0; 2]; n * n],
            forget,
            stiffness,
        };
        for i in 0..n {
            for j in 0..n {
                let (x, y) = (grid.x[i], grid.y[j]);
                if shape.level(x, y) <= 1.0 {
                    grid.inside[i * n + j] = true;
                    grid.load[i * n + j] = pressure.at(&shape, x, y);
                }
            }
        }
        let total: f64 = grid.load.iter().sum();
        grid.load.iter_mut().for_each(|p| *p *= patch.load / total);
        grid
    }

    fn spins(r: &Rolling<f64>) -> [f64; 2] {
        if r.model == Model::Standard { [0.0; 2] } else { [r.phi1, r.phi2] }
    }

    /// F_x, F_y and M_z in steady rolling; Model 2 by fixed-point iteration of Model 3.
    pub fn steady(&mut self, r: &Rolling<f64>) -> [f64; 3] {
        let n = self.n;
        let (dx, dy) = (2.0 * self.a / (n - 1) as f64, 2.0 * self.b / (n - 1) as f64);
        let ([phi1, phi2], phi) = (Self::spins(r), r.phi1 + r.phi2);
        self.z.fill([0.0; 2]);
        let semilinear = r.model == Model::Semilinear;
        for _ in 0..if semilinear { 30 } else { 1 } {
            self.old.copy_from_slice(&self.z);
            self.z.fill([0.0; 2]);
            let mut change: f64 = 0.0;
            for i in 1..n {
                let across = -phi1 * self.x[i];
                for jj in 0..n {
                    let j = if across >= 0.0 { jj } else { n - 1 - jj };
                    let at = i * n + j;
                    if !self.inside[at] {
                        continue;
                    }
                    let (cx, cy) = ((1.0 - phi1 * self.y[j]) / dx, across.abs() / dy);
                    let mut from = self.z[at - n].map(|z| cx * z);
                    let beside =
                        if across >= 0.0 { j.checked_sub(1) } else { (j + 1 < n).then_some(j + 1) };
                    if let Some(k) = beside {
                        let z = self.z[i * n + k];
                        from = [from[0] + cy * z[0], from[1] + cy * z[1]];
                    }
                    let v = [phi * self.y[j] - r.sigma_x, -phi * self.x[i] - r.sigma_y];
                    let o = self.old[at];
                    let felt = match semilinear {
                        true => [v[0] + phi2 * o[1], v[1] - phi2 * o[0]],
                        false => v,
                    };
                    let a = cx + cy + (self.forget)(felt[0] * felt[0] + felt[1] * felt[1]);
                    let right = [from[0] - v[0], from[1] - v[1]];
                    let d = 1.0 / (a * a + phi2 * phi2);
                    let z = [
                        (a * right[0] - phi2 * right[1]) * d,
                        (a * right[1] + phi2 * right[0]) * d,
                    ];
                    change = change.max((z[0] - o[0]).abs()).max((z[1] - o[1]).abs());
                    self.z[at] = z;
                }
            }
            if change < 1e-8 {
                break;
            }
        }
        self.sums()
    }

    fn sums(&self) -> [f64; 3] {
        let mut sums = [0.0; 3];
        for i in 0..self.n {
            for j in 0..self.n {
                let at = i * self.n + j;
                let (p, z) = (self.load[at] * self.stiffness, self.z[at]);
                sums[0] += p * z[0];
                sums[1] += p * z[1];
                sums[2] += p * (self.x[i] * z[1] - self.y[j] * z[0]);
            }
        }
        sums
    }

    /// The same after rolling `distance` from undeflected bristles, explicitly at a Courant number of ½.
    pub fn transient(&mut self, r: &Rolling<f64>, distance: f64) -> [f64; 3] {
        let n = self.n;
        let (dx, dy) = (2.0 * self.a / (n - 1) as f64, 2.0 * self.b / (n - 1) as f64);
        let ([phi1, phi2], phi) = (Self::spins(r), r.phi1 + r.phi2);
        let fastest = (1.0 + phi1.abs() * self.b) / dx + phi1.abs() * self.a / dy;
        let steps = (distance * fastest / 0.5).ceil() as usize;
        let h = distance / steps as f64;
        self.z.fill([0.0; 2]);
        let mut out = [0.0; 3];
        for _ in 0..steps {
            self.old.copy_from_slice(&self.z);
            for i in 1..n {
                let across = -phi1 * self.x[i];
                for j in 0..n {
                    let at = i * n + j;
                    if !self.inside[at] {
                        continue;
                    }
                    let (cx, cy) = ((1.0 - phi1 * self.y[j]) * h / dx, across.abs() * h / dy);
                    let beside =
                        if across >= 0.0 { j.checked_sub(1) } else { (j + 1 < n).then_some(j + 1) };
                    let side = beside.map_or([0.0; 2], |k| self.old[i * n + k]);
                    let v = [phi * self.y[j] - r.sigma_x, -phi * self.x[i] - r.sigma_y];
                    let rate = (self.forget)(v[0] * v[0] + v[1] * v[1]);
                    let (z, up) = (self.old[at], self.old[at - n]);
                    let turn = [-phi2 * z[1], phi2 * z[0]];
                    for k in 0..2 {
                        self.z[at][k] = z[k] - cx * (z[k] - up[k]) - cy * (z[k] - side[k])
                            + h * (turn[k] - rate * z[k] - v[k]);
                    }
                }
            }
            out = self.sums();
        }
        out
    }
}
