//! Nothing is allocated once a contact is set up.
use bristle_contact::patch::transient::{Resolution, Rolled, Straight};
use bristle_contact::patch::{Model, Patch, Rolling, Steady};
use bristle_kernel::Start;
use bristle_kernel::bristle::FrbdPlanar;
use bristle_kernel::law::Stribeck;
use bristle_kernel::matrix::Isotropic;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;

struct Counting;

thread_local!(static ALLOCATIONS: Cell<usize> = const { Cell::new(0) });

// SAFETY: forwards to the system allocator; the counter is a thread-local without a destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|a| a.set(a.get() + 1));
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn allocations(f: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.with(Cell::get);
    f();
    ALLOCATIONS.with(Cell::get) - before
}

#[test]
fn points_and_steps_allocate_nothing_after_the_first() {
    let law = Stribeck { mu_d: 0.7, mu_s: 1.0, v_s: 3.49, exponent: 0.6, ..Stribeck::start(()) };
    let bristle = FrbdPlanar::start(Isotropic { m: 1.0, law });
    for e in [2.0, 3.3, 18.0] {
        let patch = Patch { n: e, m: e, ..Patch::start(()) };
        let mut contact = Steady::new(&patch, &bristle, 1e-6).unwrap();
        let at = |phi1: f64, model| Rolling {
            model,
            sigma_x: 0.08,
            sigma_y: 0.08,
            phi1,
            phi2: 0.5,
            ..Rolling::start(())
        };
        let all = [
            Rolling { sigma_x: 0.1, ..Rolling::start(()) },
            at(2.0, Model::Standard),
            at(3.0, Model::Linear),
            at(2.5, Model::Semilinear),
        ];
        for r in &all {
            contact.solve(r).unwrap();
        }
        for r in &all {
            let other = Rolling { sigma_y: r.sigma_y - 0.01, ..*r };
            let count = allocations(|| {
                let _ = black_box(contact.solve(&other));
            });
            assert_eq!(count, 0, "exponent {e}: {r:?}");
        }
        let resolution = Resolution { step: 0.006, nodes: 2, level: 1 };
        let mut straight = Straight::new(&patch, &bristle, resolution).unwrap();
        let count = allocations(|| {
            for k in 0..10 {
                black_box(straight.step([0.01 * f64::from(k), 0.1], all[2].v_r, 1.0));
            }
        });
        assert_eq!(count, 0, "steps without spin");
        let damped = FrbdPlanar { sigma1_xx: 0.02, ..bristle };
        for (r, bristle) in all.iter().flat_map(|r| [(r, bristle), (r, damped)]) {
            let mut rolled = Rolled::new(&patch, &bristle, r, resolution).unwrap();
            // New inputs at every other step.
            let count = allocations(|| {
                for k in 0..10 {
                    let now = Rolling { sigma_x: 0.01 * f64::from(k / 2), ..*r };
                    black_box(rolled.step(&now, 1.0));
                }
            });
            assert_eq!(count, 0, "steps: exponent {e}, {r:?}");
        }
    }
}
