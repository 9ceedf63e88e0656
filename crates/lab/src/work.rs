//! Work under way: who asked for it, how far it is, and whether it is still wanted.
use serde_json::{Value, json};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The input makes no sense.
    Input(String),
    /// The computation came to no end.
    Run(String),
    /// The next request of the same view came before it was done.
    Overtaken,
}

impl Trouble {
    /// For a person, and of which kind.
    pub fn told(&self) -> Value {
        match self {
            Trouble::Input(message) => json!({ "kind": "input", "message": message }),
            Trouble::Run(message) => json!({ "kind": "run", "message": message }),
            Trouble::Overtaken => json!({
                "kind": "overtaken", "message": "a later request took the place of this one",
            }),
        }
    }
}

/// Work that was asked for.
#[derive(Debug)]
pub struct Ticket {
    unwanted: AtomicBool,
    began: Instant,
    longest: Duration,
    told: Mutex<Value>,
}

impl Ticket {
    /// For work that may take so long.
    pub fn new(longest: Duration) -> Self {
        Ticket {
            unwanted: AtomicBool::new(false),
            began: Instant::now(),
            longest,
            told: Mutex::new(Value::Null),
        }
    }

    /// Says that nobody waits for it any more.
    pub fn cancel(&self) {
        self.unwanted.store(true, Ordering::Relaxed);
    }

    /// Whether it is to go on.
    pub fn go_on(&self) -> ControlFlow<()> {
        let over = self.unwanted.load(Ordering::Relaxed) || self.began.elapsed() > self.longest;
        if over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Why it was not to go on.
    pub fn why(&self) -> Trouble {
        if self.unwanted.load(Ordering::Relaxed) {
            return Trouble::Overtaken;
        }
        Trouble::Run(format!(
            "it takes longer than {} s, which is the most that the lab gives to a request; the command line has no limit",
            self.longest.as_secs()
        ))
    }

    /// An error, unless it is to go on.
    pub fn check(&self) -> Result<(), Trouble> {
        if self.go_on().is_break() { Err(self.why()) } else { Ok(()) }
    }

    /// Says how far it is.
    pub fn tell(&self, told: Value) {
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = told;
    }

    /// How far it is.
    pub fn told(&self) -> Value {
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner).clone();
        json!({ "told": told, "seconds": self.began.elapsed().as_secs_f64() })
    }
}

/// Everything under way, by page and view.
#[derive(Debug, Default)]
pub struct Desk(Mutex<HashMap<(String, String), Arc<Ticket>>>);

impl Desk {
    /// Takes work on; what the same page asked for in the same view is not wanted any more.
    pub fn take(&self, page: &str, view: &str, longest: Duration) -> Arc<Ticket> {
        let ticket = Arc::new(Ticket::new(longest));
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = all.insert((page.to_owned(), view.to_owned()), ticket.clone());
        before.inspect(|before| before.cancel());
        ticket
    }

    /// The work of a page in a view is done, or nobody waits for it.
    pub fn done(&self, page: &str, view: &str, ticket: &Arc<Ticket>) {
        ticket.cancel();
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (page.to_owned(), view.to_owned());
        if all.get(&key).is_some_and(|own| Arc::ptr_eq(own, ticket)) {
            all.remove(&key);
        }
    }

    /// How far the work of a page in a view is; nothing if there is none.
    pub fn progress(&self, page: &str, view: &str) -> Option<Value> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(&(page.to_owned(), view.to_owned())).map(|ticket| ticket.told())
    }
}
