//! The parts and their numbers, declared once for Rust, files, messages and schemas.
use bristle_kernel::{Params, Report, choice};

/// A body that moves along a line, up an incline if wanted.
///
/// m dv/dt = Σ forces − m g sin α, dx/dt = v. Columns x_NAME and v_NAME.
#[derive(Clone, Copy, Debug, PartialEq, Params)]
#[params(name = "body", title = "body along a line", source = "")]
pub struct Body<S> {
    /// mass m
    #[param(unit = "kg", start = 1.0, range = "(0, inf)", eq = "")]
    pub mass: S,
    /// position at t = 0
    #[param(unit = "m", start = 0.0, range = "(-inf, inf)", eq = "")]
    pub position: S,
    /// velocity at t = 0
    #[param(unit = "m/s", start = 0.0, range = "(-inf, inf)", eq = "")]
    pub velocity: S,
    /// angle α of the way above the horizontal: gravity pulls back by m g sin α
    #[param(unit = "rad", start = 0.0, range = "[-1.6, 1.6]", eq = "")]
    pub incline: S,
    /// acceleration of gravity g
    #[param(unit = "m/s^2", start = 9.81, range = "[0, inf)", eq = "")]
    pub gravity: S,
}

/// A body that turns about an axis; with a weight on an arm it is a pendulum. In files it is a body with an inertia.
///
/// J dω/dt = Σ torques − m g l sin φ, dφ/dt = ω. Columns phi_NAME and omega_NAME.
#[derive(Clone, Copy, Debug, PartialEq, Params)]
#[params(name = "rotor", title = "body about an axis", source = "")]
pub struct Rotor<S> {
    /// inertia J about the axis
    #[param(unit = "kg*m^2", start = 1.0, range = "(0, inf)", eq = "")]
    pub inertia: S,
    /// angle at t = 0; a pendulum hangs down at 0
    #[param(unit = "rad", start = 0.0, range = "(-inf, inf)", eq = "")]
    pub position: S,
    /// angular velocity at t = 0
    #[param(unit = "rad/s", start = 0.0, range = "(-inf, inf)", eq = "")]
    pub velocity: S,
    /// mass m that hangs on the arm
    #[param(unit = "kg", start = 0.0, range = "[0, inf)", eq = "")]
    pub weight: S,
    /// length l of the arm: gravity turns back by m g l sin φ
    #[param(unit = "m", start = 0.0, range = "[0, inf)", eq = "")]
    pub arm: S,
    /// acceleration of gravity g
    #[param(unit = "m/s^2", start = 9.81, range = "[0, inf)", eq = "")]
    pub gravity: S,
}

choice! {
    /// When a damped flank lets go.
    Release {
        /// where its force falls to zero: a flank pushes and never pulls
        Force = "force",
        /// where the gap opens: until then damping may pull
        Gap = "gap",
    }
}

/// A spring, perhaps with a damper beside it and with play; a torsion shaft is one too.
///
/// With e = r_a x_a − r_b x_b by how much the first end is ahead of the second, F = k (e − e_rest) + d ė pulls the first end back
/// and the second along. With play b it acts where e is more than b/2 from e_rest, from there on. Column F_NAME.
#[derive(Clone, Copy, Debug, PartialEq, Params)]
#[params(name = "spring", title = "spring with damper and play", source = "")]
pub struct Spring<S> {
    /// stiffness k, N/m, or N·m/rad of a shaft
    #[param(unit = "N/m or N*m/rad", start = 0.0, range = "[0, inf)", eq = "")]
    pub stiffness: S,
    /// damping d, N·s/m, or N·m·s/rad of a shaft
    #[param(unit = "N*s/m or N*m*s/rad", start = 0.0, range = "[0, inf)", eq = "")]
    pub damping: S,
    /// deflection at which the spring is free, in the middle of its play
    #[param(unit = "m or rad", start = 0.0, range = "(-inf, inf)", eq = "")]
    pub rest: S,
    /// play (backlash) b: nothing is transmitted over this way
    #[param(unit = "m or rad", start = 0.0, range = "[0, inf)", eq = "")]
    pub play: S,
    /// when a flank lets go; without play there are none
    #[param(choice, start = Release::Force, eq = "")]
    pub release: Release,
}

/// A damper between two ends.
///
/// F = d ė, with ė by how much faster the first end is than the second; it holds the first end back. Column F_NAME.
#[derive(Clone, Copy, Debug, PartialEq, Params)]
#[params(name = "damper", title = "damper", source = "")]
pub struct Damper<S> {
    /// damping d, N·s/m, or N·m·s/rad of a shaft
    #[param(unit = "N*s/m or N*m*s/rad", start = 1.0, range = "[0, inf)", eq = "")]
    pub damping: S,
}

