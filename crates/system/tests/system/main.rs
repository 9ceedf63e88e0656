//! Facts of mechanical systems with friction. One program, so that the models are compiled once.
mod arm;
mod common;
mod festoon;
mod fixed;
mod ledger;
mod lugre_or_not;
mod paper002;
mod set_valued;
mod sticking;
mod trajectories;
