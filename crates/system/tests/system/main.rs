//! Facts of mechanical systems with friction. One program, so that the models are compiled once.
mod arm;
mod common;
mod festoon;
mod fixed;
mod fixed_with_a_body;
mod ledger;
mod lugre_or_not;
mod models;
mod paper002;
mod set_valued;
mod sticking;
mod trajectories;