/// A rope: it pulls where the first end is further ahead of the second than the slack, and never pushes.
///
/// F = k (e − slack) + d ė where e > slack, and 0 elsewhere. Column F_NAME.
#[derive(Clone, Copy, Debug, PartialEq, Params)]
#[params(name = "rope", title = "rope: pulls only", source = "")]
pub struct Rope<S> {
    /// stiffness k
    #[param(unit = "N/m or N*m/rad", start = 1000.0, range = "(0, inf)", eq = "")]
    pub stiffness: S,
    /// damping d while it is taut
    #[param(unit = "N*s/m or N*m*s/rad", start = 0.0, range = "[0, inf)", eq = "")]
    pub damping: S,
    /// deflection at which it becomes taut
    #[param(unit = "m or rad", start = 0.0, range = "(-inf, inf)", eq = "")]
    pub slack: S,
    /// when it lets go
    #[param(choice, start = Release::Force, eq = "")]
    pub release: Release,
}

/// A buffer: it pushes where the first end is further behind the second than the gap, and never pulls.
///
/// F = k (e − gap) + d ė where e < gap, and 0 elsewhere; F is negative where it pushes the first end ahead. Column F_NAME.
#[derive(Clone, Copy, Debug, PartialEq, Params)]
#[params(name = "buffer", title = "buffer: pushes only", source = "")]
pub struct Buffer<S> {
    /// stiffness k
    #[param(unit = "N/m or N*m/rad", start = 1000.0, range = "(0, inf)", eq = "")]
    pub stiffness: S,
    /// damping d while it is pressed
    #[param(unit = "N*s/m or N*m*s/rad", start = 0.0, range = "[0, inf)", eq = "")]
    pub damping: S,
    /// deflection at which it begins to push, downwards
    #[param(unit = "m or rad", start = 0.0, range = "(-inf, inf)", eq = "")]
    pub gap: S,
    /// when it lets go
    #[param(choice, start = Release::Force, eq = "")]
    pub release: Release,
}

/// End stops, on both sides or on one.
///
/// F = k (e − upper) + d ė above the upper stop, k (e − lower) + d ė below the lower one, 0 between them. Column F_NAME.
#[derive(Clone, Copy, Debug, PartialEq, Params)]
#[params(
    name = "stop",
    title = "end stops with stiffness and damping",
    source = "",
    rules = "lower < upper",
    check = ordered
)]
pub struct Stop<S> {
    /// stiffness k
    #[param(unit = "N/m or N*m/rad", start = 1.0e6, range = "(0, inf)", eq = "")]
    pub stiffness: S,
    /// damping d while it is pressed
    #[param(unit = "N*s/m or N*m*s/rad", start = 0.0, range = "[0, inf)", eq = "")]
    pub damping: S,
    /// deflection below which it pushes forward; -inf for no stop there
    #[param(unit = "m or rad", start = f64::NEG_INFINITY, range = "[-inf, inf)", eq = "")]
    pub lower: S,
    /// deflection above which it pushes back; inf for no stop there
    #[param(unit = "m or rad", start = f64::INFINITY, range = "(-inf, inf]", eq = "")]
    pub upper: S,
    /// when it lets go
    #[param(choice, start = Release::Force, eq = "")]
    pub release: Release,
}

fn ordered(p: &Stop<f64>, report: &mut Report<'_>) {
    let reason = "the body moves between the stops";
    report.expect(
        p.upper > p.lower,
        ("upper", None, p.upper),
        "must be above lower =",
        p.lower,
        reason,
    );
}

choice! {
    /// How a controller is built.
    Structure {
        /// kp e + ki ∫e dt + kd ė over the position error e
        Pid = "pid",
        /// a position loop kx around a velocity loop kp, ki
        Cascade = "cascade",
        /// the passivity-based controller of 003 (27), with its friction observer (28)
        Passivity = "passivity",
    }
}

choice! {
    /// What the integrator does while the output is limited.
    AntiWindup {
        /// it is led back by (limited − wanted output)/tracking
        BackCalculation = "back_calculation",
        /// it stands still
        Hold = "hold",
        /// it goes on
        None = "none",
    }
}

