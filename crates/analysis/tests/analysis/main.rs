//! Analysis against closed forms, reference numbers and simulation. One program, because each takes long to compile.
mod audit;
mod common;
mod compare;
mod limit_cycle;
mod linearise;
mod loops;
mod periodic;
