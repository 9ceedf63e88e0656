//! What a step of a batch of `frbd` elements costs in Rust, for `tools/peers/python.py` to compare with.
//!
//! Each line of the input is a number of steps; each line of the output is how long they took, ns, or, for 0 steps, the bits of
//! all forces of the last one.
use bristle_kernel::{Bristle, Cast, Drive, Start, Update, bristle::Frbd, law::Stribeck};
use bristle_num::{Lanes, simd};
use std::hint::black_box;
use std::io::{BufRead, Write};
use std::time::Instant;

const WIDTH: usize = 4;
type Wide = Lanes<WIDTH>;

/// Velocity and load of element `i`, in operations that are exact in every language.
fn drive(i: usize) -> [f64; 2] {
    [((i * 37) % 101) as f64 - 50.0, ((i * 13) % 7) as f64 + 1.0]
}

fn main() -> std::io::Result<()> {
    let count: usize = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(4096);
    let model: Frbd<f64, Stribeck<f64>> = Frbd::start(Stribeck::start(()));
    let model = model.cast(&mut |x| Wide::from(x));
    let wide = |k: usize, scale: f64| -> Vec<Wide> {
        let lane = |g: usize| Lanes(std::array::from_fn(|l| drive(g * WIDTH + l)[k] * scale));
        (0..count / WIDTH).map(lane).collect()
    };
    let (v, load) = (wide(0, 1e-3), wide(1, 1.0));
    let mut z = vec![Wide::default(); count / WIDTH];
    let mut out = vec![0.0f64; count];
    let step = |z: &mut [Wide], out: &mut [f64]| {
        simd::widest(
            #[inline(always)]
            || {
                let h = black_box(Wide::from(1e-3));
                let drives = v.iter().zip(&load);
                for ((z, (v, load)), out) in z.iter_mut().zip(drives).zip(out.chunks_mut(WIDTH)) {
                    let at = Drive::new(*v, *load);
                    let force = model.step(Update::Midpoint, &at, h, std::slice::from_mut(z));
                    out.copy_from_slice(&force.unwrap_or_default().0);
                }
            },
        );
    };
    let mut told = std::io::stdout();
    for line in std::io::stdin().lock().lines() {
        match line?.trim().parse().unwrap_or(0) {
            0 => {
                let bits: Vec<String> = out.iter().map(|f| f.to_bits().to_string()).collect();
                writeln!(told, "{}", bits.join(" "))?;
            }
            steps => {
                let began = Instant::now();
                for _ in 0..steps {
                    step(black_box(&mut z), black_box(&mut out));
                }
                writeln!(told, "{}", began.elapsed().as_nanos())?;
            }
        }
        told.flush()?;
    }
    Ok(())
}
