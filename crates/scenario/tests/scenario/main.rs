//! Scenarios, machines, lines and tables of cases from files. One binary, so that generic code is compiled once for all of these.
mod cases;
mod line;
mod machines;
mod robust;