/// A controller that makes a body follow a reference: its output is a force or torque on that body.
///
/// With e = r − x: pid u = kp e + I + kd ė, dI/dt = ki e. cascade u = kp e_v + I, dI/dt = ki e_v, e_v = kx e + c dr/dt − v.
/// passivity u = −k₁ s + F̂ + m (d²r/dt² − λ (v − dr/dt)) + g, s = (v − dr/dt) − λ e. u stays within ± limit. Columns r_NAME,
/// e_NAME, u_NAME.
#[derive(Clone, Copy, Debug, PartialEq, Params)]
#[params(name = "control", title = "controller", source = "")]
pub struct Control<S> {
    /// structure of the controller
    #[param(choice, start = Structure::Pid, eq = "")]
    pub structure: Structure,
    /// proportional gain: of position (pid), or of velocity (cascade)
    #[param(unit = "N/m (pid), N*s/m (cascade)", start = 0.0, range = "[0, inf)", eq = "")]
    pub kp: S,
    /// integral gain
    #[param(unit = "N/(m*s) (pid), N/m (cascade)", start = 0.0, range = "[0, inf)", eq = "")]
    pub ki: S,
    /// derivative gain (pid)
    #[param(unit = "N*s/m", start = 0.0, range = "[0, inf)", eq = "")]
    pub kd: S,
    /// time constant of the filter of the derivative (pid); 0 for none
    #[param(unit = "s", start = 0.0, range = "[0, inf)", eq = "")]
    pub filter: S,
    /// position gain kx (cascade)
    #[param(unit = "1/s", start = 0.0, range = "[0, inf)", eq = "")]
    pub kx: S,
    /// weight λ of the position error in s (passivity)
    #[param(unit = "1/s", start = 10.0, range = "(0, inf)", eq = "003 (27)")]
    pub lambda: S,
    /// gain k₁ of s (passivity)
    #[param(unit = "N*s/m", start = 10.0, range = "[0, inf)", eq = "003 (27)")]
    pub k1: S,
    /// gain k₂ of the observer (passivity)
    #[param(unit = "1", start = 0.01, range = "[0, inf)", eq = "003 (28a)")]
    pub k2: S,
    /// feed-forward of the reference's velocity: a force per velocity (pid), or a part of the velocity (cascade)
    #[param(unit = "N*s/m (pid), 1 (cascade)", start = 0.0, range = "(-inf, inf)", eq = "")]
    pub feed_velocity: S,
    /// feed-forward of the reference's acceleration: a mass, or an inertia; of the passivity-based controller its m
    #[param(unit = "kg", start = 0.0, range = "(-inf, inf)", eq = "")]
    pub feed_acceleration: S,
    /// greatest output, either way
    #[param(unit = "N", start = f64::INFINITY, range = "(0, inf]", eq = "")]
    pub limit: S,
    /// greatest rate of the output, either way; without sampling it needs a lag
    #[param(unit = "N/s", start = f64::INFINITY, range = "(0, inf]", eq = "")]
    pub rate: S,
    /// time constant with which the output follows; 0 for none
    #[param(unit = "s", start = 0.0, range = "[0, inf)", eq = "")]
    pub lag: S,
    /// what the integrator does while the output is limited
    #[param(choice, start = AntiWindup::BackCalculation, eq = "")]
    pub anti_windup: AntiWindup,
    /// tracking time of the back-calculation; 0 for kp/ki
    #[param(unit = "s", start = 0.0, range = "[0, inf)", eq = "")]
    pub tracking: S,
}

choice! {
    /// How an encoder rounds.
    Rounding {
        /// to the nearest mark
        Nearest = "nearest",
        /// to the mark below
        Down = "down",
    }
}

choice! {
    /// Where a sampled controller has velocities from.
    Estimate {
        /// they are measured exactly
        Exact = "exact",
        /// differences of what the encoder shows at two samples
        Difference = "difference",
        /// differences of the errors at two samples, so that a reference that jumps kicks (pid)
        Error = "error",
    }
}

choice! {
    /// Which samples the integrator has taken in where the output is formed.
    Integration {
        /// those up to this one
        Now = "now",
        /// those before this one
        Before = "before",
    }
}

/// Sampling of a controller: its output is held from sample to sample.
///
/// At t = k T the controller looks, and what it finds acts from t + delay T + dead time on. I grows by T ki e a sample.
#[derive(Clone, Copy, Debug, PartialEq, Params)]
#[params(name = "sampled", title = "sampled control with zero-order hold", source = "")]
pub struct Sampled<S> {
    /// time between samples; the first one is at t = 0
    #[param(unit = "s", start = 1.0e-3, range = "(0, inf)", eq = "")]
    pub period: S,
    /// whole number of samples by which the output comes late: it is zero before
    #[param(unit = "1", start = 0.0, range = "[0, 100]", eq = "")]
    pub delay: S,
    /// dead time by which the output comes late besides; no whole number of samples is needed
    #[param(unit = "s", start = 0.0, range = "[0, inf)", eq = "")]
    pub dead_time: S,
    /// resolution of the encoder; 0 for an exact one
    #[param(unit = "m or rad", start = 0.0, range = "[0, inf)", eq = "")]
    pub resolution: S,
    /// how the encoder rounds
    #[param(choice, start = Rounding::Nearest, eq = "")]
    pub rounding: Rounding,
    /// where velocities come from
    #[param(choice, start = Estimate::Exact, eq = "")]
    pub velocity: Estimate,
    /// which samples are in the integral
    #[param(choice, start = Integration::Now, eq = "")]
    pub integration: Integration,
    /// the position loop of a cascade runs at every so many samples
    #[param(unit = "1", start = 1.0, range = "[1, 10000]", eq = "")]
    pub every: S,
}
