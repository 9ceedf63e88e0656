//! scratch
use bristle_contact::patch::{Model, Patch, Rolling, Steady};
use bristle_kernel::bristle::FrbdPlanar;
use bristle_kernel::law::Stribeck;
use bristle_kernel::matrix::Isotropic;
use bristle_kernel::Start;
use std::hint::black_box;
use std::time::Instant;
fn main() {
    let law = Stribeck { mu_d: 0.7, mu_s: 1.0, v_s: 3.49, exponent: 0.6, ..Stribeck::start(()) };
    let bristle = FrbdPlanar { epsilon: 1e-12, ..FrbdPlanar::start(Isotropic { m: 1.0, law }) };
    let only: Option<usize> = std::env::args().nth(1).and_then(|s| s.parse().ok());
    let (mut i, mut means) = (0, [0.0f64; 2]);
    for (shape, e) in [("rect", 18.0), ("elli", 2.0)] {
        let patch = Patch { n: e, m: e, ..Patch::start(()) };
        for (model, sigma, spin) in [
            (Model::Standard, [0.3, 0.2], [0.5, 0.25]),
            (Model::Standard, [0.08, 0.08], [1.5, 1.5]),
            (Model::Linear, [0.3, 0.2], [0.5, 0.25]),
            (Model::Linear, [0.08, 0.08], [3.0, 0.0]),
            (Model::Linear, [0.08, 0.08], [0.0, 3.0]),
            (Model::Semilinear, [0.3, 0.2], [0.5, 0.25]),
            (Model::Semilinear, [0.08, 0.08], [0.0, 3.0]),
            (Model::Semilinear, [0.08, 0.08], [1.5, 1.5]),
        ] {
            i += 1;
            if only.is_some_and(|o| o != i) { continue; }
            let r = Rolling { model, sigma_x: sigma[0], sigma_y: sigma[1], phi1: spin[0], phi2: spin[1], ..Rolling::start(()) };
            let truth = Steady::new(&patch, &bristle, 1e-9).unwrap().solve(&r).unwrap();
            print!("{i:2} {shape} {model:?} {sigma:?} {spin:?}");
            for (k, acc) in [1e-3, 1e-6].into_iter().enumerate() {
                let mut s = Steady::new(&patch, &bristle, acc).unwrap();
                let mut best = f64::INFINITY;
                let n = if only.is_some() { 2000 } else { 20 };
                for _ in 0..n {
                    let t = Instant::now();
                    let _ = black_box(s.solve(black_box(&r)));
                    best = best.min(t.elapsed().as_secs_f64() * 1e6);
                }
                let o = s.solve(&r).unwrap();
                let rule = s.rule(&r).unwrap();
                let tiles = rule.iter().map(|p| p.tile).max().unwrap() + 1;
                let cells: usize = rule.iter().map(|p| p.cells.len()).sum();
                means[k] += best.ln() / 16.0;
                print!(" | {best:8.1} us off {:.0e} est {:.0e} tiles {tiles} paths {} cells {cells}", s.distance(&o.wrench(), &truth.wrench()), o.error, rule.len());
            }
            println!();
        }
    }
    println!("geometric means {:.1} {:.1}", means[0].exp(), means[1].exp());
}
