//! Units by their exponents in SI base units.

/// Exponents of kg, m, s, A, K, mol, cd, rad, in the order of FMI.
pub const BASE: [&str; 8] = ["kg", "m", "s", "A", "K", "mol", "cd", "rad"];

/// Exponents of each base unit in a unit such as `N*m/rad` or `1/m^2`; nothing if a part of it is not known.
pub fn exponents(unit: &str) -> Option<[i32; 8]> {
    let mut all = [0; 8];
    let mut sign = 1;
    let mut rest = unit;
    loop {
        let end = rest.find(['*', '/']).unwrap_or(rest.len());
        let (factor, after) = rest.split_at(end);
        let (name, power) = match factor.split_once('^') {
            Some((name, power)) => (name, power.parse::<i32>().ok()?),
            None => (factor, 1),
        };
        let own: [i32; 8] = match name {
            "1" | "" => [0; 8],
            "N" => [1, 1, -2, 0, 0, 0, 0, 0],
            "J" => [1, 2, -2, 0, 0, 0, 0, 0],
            "W" => [1, 2, -3, 0, 0, 0, 0, 0],
            "Pa" => [1, -1, -2, 0, 0, 0, 0, 0],
            "Hz" => [0, 0, -1, 0, 0, 0, 0, 0],
            name => {
                let at = BASE.iter().position(|base| *base == name)?;
                std::array::from_fn(|k| i32::from(k == at))
            }
        };
        all.iter_mut().zip(own).for_each(|(to, own)| *to += sign * power * own);
        let mut letters = after.chars();
        match letters.next() {
            None => return Some(all),
            Some(letter) => sign = if letter == '/' { -1 } else { 1 },
        }
        rest = letters.as_str();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_taken_apart() {
        assert_eq!(exponents("N*m/rad"), Some([1, 2, -2, 0, 0, 0, 0, -1]));
        assert_eq!(exponents("1/m^2"), Some([0, -2, 0, 0, 0, 0, 0, 0]));
        // Each divisor stands behind its own stroke.
        assert_eq!(exponents("m/s/s"), exponents("m/s^2"));
        assert_eq!(exponents("furlong"), None);
    }
}
