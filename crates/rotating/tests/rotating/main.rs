//! Rotating bristles against reference numbers, and their facts. One program, because each takes long to compile.
mod histories;
mod hybrid;
mod prescribed;
mod rows;
mod runs;
