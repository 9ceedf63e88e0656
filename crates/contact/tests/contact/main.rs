//! Rolling contact against reference numbers, and its facts. One program, because each takes long to compile.
mod common;
mod extremes;
mod facts;
mod gradient;
mod independent;
mod line;
mod patch;
mod random;
mod tensors;
