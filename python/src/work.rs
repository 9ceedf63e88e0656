//! Computations beside the interpreter: on threads of their own, to be interrupted, and told of.
use crate::errors::Refusal;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How far a computation is, and whether it is to go on.
#[derive(Clone, Default)]
pub struct Watch(Arc<Watched>);

#[derive(Default)]
struct Watched {
    stop: AtomicBool,
    /// The bits of a part from 0 to 1.
    part: AtomicU64,
    doing: Mutex<String>,
}

impl Watch {
    /// So much of it is done, from 0 to 1.
    pub fn at(&self, part: f64) -> ControlFlow<()> {
        self.0.part.store(part.to_bits(), Ordering::Relaxed);
        match self.stopped() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    /// What is being done.
    pub fn name(&self, doing: impl Into<String>) {
        *self.0.doing.lock().unwrap_or_else(PoisonError::into_inner) = doing.into();
    }

    /// Whether nobody waits for it any more.
    pub fn stopped(&self) -> bool {
        self.0.stop.load(Ordering::Relaxed)
    }

    fn told(&self) -> (f64, String) {
        let part = f64::from_bits(self.0.part.load(Ordering::Relaxed));
        (part, self.0.doing.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

/// How often signals are looked for.
const LOOK: Duration = Duration::from_millis(25);
/// The stack of a computation, bytes: as much as a main thread has.
const STACK: usize = 8 << 20;

/// Runs `work` on the threads of the pool without the interpreter. Signals are looked for meanwhile: an interrupt is raised at once, and
/// what still runs ends at the next look at its [`Watch`]. `tell` is called with how much is done and what is being done.
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    subject: &str,
    tell: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Watch) -> Result<T, Refusal> + Send + 'static,
) -> PyResult<T> {
    let watch = Watch::default();
    let (own, (sender, mut receiver)) = (watch.clone(), sync_channel(1));
    let job = move || {
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&own)));
        // Nobody may wait for it any more.
        let _ = sender.send(outcome);
    };
    pool().spawn(job);
    let mut last = (0.0, String::new());
    loop {
        // A mutable reference may leave the interpreter; a shared one may not.
        let waiting = &mut receiver;
        match py.detach(move || waiting.recv_timeout(LOOK)) {
            Ok(Ok(outcome)) => return outcome.map_err(|refusal| refusal.raise(py, subject)),
            Ok(Err(panic)) => return Err(internal(&*panic)),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the computation ended without a result"));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        let told = watch.told();
        let heard = py.check_signals().and_then(|()| match tell {
            Some(tell) if told != last => tell.call1(told.clone()).map(|_| ()),
            _ => Ok(()),
        });
        if let Err(error) = heard {
            watch.0.stop.store(true, Ordering::Relaxed);
            // What cannot be stopped goes on there, and the next computation does not wait for it.
            fresh();
            return Err(error);
        }
        last = told;
    }
}

/// A mistake of the library itself, which is no reason to end the interpreter.
fn internal(panic: &(dyn std::any::Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown");
    PyRuntimeError::new_err(format!("a mistake in bristle itself, please report it: {text}"))
}

/// Threads that belong to a process: those of a parent are not there after a fork.
struct Pool {
    process: u32,
    threads: ThreadPool,
}

static POOL: AtomicPtr<Pool> = AtomicPtr::new(std::ptr::null_mut());
static THREADS: AtomicUsize = AtomicUsize::new(0);

/// How many threads computations use.
pub fn threads() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    match THREADS.load(Ordering::Relaxed) {
        0 => cores,
        n => n.min(cores),
    }
}

/// From now on computations use so many threads, 0 for one for each core.
pub fn use_threads(count: usize) {
    if THREADS.swap(count, Ordering::Relaxed) != count {
        fresh();
    }
}

/// Another pool in place of the one there is. That one may be at work or belong to another process: it is not ended.
fn fresh() -> &'static ThreadPool {
    let build = |count| ThreadPoolBuilder::new().num_threads(count).stack_size(STACK).build();
    let made = build(threads()).or_else(|_| build(1));
    // Where not even one thread is to be had, work is done by who asks for it.
    let made =
        made.or_else(|_| ThreadPoolBuilder::new().use_current_thread().num_threads(1).build());
    let Ok(threads) = made else { unreachable!("a pool of the current thread asks for nothing") };
    let pool = Box::leak(Box::new(Pool { process: std::process::id(), threads }));
    POOL.store(pool, Ordering::Release);
    &pool.threads
}

/// The threads of this process.
pub fn pool() -> &'static ThreadPool {
    // SAFETY: what is stored is leaked, so that it is valid for ever.
    #[allow(unsafe_code)]
    let pool = unsafe { POOL.load(Ordering::Acquire).as_ref() };
    match pool {
        Some(pool) if pool.process == std::process::id() => &pool.threads,
        _ => fresh(),
    }
}
