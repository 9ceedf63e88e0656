//! Every row of the steady references, through the table of cases, as a user would.
use bristle_contact::patch::cases;

/// Every row of a file, or only those without spin; behind its results a file may state their error in
/// newtons.
fn every_row_within(file: &str, accuracy: f64, with_spin: bool) {
    let path = format!("{}/../../data/reference/rolling/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let header: Vec<&str> =
        text.lines().find(|l| !l.starts_with('#')).unwrap().split(',').collect();
    let column = |name: &str| header.iter().position(|h| *h == name).unwrap();
    let (inputs, spins) = (column("Fx_N"), [column("phi1"), column("phi2")]);
    let keep = |line: &str| {
        let f: Vec<&str> = line.split(',').collect();
        with_spin || spins.iter().all(|i| f[*i] == "0" || f[*i].starts_with("phi"))
    };
    let rows: Vec<&str> = text.lines().filter(|l| !l.starts_with('#') && keep(l)).collect();
    let table: String = rows
        .iter()
        .map(|l| l.split(',').take(inputs).collect::<Vec<_>>().join(",") + "\n")
        .collect();
    let solved = cases::evaluate(&table, accuracy).unwrap();
    assert!(solved.faults.is_empty());
    let mut solved = solved.table.lines();
    assert!(solved.next().unwrap().ends_with("Fx_N,Fy_N,Mz_Nm,Mz_deformed_Nm,est_error"));
    let mut count = 0;
    for (ours, reference) in solved.zip(&rows[1..]) {
        let number =
            |line: &str, i: usize| -> f64 { line.split(',').nth(i).unwrap().parse().unwrap() };
        let o: [f64; 4] = std::array::from_fn(|i| number(ours, inputs + i));
        let r: [f64; 4] = std::array::from_fn(|i| number(reference, inputs + i));
        let force = (o[0] - r[0]).hypot(o[1] - r[1]) / r[0].hypot(r[1]);
        let moment = |i: usize| (o[i] - r[i]).abs() / r[i].abs().max(0.02 * 4000.0 * 0.075);
        let error = force.max(moment(2)).max(moment(3));
        assert!(error <= accuracy, "{error:e} off: {reference}");
        // What the reference itself is uncertain by, in its least digit or its own estimate, is no fault.
        let own = reference
            .split(',')
            .nth(inputs + 4)
            .map_or(1e-8, |e| 20.0 * e.parse::<f64>().unwrap() / r[0].hypot(r[1]));
        let known = number(ours, inputs + 4) + 1e-10 + own;
        assert!(error <= known, "{error:e} off, {known:e} said: {reference}");
        count += 1;
    }
    assert_eq!(count, rows.len() - 1);
}

#[test]
fn every_steady_row_is_met_at_a_millionth() {
    every_row_within("steady_reference.csv", 1e-6, true);
}

#[test]
fn every_steady_row_is_met_at_a_thousandth() {
    every_row_within("steady_reference.csv", 1e-3, true);
}

#[test]
fn every_steady_row_without_spin_is_met_at_a_billionth() {
    every_row_within("steady_reference.csv", 1e-9, false);
}

/// Exponents from 1.5 to 20, all pressures, slips from 1e-4 to 1.3, spins up to 10 1/m, 0.1 to 60 m/s.
#[test]
fn random_cases_are_met() {
    every_row_within("steady_random.csv", 1e-6, true);
    every_row_within("steady_random.csv", 1e-3, true);
}
