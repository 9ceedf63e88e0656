//! Tables of cases: every row of the steady references, as a user would, and what is wrong with a table.
use bristle_contact::patch::{Patch, Rolling, Steady};
use bristle_kernel::Start;
use bristle_kernel::bristle::FrbdPlanar;
use bristle_kernel::law::Stribeck;
use bristle_kernel::matrix::Isotropic;
use bristle_scenario::cases;

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

#[test]
fn faults_of_a_table_name_line_column_and_what_may_stand_there() {
    let refused = |table: &str| cases::listed(&cases::evaluate(table, 1e-6).unwrap_err());
    assert!(refused("").contains("no header"));
    assert!(
        refused("Sigma-X,model\n0.1,1\n").contains("column Sigma-X is not known; name it sigma_x")
    );
    assert!(refused("slip,speed\n0.1,1\n").contains("no column is named as one of a, b, n"));
    assert!(refused("v_r,V_r\n16,17\n").contains("v_r has two columns"));
    let fault = |table: &str| cases::listed(&cases::evaluate(table, 1e-6).unwrap().faults);
    assert!(fault("sigma_x,model\n0.1\n").contains("line 2 has 1 fields, not 2"));
    assert!(fault("sigma_x,model\n0.1,4\n").contains("line 2: model = 4 must be one of 1, 2, 3"));
    assert!(fault("# note\nsigma_x\nfast\n").contains("line 3: sigma_x = fast must be a number"));
    assert!(fault("V_r\n-1\n").contains("v_r = -1 m/s is outside [1e-9, 1e6]"));
    let both = fault("sigma_x,V_r\n1e160,16\n0.1,16\n0.1,0\n");
    assert!(both.contains("line 2: rolling: sigma_x = 1e160 is outside [-1e6, 1e6]"), "{both}");
    assert!(both.contains("line 4: rolling: v_r = 0 m/s"), "{both}");
}

/// A byte-order mark once dropped the first column without a word, a bad row the whole table, and `delta` was not read.
#[test]
fn good_rows_are_computed_beside_bad_ones() {
    let marked = "\u{feff}sigma_x,sigma_y,delta\n0.1,0.05,0.6\nfast,0.05,0.6\n0.1,0.05,2\n";
    let found = cases::evaluate(marked, 1e-6).unwrap();
    let rows: Vec<&str> = found.table.lines().collect();
    let force = |row: &str| row.split(',').nth(3).unwrap().parse::<f64>();
    let r = Rolling { sigma_x: 0.1, sigma_y: 0.05, ..Rolling::start(()) };
    let law = Stribeck { mu_d: 0.7, mu_s: 1.0, v_s: 3.49, exponent: 0.6, ..Stribeck::start(()) };
    let bristle = FrbdPlanar { epsilon: 1e-12, ..FrbdPlanar::start(Isotropic { m: 1.0, law }) };
    let mut contact = Steady::new(&Patch::start(()), &bristle, 1e-6).unwrap();
    let alone = contact.solve(&r).unwrap().force[0];
    assert!((force(rows[1]).unwrap() / alone - 1.0).abs() < 1e-6, "{}", rows[1]);
    assert_eq!(rows[2], "fast,0.05,0.6,,,,,");
    assert!(
        (force(rows[3]).unwrap() / alone - 1.0).abs() > 1e-3,
        "another exponent, another force"
    );
    assert_eq!(found.faults.len(), 1);
}

#[test]
fn columns_of_other_names_are_passed_on_and_named() {
    let out = cases::evaluate("tyre,sigma_x\nfront,0.1\n", 1e-3).unwrap();
    let (header, row) = out.table.trim_end().split_once('\n').unwrap();
    assert_eq!(header, "tyre,sigma_x,Fx_N,Fy_N,Mz_Nm,Mz_deformed_Nm,est_error");
    assert!(row.starts_with("front,0.1,"), "{row}");
    assert_eq!(out.unknown, ["tyre"]);
}
