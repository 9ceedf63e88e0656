use core::fmt;

/// Why a run ended before its time: when, which state, and what to try.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Failure {
    /// The last time reached.
    pub t: f64,
    /// The step that was tried there.
    pub h: f64,
    /// The state with the largest error, or the first that is not finite.
    pub state: usize,
    /// What went wrong.
    pub why: Why,
}

/// What went wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Why {
    /// The error test or Newton's method wanted a step below the resolution of time.
    StepTooSmall,
    /// The limit on the number of steps was reached.
    TooManySteps {
        /// The limit.
        limit: usize,
    },
    /// Events follow each other without end.
    Chattering {
        /// So many of them
        events: usize,
        /// within so short a time, s.
        within: f64,
    },
    /// The right-hand side is not finite where the run stands.
    NotFinite,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { t, h, state, why } = self;
        match why {
            Why::StepTooSmall => write!(
                f,
                "the step size fell to {h:e} s at t = {t} s, held down by state {state}: its rate \
                 jumps or grows without bound there; declare the jump as an event, or raise that \
                 state's absolute tolerance"
            ),
            Why::TooManySteps { limit } => write!(
                f,
                "{limit} steps were not enough: t = {t} s is reached, with steps of {h:e} s set by \
                 state {state}; raise the limit or the tolerances"
            ),
            Why::Chattering { events, within } => write!(
                f,
                "{events} events fired within {within:e} s before t = {t} s: a sign changes to and \
                 fro without settling; smooth what switches (a larger v_r or epsilon), or take a \
                 model that can stick"
            ),
            Why::NotFinite => write!(
                f,
                "the rate of state {state} is not finite at t = {t} s: check the initial state and \
                 the parameters that enter it"
            ),
        }
    }
}

impl core::error::Error for Failure {}
