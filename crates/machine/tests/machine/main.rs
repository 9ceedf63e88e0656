//! Machines of parts. One binary, so that generic code is compiled once for all of these.
mod parts;
mod references;
