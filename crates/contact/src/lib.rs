//! Rolling contact: fields of bristles through which the counterpart travels.
//!
//! - [`mod@line`]: a row of any bristles of the kernel, 000 §IV, and a strip that changes while it rolls, 004 (75)-(83);
//! - [`patch`]: a patch of bristles in the plane, 004: steady, transient, surfaces, derivatives, energy;
//! - [`quadrature`]: the Gauss rules that both stand on.
//!
//! Bristles are followed along their own paths; nothing is transported over a grid. Forces are along +σ, as in
//! 004: the slip is that of the body, and the force is what the counterpart does to it.
//!
//! ```
//! use bristle_contact::patch::{Model, Patch, Rolling, Steady};
//! use bristle_kernel::{Start, bristle::FrbdPlanar, law::Stribeck, matrix::Isotropic};
//!
//! let law = Stribeck { mu_d: 0.7, mu_s: 1.0, v_s: 3.49, exponent: 0.6, ..Stribeck::start(()) };
//! let bristle = FrbdPlanar::start(Isotropic { m: 1.0, law });
//! let patch = Patch::start(()); // 004 Table 1: the rectangle under a parabolic pressure
//! let mut contact = Steady::new(&patch, &bristle, 1e-6)?;
//! let rolling = Rolling { model: Model::Linear, sigma_x: 0.08, sigma_y: 0.08, phi1: 3.0, ..Rolling::start(()) };
//! let outcome = contact.solve(&rolling)?;
//! assert!((outcome.force[0] - 1232.458).abs() < 1e-2 && outcome.error <= 1e-6);
//! # Ok::<(), bristle_contact::patch::Refused>(())
//! ```
#![forbid(unsafe_code)]

pub mod line;
pub mod patch;
pub mod quadrature;
