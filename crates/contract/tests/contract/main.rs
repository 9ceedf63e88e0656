//! What every law and every bristle owes, and what the papers print of them. One binary, so that the generic code of the models
//! is compiled once for all of these.
mod common;
mod contract;
mod energy;
mod models;
mod no_allocation;
mod procedure;
mod reference;
