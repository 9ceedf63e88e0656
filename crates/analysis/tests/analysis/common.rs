//! Models of the papers, and reference rows.
use bristle_kernel::bristle::{Frbd, LuGre};
use bristle_kernel::law::Stribeck;
use bristle_kernel::{AnyBristle, AnyLaw, Params, Start};

/// The lines of a reference file, without the column names.
pub fn table(file: &str) -> Vec<Vec<String>> {
    bristle_reference::Table::of(file).texts().to_vec()
}

/// The value of a row of `frbd/scalars.csv`.
pub fn scalar(experiment: &str, model: &str, quantity: &str) -> f64 {
    let all = table("frbd/scalars.csv");
    let found = all.iter().find(|r| r[1] == experiment && r[2] == model && r[3] == quantity);
    found.unwrap_or_else(|| panic!("no row {experiment} {model} {quantity}"))[4].parse().unwrap()
}

/// 000 Table II.
pub fn table_2() -> Stribeck<f64> {
    Stribeck {
        mu_d: 1.0,
        mu_s: 1.5,
        v_s: 0.01,
        exponent: 2.0,
        viscous: 0.04,
        ..Stribeck::start(())
    }
}

/// 000 Table I.
pub fn table_1() -> Stribeck<f64> {
    Stribeck {
        mu_d: 0.2,
        mu_s: 0.6,
        v_s: 10.0,
        exponent: 2.0,
        viscous: 0.0018,
        ..Stribeck::start(())
    }
}

pub fn frbd() -> AnyBristle<f64> {
    AnyBristle::Frbd(Frbd { sigma0: 1e4, sigma1: 64.5, ..Frbd::start(AnyLaw::Stribeck(table_2())) })
}

pub fn lugre() -> AnyBristle<f64> {
    AnyBristle::LuGre(LuGre {
        sigma0: 1e4,
        sigma1: 64.5,
        ..LuGre::start(AnyLaw::Stribeck(table_2()))
    })
}

/// Every model of the catalogue at its start values, over the law of Table II.
pub fn all() -> Vec<AnyBristle<f64>> {
    let law = || AnyLaw::Stribeck(table_2());
    AnyBristle::<f64>::CATALOG.iter().map(|i| AnyBristle::named(i.name, law()).unwrap()).collect()
}

/// Sets parameters by name.
pub fn set(params: &mut impl Params<f64>, values: &[(&str, f64)]) {
    for (name, value) in values {
        let mut found = false;
        params.visit(bristle_kernel::Group::default(), &mut |visit| {
            let key = format!("{}{}", visit.group, visit.param.name);
            if let (true, bristle_kernel::Field::Number(x)) = (key == *name, visit.field) {
                *x = *value;
                found = true;
            }
        });
        assert!(found, "{name}");
    }
}
