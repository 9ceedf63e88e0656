//! Units of columns in logs: what users write, in SI.

/// A unit, the SI unit it is measured in, and its size in that.
const UNITS: [(&str, &str, f64); 46] = [
    ("1", "1", 1.0),
    ("%", "1", 0.01),
    ("s", "s", 1.0),
    ("ms", "s", 1e-3),
    ("us", "s", 1e-6),
    ("min", "s", 60.0),
    ("m", "m", 1.0),
    ("cm", "m", 1e-2),
    ("mm", "m", 1e-3),
    ("um", "m", 1e-6),
    ("µm", "m", 1e-6),
    ("nm", "m", 1e-9),
    ("in", "m", 0.0254),
    ("rad", "rad", 1.0),
    ("mrad", "rad", 1e-3),
    ("deg", "rad", std::f64::consts::PI / 180.0),
    ("°", "rad", std::f64::consts::PI / 180.0),
    ("rev", "rad", std::f64::consts::TAU),
    ("m/s", "m/s", 1.0),
    ("mm/s", "m/s", 1e-3),
    ("um/s", "m/s", 1e-6),
    ("km/h", "m/s", 1.0 / 3.6),
    ("rad/s", "rad/s", 1.0),
    ("deg/s", "rad/s", std::f64::consts::PI / 180.0),
    ("rpm", "rad/s", std::f64::consts::TAU / 60.0),
    ("1/min", "rad/s", std::f64::consts::TAU / 60.0),
    ("m/s^2", "m/s^2", 1.0),
    ("rad/s^2", "rad/s^2", 1.0),
    ("N", "N", 1.0),
    ("mN", "N", 1e-3),
    ("uN", "N", 1e-6),
    ("µN", "N", 1e-6),
    ("kN", "N", 1e3),
    ("N*m", "N*m", 1.0),
    ("N·m", "N*m", 1.0),
    ("Nm", "N*m", 1.0),
    ("mN*m", "N*m", 1e-3),
    ("mNm", "N*m", 1e-3),
    ("kN*m", "N*m", 1e3),
    ("kNm", "N*m", 1e3),
    ("V", "V", 1.0),
    ("mV", "V", 1e-3),
    ("A", "A", 1.0),
    ("mA", "A", 1e-3),
    ("kg", "kg", 1.0),
    ("Hz", "Hz", 1.0),
];

/// What a value in `unit` is multiplied by to be one in the SI unit `to`; nothing where it is no such unit.
pub fn factor(unit: &str, to: &str) -> Option<f64> {
    let own = UNITS.iter().find(|(name, si, _)| *name == unit && *si == to);
    own.map(|(.., factor)| *factor).or((unit == to).then_some(1.0))
}

/// The units that can be written for the SI unit `to`.
pub fn known(to: &str) -> String {
    let all: Vec<&str> =
        UNITS.iter().filter(|(_, si, _)| *si == to).map(|(name, ..)| *name).collect();
    if all.is_empty() { to.to_owned() } else { all.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_converted_to_what_is_asked_for_only() {
        assert_eq!(factor("mm", "m"), Some(1e-3));
        assert_eq!(factor("rpm", "rad/s").map(|f| f * 30.0 / std::f64::consts::PI), Some(1.0));
        assert_eq!(factor("mm", "rad"), None);
        assert_eq!(factor("furlong", "m"), None);
        assert!(known("N").contains("kN"));
    }
}
