//! Every row of the steady reference, through the table of cases, as a user would.
use bristle_contact::patch::cases;

/// Every row of the reference, through the table of cases, as a user would.
fn every_row_within(accuracy: f64, spin: Option<bool>) {
    let path =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/reference/rolling/steady_reference.csv");
    let text = std::fs::read_to_string(path).unwrap();
    let inputs = 21;
    let keep = |line: &str| match spin {
        Some(spin) => {
            let f: Vec<&str> = line.split(',').collect();
            f[0] == "id" || (f[9] != "0" || f[10] != "0") == spin
        }
        None => true,
    };
    let rows: Vec<&str> = text.lines().filter(|l| !l.starts_with('#') && keep(l)).collect();
    let table: String = rows
        .iter()
        .map(|l| l.split(',').take(inputs).collect::<Vec<_>>().join(",") + "\n")
        .collect();
    let solved = cases::evaluate(&table, accuracy).unwrap();
    let mut solved = solved.lines();
    assert!(solved.next().unwrap().ends_with("Fx_N,Fy_N,Mz37b_Nm,Mz38_Nm,est_error"));
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
        let known = number(ours, inputs + 4)
            + 1e-10
            + 20.0 * number(reference, inputs + 4) / r[0].hypot(r[1]);
        assert!(error <= known, "{error:e} off, {known:e} said: {reference}");
        count += 1;
    }
    assert_eq!(count, rows.len() - 1);
}

#[test]
fn every_steady_row_is_met_at_a_millionth() {
    every_row_within(1e-6, None);
}

#[test]
fn every_steady_row_is_met_at_a_thousandth() {
    every_row_within(1e-3, None);
}

#[test]
fn every_steady_row_without_spin_is_met_at_a_billionth() {
    every_row_within(1e-9, Some(false));
}
