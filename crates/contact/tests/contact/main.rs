//! Rolling contact against reference numbers, and its facts. One program, because each takes long to compile.
mod adaptive;
mod common;
mod facts;
mod gradient;
mod line;
mod patch;
mod steady_reference;
mod tensors;
