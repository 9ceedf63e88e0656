//! From logs to parameters. One binary, so that the generic code of models and solvers is compiled once for all of these.
mod common;
mod coverage;
mod kinds;
mod machine;
mod sensitivities;
mod slide;
