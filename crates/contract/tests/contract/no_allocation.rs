//! No model allocates, in any scalar, up to eight branches or points.
use crate::common::{D, Subject};
use bristle_kernel::{
    AnyBristle, AnyPlanar, Bristle, Drive, Field, Free, Group, MAX_GUARDS, Real, Slip, Update,
};
use bristle_num::Lanes;
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

fn exercise<S: Real, V: Slip<S>>(model: &impl Bristle<S, V>) {
    let mut at = Drive::new(V::from_fn(|_| S::from(0.01)), S::from(2.0));
    let (mut store, mut rates) = ([S::from(1e-5); 9], [S::from(0.0); 9]);
    let n = model.states();
    let (z, dz) = (&mut store[..n], &mut rates[..n]);
    black_box(model.eval(&at, z, dz));
    black_box(model.energy(&at, z, dz));
    at.mode = model.begin(&at, z);
    at.v = V::from_fn(|_| S::from(-0.01));
    at.mode = model.commit(&at, z);
    let mut guards = [S::from(0.0); MAX_GUARDS];
    model.watch(&at, z, &mut guards[..model.guards()]);
    for k in 0..model.guards() {
        black_box(model.next(k, &at, z));
    }
    black_box((guards, model.depart(&at, S::from(1.0))));
    black_box(model.limits(&at));
    black_box(model.passivity());
    model.bound(z, S::from(1.0), S::from(5.0), dz);
    black_box(model.step(Update::Midpoint, &at, S::from(1e-3), z));
    black_box(model.step(Update::Exponential, &at, S::from(1e-3), z));
    let free = Free { velocity: at.v, gain: S::from(1e-4) };
    for how in [Update::Midpoint, Update::End] {
        black_box(model.advance(how, &mut at.clone(), &free, S::from(1e-3), z));
    }
    black_box((model.steady(&at, z), &*z, &*dz, model.attracts(&at)));
}

fn models<M: Subject>() {
    for (name, mut model) in M::all() {
        model.visit(Group::default(), &mut |v| {
            if let Field::List(list) = v.field {
                let more = [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7].map(|f| f * list[1]);
                *list = more.into_iter().collect();
            }
        });
        let (lanes, dual) = (model.in_scalar::<Lanes<4>>(), model.in_scalar::<D>());
        assert_eq!(allocations(|| exercise(&model)), 0, "{name}");
        assert_eq!(allocations(|| exercise(&lanes)), 0, "{name} in lanes");
        assert_eq!(allocations(|| exercise(&dual)), 0, "{name} in duals");
    }
}

#[test]
fn no_model_allocates() {
    assert_eq!(allocations(|| drop(black_box(Box::new(1)))), 1, "the counter counts");
    models::<AnyBristle<f64>>();
    models::<AnyPlanar<f64>>();
}
