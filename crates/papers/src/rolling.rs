//! 004: rolling contact in two dimensions.
use crate::reference::{Entry, number};
use crate::{Experiment, Findings, Row, Setting, Verdict};
use bristle_contact::line::{self as contact, Bristles, Course, Length, Transport};
use bristle_contact::patch::energy::{Balance, condition};
use bristle_contact::patch::transient::{Manoeuvre, settling_distance};
use bristle_contact::patch::{Model, Outcome, Patch, Profile, Rolling, Steady};
use bristle_figure::{Axis, Figure, Look, Panel, Series, Surface};
use bristle_kernel::bristle::FrbdPlanar;
use bristle_kernel::law::Stribeck;
use bristle_kernel::matrix::Isotropic;
use bristle_kernel::{AnyChoice, AnyLaw, AnyMatrix, AnyPlanar, Field, Group, Params, Start};
use bristle_reference::{Line, Table};
use bristle_scenario::cases::{self, RESULTS};
use bristle_scenario::friction::Friction;
use bristle_scenario::sets;
use std::f64::consts::TAU;
use std::sync::LazyLock;

macro_rules! table {
    ($file:literal) => {
        LazyLock::new(|| Table::read(include_str!(concat!("../data/rolling/", $file))))
    };
}

static STEADY: LazyLock<Table> = table!("steady_reference.csv");
static TRANSIENT: LazyLock<Table> = table!("transient_reference.csv");
static SETTLED: LazyLock<Table> = table!("transient_settle.csv");
static STRIP: LazyLock<Table> = table!("linecontact_reference.csv");
static PEAKS: LazyLock<Table> = table!("p0_check.csv");
static PASSIVITY: LazyLock<Table> = table!("passivity_checks.csv");
static COASTING: LazyLock<Table> = table!("passivity_eq70_coasting.csv");

/// The figures and the table of the paper.
pub const EXPERIMENTS: &[Experiment] = &[
    Experiment { paper: "004", place: "Table 1", title: "parameters", run: table_1 },
    Experiment { paper: "004", place: "App. B", title: "pressures", run: appendix_b },
    Experiment { paper: "004", place: "Sec. 3", title: "tensors and speeds", run: section_3 },
    Experiment { paper: "004", place: "Sec. 4", title: "passivity", run: section_4 },
    Experiment { paper: "004", place: "Fig. 5", title: "force-slip surfaces", run: figure_5 },
    Experiment { paper: "004", place: "Fig. 6", title: "action surfaces", run: figure_6 },
    Experiment { paper: "004", place: "Fig. 7", title: "friction circles", run: figure_7 },
    Experiment { paper: "004", place: "Fig. 8", title: "rectangle without spin", run: figure_8 },
    Experiment { paper: "004", place: "Fig. 9", title: "ellipse without spin", run: figure_9 },
    Experiment { paper: "004", place: "Fig. 10", title: "rectangle with spin", run: figure_10 },
    Experiment { paper: "004", place: "Fig. 11", title: "ellipse with spin", run: figure_11 },
    Experiment { paper: "004", place: "Fig. 12", title: "steps in slip", run: figure_12 },
    Experiment { paper: "004", place: "Fig. 13", title: "steps in slip with spin", run: figure_13 },
    Experiment { paper: "004", place: "Fig. 14", title: "oscillating load", run: figure_14 },
];

/// The relative error that steady forces and moments are computed to and may have.
const ACCURACY: f64 = 1e-6;
/// Good enough to draw.
const DRAWN: f64 = 1e-3;
/// Moments below 0.02 F_z a are as exact as that one, N·m.
const LEAST_MOMENT: f64 = 0.02 * 4000.0 * 0.075;
/// What the reference files call forces and moments; ours are [`RESULTS`].
const REFERENCE: [&str; 4] = ["Fx_N", "Fy_N", "Mz37b_Nm", "Mz38_Nm"];
const SPEED: &str = "V_r is not printed: 16.67 m/s here.";

/// One number beside that of a reference file without names of its own.
fn row(experiment: &str, model: &str, quantity: &str, ours: f64, theirs: f64, most: f64) -> Row {
    let entry = Entry {
        experiment: experiment.into(),
        model: model.into(),
        quantity: quantity.into(),
        value: format!("{theirs:e}"),
        uncertainty: 0.0,
        printed: None,
    };
    Row { reference_key: None, ..Row::within(&entry, vec![ours], most) }
}

/// A choice by its name.
fn chosen<C: AnyChoice>(mut start: C, name: &str) -> Result<C, String> {
    if start.set(name) { Ok(start) } else { Err(format!("there is no {name}")) }
}

/// The bristle of Table 1. Its kind is known, which is faster than to ask for it at every point.
type Bristle = FrbdPlanar<f64, Isotropic<f64, Stribeck<f64>>>;

fn bristle() -> Result<Bristle, String> {
    let set = sets::load("rolling-table-1", "frbd_planar").map_err(|e| e.to_string())?;
    let Friction::Plane(AnyPlanar::FrbdPlanar(b)) = set else {
        return Err("the bristle of Table 1 slides in a plane".into());
    };
    let AnyMatrix::Isotropic(Isotropic { m, law: AnyLaw::Stribeck(law) }) = b.matrix else {
        return Err("the friction of Table 1 is isotropic, with a Stribeck curve".into());
    };
    let FrbdPlanar { sigma0_xx, sigma0_xy, sigma0_yy, .. } = b;
    let FrbdPlanar { sigma1_xx, sigma1_xy, sigma1_yy, epsilon, .. } = b;
    let matrix = Isotropic { m, law };
    Ok(FrbdPlanar {
        sigma0_xx,
        sigma0_xy,
        sigma0_yy,
        sigma1_xx,
        sigma1_xy,
        sigma1_yy,
        epsilon,
        matrix,
    })
}

/// `rect` or `ell`, under a pressure.
fn patch(shape: &str, pressure: &str) -> Result<Patch<f64>, String> {
    let exponent = if shape == "ell" { 2.0 } else { 18.0 };
    let pressure = chosen(Profile::Parabolic, pressure)?;
    Ok(Patch { n: exponent, m: exponent, pressure, ..Patch::start(()) })
}

/// The motion that a line of a file asks for.
fn rolling(line: &Line<'_>) -> Result<Rolling<f64>, String> {
    Ok(Rolling {
        model: chosen(Model::Linear, line.text("model"))?,
        sigma_x: line.number("sigma_x"),
        sigma_y: line.number("sigma_y"),
        phi1: line.number("phi1"),
        phi2: line.number("phi2"),
        ..Rolling::start(())
    })
}

/// A patch under a parabolic pressure, to draw.
fn drawn(shape: &str) -> Result<Steady, String> {
    Steady::new(&patch(shape, "parab")?, &bristle()?, DRAWN).map_err(|e| e.to_string())
}

fn solved(contact: &Steady, points: &[Rolling<f64>]) -> Result<Vec<Outcome>, String> {
    let all: Result<Vec<Outcome>, _> = contact.solve_all(points).into_iter().collect();
    all.map_err(|e| e.to_string())
}

/// Who is who in models and quantities of rows.
fn named(line: &Line<'_>) -> (String, String) {
    let text = |column| line.text(column);
    (
        format!("Model {}, {}, {}", text("model"), text("shape"), text("pressure")),
        format!(
            "sigma=({}, {}) phi=({}, {})",
            text("sigma_x"),
            text("sigma_y"),
            text("phi1"),
            text("phi2")
        ),
    )
}

/// Compares the lines of the steady reference that are chosen.
fn steady_rows(found: &mut Findings, chosen: impl Fn(&Line<'_>) -> bool) -> Result<(), String> {
    let lines: Vec<Line<'_>> = STEADY.lines().filter(chosen).collect();
    let inputs: Vec<&str> = STEADY.names().take_while(|name| *name != "Fx_N").collect();
    let cases = lines
        .iter()
        .map(|line| inputs.iter().map(|name| line.text(name)).collect::<Vec<_>>().join(",") + "\n");
    let text = inputs.join(",") + "\n" + &cases.collect::<String>();
    let solved = cases::evaluate(&text, ACCURACY).map_err(|e| cases::listed(&e))?;
    let ours = Table::read(&solved.table);
    for (theirs, ours) in lines.iter().zip(ours.lines()) {
        let id = theirs.text("id");
        let unique = STEADY.lines().filter(|line| line.text("id") == id).count() == 1;
        let force = theirs.number("Fx_N").hypot(theirs.number("Fy_N"));
        let (model, at) = named(theirs);
        for (name, column) in RESULTS.into_iter().zip(REFERENCE) {
            let (a, b) = (ours.number(name), theirs.number(column));
            let size = if column.starts_with('F') { force } else { b.abs().max(LEAST_MOMENT) };
            let quantity = format!("{id}: {name} at {at} v_r={}", theirs.text("V_r"));
            let row = row("steady rolling", &model, &quantity, a, b, ACCURACY * size);
            let key = unique.then(|| format!("steady_reference|{id}|{column}"));
            found.rows.push(Row { reference_key: key, ..row });
        }
    }
    Ok(())
}

/// Whether a case is one of Table 1 under a parabolic pressure, that is of Figs 5 to 11.
fn figured(line: &Line<'_>) -> bool {
    line.text("id").starts_with('B') && line.text("pressure") == "parab"
}

fn spins(line: &Line<'_>) -> bool {
    line.number("phi1") != 0.0 || line.number("phi2") != 0.0
}

/// The numbers of parameters, by name.
fn numbers(of: &mut impl Params<f64>) -> Vec<(String, f64)> {
    let mut values = Vec::new();
    of.visit(Group::default(), &mut |visit| {
        if let Field::Number(x) = visit.field {
            values.push((format!("{}{}", visit.group, visit.param.name), *x));
        }
    });
    values
}

/// What the named set and the start of a patch have, beside what is printed.
fn table_1(_: Setting) -> Result<Findings, String> {
    let mut values = numbers(&mut bristle()?);
    values.extend(numbers(&mut Patch::<f64>::start(())));
    let mut found = Findings { remarks: vec![SPEED], ..Findings::default() };
    for (name, printed) in [
        ("a", "0.075"),
        ("b", "0.05"),
        ("sigma0_xx", "240"),
        ("sigma0_yy", "240"),
        ("sigma1_xx", "0"),
        ("sigma1_yy", "0"),
        ("matrix.law.mu_s", "1"),
        ("matrix.law.mu_d", "0.7"),
        ("matrix.law.viscous", "0"),
        ("matrix.law.v_s", "3.49"),
        ("matrix.law.exponent", "0.6"),
        ("load", "4000"),
        ("epsilon", "1e-12"),
    ] {
        let ours = values.iter().find(|(n, _)| n == name).map_or(f64::NAN, |(_, x)| *x);
        found.rows.push(Row::printed("Table 1", "frbd_planar", name, ours, printed));
    }
    Ok(found)
}

const FACTOR_N: &str = "(105) lacks a factor n: p₀ = F_z n/(4ab B(1/n, 1/m + 1))";

/// Peak pressures, and steady rolling under the pressures that the figures do not have.
fn appendix_b(_: Setting) -> Result<Findings, String> {
    let mut found = Findings { remarks: vec![FACTOR_N], ..Findings::default() };
    for line in PEAKS.lines() {
        let (name, theirs) = (line.text("pressure"), line.number("p0_quadrature_Pa"));
        let pressure = match name {
            "const" => Profile::Constant,
            "parab" => Profile::Parabolic,
            n if n.starts_with("exp108") => Profile::Exponential,
            _ => Profile::ParabolicExponential,
        };
        let (n, m) = (line.number("n"), line.number("m"));
        let ours = Patch { n, m, pressure, ..Patch::start(()) }.pressure().scale();
        let quantity = format!("peak pressure, n={n} m={m} [Pa]");
        let row = row("pressure", name, &quantity, ours, theirs, 1e-10 * theirs);
        // The printed formula in numbers, where it is not what it should be.
        let printed = line.text("p0_paper_eq105_107_Pa");
        let misprint = line.number("paper/true") < 0.999;
        found.rows.push(match misprint {
            true => {
                Row { printed: Some(printed.into()), ..row }.because(Verdict::Corrected, FACTOR_N)
            }
            false => row,
        });
    }
    steady_rows(&mut found, |line| {
        !figured(line) && ["B", "P"].iter().any(|start| line.text("id").starts_with(start))
    })?;
    let mut panels = Vec::new();
    for (shape, title) in SHAPES {
        let slips = even(0.0, 1.0, 100);
        let mut panel = Panel::new(slip("y"), moment()).titled(title);
        for (pressure, name) in PRESSURES {
            let contact = Steady::new(&patch(shape, pressure)?, &bristle()?, DRAWN)
                .map_err(|e| e.to_string())?;
            let at = |s: &f64| Rolling { sigma_y: s.powi(2), ..Rolling::start(()) };
            let points: Vec<Rolling<f64>> = slips.iter().map(at).collect();
            let moments: Vec<f64> = solved(&contact, &points)?.iter().map(|o| o.moment).collect();
            let x: Vec<f64> = points.iter().map(|r| r.sigma_y).collect();
            panel = panel.with(Series::new(name, x, moments));
        }
        panels.push(panel);
    }
    found
        .figures
        .push(Figure::grid(2, panels).titled("Only a skewed pressure reverses the moment"));
    Ok(found)
}

/// Patches, as files and figures call them.
const SHAPES: [(&str, &str); 2] = [("rect", "rectangle"), ("ell", "ellipse")];
/// Pressures likewise.
const PRESSURES: [(&str, &str); 4] = [
    ("const", "constant"),
    ("parab", "parabolic"),
    ("exp", "exponential (108)"),
    ("pexp", "both (109)"),
];

/// `count` steps from one number to another.
fn even(from: f64, to: f64, count: u32) -> Vec<f64> {
    (0..=count).map(|k| from + (to - from) * f64::from(k) / f64::from(count)).collect()
}

fn slip(direction: &str) -> Axis {
    Axis::new(format!("slip σ_{{{direction}}}"), "")
}

fn newtons(direction: &str) -> Axis {
    Axis::new(format!("force F_{{{direction}}}"), "N")
}

fn moment() -> Axis {
    Axis::new("moment M_{z}", "N·m")
}

/// What the figures do not vary: full tensors, and the speed.
fn section_3(_: Setting) -> Result<Findings, String> {
    let mut found = Findings::default();
    steady_rows(&mut found, |line| {
        ["X", "V"].iter().any(|start| line.text("id").starts_with(start))
    })?;
    let speeds: Vec<f64> = even(0.0, 1.0, 120).iter().map(|k| 0.5 * 120f64.powf(*k)).collect();
    let mut panel =
        Panel::new(Axis::new("speed V_{r}", "m/s").log(), newtons("x")).titled("σ = (0.08, 0.08)");
    for (shape, title) in SHAPES {
        let at = |v: &f64| Rolling { sigma_x: 0.08, sigma_y: 0.08, v_r: *v, ..Rolling::start(()) };
        let points: Vec<Rolling<f64>> = speeds.iter().map(at).collect();
        let forces: Vec<f64> =
            solved(&drawn(shape)?, &points)?.iter().map(|o| o.force[0]).collect();
        panel = panel.with(Series::new(title, speeds.clone(), forces));
    }
    found.figures.push(Figure::grid(1, [panel]));
    Ok(found)
}

fn figure_5(_: Setting) -> Result<Findings, String> {
    let mut found = Findings { remarks: vec![SPEED], ..Findings::default() };
    steady_rows(&mut found, |line| figured(line) && !spins(line) && line.text("model") == "1")?;
    // Closer where forces rise.
    let slips: Vec<f64> = even(-1.0, 1.0, 36).iter().map(|u| u * u.abs().sqrt()).collect();
    for (shape, title) in SHAPES {
        let at = Rolling { model: Model::Standard, ..Rolling::start(()) };
        let all = drawn(shape)?.surface(&at, &slips, &slips).map_err(|e| e.to_string())?;
        let panel = |value: Axis, of: fn(&Outcome) -> f64| {
            // The outcomes run over σ_y first, the figure over σ_x.
            let count = slips.len();
            let pairs: Vec<(usize, usize)> =
                (0..count).flat_map(|j| (0..count).map(move |i| (i, j))).collect();
            let each = |f: &dyn Fn(usize, usize) -> f64| {
                pairs.iter().map(|(i, j)| f(*i, *j)).collect::<Vec<f64>>()
            };
            let surface = Surface::bent(
                value,
                count,
                each(&|i, _| slips[i]),
                each(&|_, j| slips[j]),
                each(&|i, j| all.get(i * count + j).map_or(f64::NAN, of)),
            );
            Panel::new(Axis::new("σ_{x}", ""), Axis::new("σ_{y}", ""))
                .surface(surface.oblique(-60.0, 30.0))
        };
        let panels = [
            panel(Axis::new("F_{x}", "N"), |o| o.force[0]),
            panel(Axis::new("F_{y}", "N"), |o| o.force[1]),
            panel(Axis::new("M_{z}", "N·m"), |o| o.moment),
        ];
        found.figures.push(Figure::grid(3, panels).titled(title).width(1100.0));
    }
    Ok(found)
}

/// Spins of Figs 6, 7, 10, 11, 1/m.
const SPINS: [([f64; 2], &str); 3] =
    [([0.0, 0.0], "φ = 0"), ([3.0, 0.0], "φ = (3, 0) 1/m"), ([0.0, 3.0], "φ = (0, 3) 1/m")];

/// Model 2 over slips of some sizes in all directions.
fn discs(
    shape: &str,
    [phi1, phi2]: [f64; 2],
    sizes: &[f64],
    ways: u32,
) -> Result<Vec<Outcome>, String> {
    let mut points = Vec::new();
    for size in sizes {
        for way in even(0.0, TAU, ways) {
            let (sigma_x, sigma_y) = (size * way.cos(), size * way.sin());
            let model = Model::Semilinear;
            points.push(Rolling { model, sigma_x, sigma_y, phi1, phi2, ..Rolling::start(()) });
        }
    }
    solved(&drawn(shape)?, &points)
}

fn figure_6(_: Setting) -> Result<Findings, String> {
    let mut found = Findings { remarks: vec![SPEED], ..Findings::default() };
    steady_rows(&mut found, |line| figured(line) && spins(line) && line.text("model") == "2")?;
    for (shape, title) in SHAPES {
        let mut panels = Vec::new();
        for (phi, name) in SPINS {
            let ways = 40;
            // Closer where forces rise.
            let sizes: Vec<f64> = even(0.0, 1.0, 15).iter().map(|r| r.powi(3)).collect();
            let all = discs(shape, phi, &sizes, ways)?;
            let each = |of: fn(&Outcome) -> f64| all.iter().map(of).collect::<Vec<f64>>();
            let surface = Surface::bent(
                Axis::new("M_{z}", "N·m"),
                ways as usize + 1,
                each(|o| o.force[0]),
                each(|o| o.force[1]),
                each(|o| o.moment),
            );
            let panel = Panel::new(Axis::new("F_{x}", "N"), Axis::new("F_{y}", "N")).titled(name);
            panels.push(panel.surface(surface.oblique(-60.0, 30.0)));
        }
        found.figures.push(Figure::grid(3, panels).titled(title).width(1100.0));
    }
    Ok(found)
}

/// The greatest force in every direction, of all slips up to 1.
fn figure_7(_: Setting) -> Result<Findings, String> {
    const DIRECTIONS: usize = 120;
    // Forces are greatest between these.
    let sizes: Vec<f64> = even(0.0, 1.0, 9).iter().map(|k| 0.08 * 10f64.powf(*k)).collect();
    let mut found = Findings { remarks: vec![SPEED], ..Findings::default() };
    let mut panels = Vec::new();
    for (shape, title) in SHAPES {
        let mut panel = Panel::new(newtons("x"), newtons("y")).equal().titled(title);
        for (phi, name) in SPINS {
            let mut farthest = [[0.0f64; 2]; DIRECTIONS];
            for o in discs(shape, phi, &sizes, 360)? {
                let way = o.force[1].atan2(o.force[0]).rem_euclid(TAU) / TAU * DIRECTIONS as f64;
                let kept = &mut farthest[way as usize % DIRECTIONS];
                if o.force[0].hypot(o.force[1]) > kept[0].hypot(kept[1]) {
                    *kept = o.force;
                }
            }
            let around = farthest.iter().chain(farthest.first());
            let (x, y): (Vec<f64>, Vec<f64>) = around.map(|f| (f[0], f[1])).unzip();
            panel = panel.with(Series::new(name, x, y));
        }
        panels.push(panel);
    }
    found.figures.push(Figure::grid(2, panels));
    Ok(found)
}

/// The models, and how their lines look.
const MODELS: [(Model, Look); 3] = [
    (Model::Semilinear, Look::Solid),
    (Model::Linear, Look::Points),
    (Model::Standard, Look::Dashed),
];

/// F_y and M_z over σ_y at some σ_x; F_y over F_x and M_z over σ_x at some σ_y.
fn characteristics(shape: &str, [phi1, phi2]: [f64; 2], title: &str) -> Result<Figure, String> {
    let contact = drawn(shape)?;
    let held = [0.0, 0.05, 0.2];
    let mut panels = [
        Panel::new(slip("y"), newtons("y")),
        Panel::new(slip("y"), moment()),
        Panel::new(newtons("x"), newtons("y")),
        Panel::new(slip("x"), moment()),
    ];
    for (rank, value) in held.into_iter().enumerate() {
        for (model, look) in MODELS {
            let count = if look == Look::Points { 30 } else { 150 };
            let slips: Vec<f64> =
                even(-1.0, 1.0, count).iter().map(|u| u * u.abs().sqrt()).collect();
            let along = |point: &dyn Fn(f64) -> [f64; 2]| {
                let at = |s: &f64| {
                    let [sigma_x, sigma_y] = point(*s);
                    Rolling { model, sigma_x, sigma_y, phi1, phi2, ..Rolling::start(()) }
                };
                solved(&contact, &slips.iter().map(at).collect::<Vec<_>>())
            };
            let (over_y, over_x) = (along(&|s| [value, s])?, along(&|s| [s, value])?);
            let pick =
                |all: &[Outcome], of: fn(&Outcome) -> f64| all.iter().map(of).collect::<Vec<f64>>();
            // One legend over all four panels: what is held is the slip that is not on the axis.
            let name = match model {
                Model::Semilinear => format!("other slip {value}"),
                _ => String::new(),
            };
            let lines = [
                (name.clone(), slips.clone(), pick(&over_y, |o| o.force[1])),
                (name.clone(), slips.clone(), pick(&over_y, |o| o.moment)),
                (name.clone(), pick(&over_x, |o| o.force[0]), pick(&over_x, |o| o.force[1])),
                (name, slips.clone(), pick(&over_x, |o| o.moment)),
            ];
            for (panel, (name, x, y)) in panels.iter_mut().zip(lines) {
                panel.series.push(Series::new(name, x, y).look(look).rank(rank));
            }
        }
    }
    let title = format!("{title}; Model 2 solid, Model 3 points, Model 1 dashed");
    Ok(Figure::grid(2, panels).titled(title))
}

/// Rows of a shape without spin and its characteristics: all models agree.
fn without_spin(shape: &str) -> Result<Findings, String> {
    let mut found = Findings { remarks: vec![SPEED], ..Findings::default() };
    steady_rows(&mut found, |line| {
        figured(line) && !spins(line) && line.text("model") != "1" && line.text("shape") == shape
    })?;
    found.figures.push(characteristics(shape, [0.0, 0.0], "φ = 0")?);
    Ok(found)
}

/// Rows of a shape with spin and its characteristics.
fn with_spin(shape: &str) -> Result<Findings, String> {
    let mut found = Findings { remarks: vec![SPEED], ..Findings::default() };
    steady_rows(&mut found, |line| {
        figured(line) && spins(line) && line.text("model") != "2" && line.text("shape") == shape
    })?;
    for (phi, name) in &SPINS[1..] {
        found.figures.push(characteristics(shape, *phi, name)?);
    }
    Ok(found)
}

fn figure_8(_: Setting) -> Result<Findings, String> {
    without_spin("rect")
}

fn figure_9(_: Setting) -> Result<Findings, String> {
    without_spin("ell")
}

fn figure_10(_: Setting) -> Result<Findings, String> {
    with_spin("rect")
}

fn figure_11(_: Setting) -> Result<Findings, String> {
    with_spin("ell")
}

/// Transients step by step of 1.5 mm.
const STEP: f64 = 0.0015;

/// Distances up to `end` in steps.
fn distances(end: f64, step: f64) -> Vec<f64> {
    (0..=(end / step).round() as usize).map(|k| k as f64 * step).collect()
}

/// Distance, F_x, F_y and M_z from undeflected bristles on.
fn response(patch: &Patch<f64>, rolling: &Rolling<f64>) -> Result<Vec<[f64; 4]>, String> {
    let at = distances(120.0 * STEP, STEP);
    let course = Manoeuvre { rolling: &|_| *rolling, jumps: &[], at: &at, start: &|_, _| [0.0; 2] };
    let rolled = Steady::new(patch, &bristle()?, ACCURACY).and_then(|s| s.roll(&course));
    let outcomes = rolled.map_err(|e| e.to_string())?;
    let row = |(s, o): (&f64, Outcome)| [*s, o.force[0], o.force[1], o.moment];
    Ok(at.iter().zip(outcomes).map(row).collect())
}

/// Places at which transients are compared, m.
const PLACES: [f64; 5] = [0.015, 0.045, 0.09, 0.135, 0.18];

/// Compares the transients of a figure, and where and how they settle.
fn transient_rows(found: &mut Findings, figures: &[&str]) -> Result<(), String> {
    let of = |line: &Line<'_>| figures.contains(&line.text("fig"));
    let lines: Vec<Line<'_>> = TRANSIENT.lines().filter(of).collect();
    for group in lines.chunk_by(|a, b| named(a) == named(b)) {
        let [first, .., last] = group else { continue };
        let (model, at) = named(first);
        let patch = patch(first.text("shape"), first.text("pressure"))?;
        let history = response(&patch, &rolling(first)?)?;
        let force = last.number("Fx_N").hypot(last.number("Fy_N"));
        let moment = last.number("Mz37b_Nm").abs().max(LEAST_MOMENT);
        let compared =
            |line: &&Line<'_>| PLACES.iter().any(|place| (line.number("s_m") - place).abs() < 1e-9);
        for line in group.iter().filter(compared) {
            let s = line.number("s_m");
            let Some(now) = history.get((s / STEP).round() as usize) else { continue };
            for (k, size) in [force, force, moment].into_iter().enumerate() {
                let quantity = format!("{} at s={s} m, {at}", RESULTS[k]);
                let theirs = line.number(REFERENCE[k]);
                let row = row("step response", &model, &quantity, now[k + 1], theirs, 1e-4 * size);
                found.rows.push(row);
            }
        }
    }
    for line in SETTLED.lines().filter(of) {
        let (model, at) = named(&line);
        let (patch, rolling) = (patch(line.text("shape"), line.text("pressure"))?, rolling(&line)?);
        let settles = settling_distance(&patch, &rolling).map_err(|e| e.to_string())?;
        let mut put = |column: &str, ours: f64, most: f64| {
            let quantity = format!("{column}, {at}");
            found.rows.push(row("settled", &model, &quantity, ours, line.number(column), most));
        };
        put("s_settle_m", settles, 2e-8);
        let steady = Steady::new(&patch, &bristle()?, ACCURACY).and_then(|mut s| s.solve(&rolling));
        let o = steady.map_err(|e| e.to_string())?;
        let force = line.number("Fx_ss").hypot(line.number("Fy_ss"));
        put("Fx_ss", o.force[0], ACCURACY * force);
        put("Fy_ss", o.force[1], ACCURACY * force);
        put("Mz_ss", o.moment, ACCURACY * line.number("Mz_ss").abs().max(LEAST_MOMENT));
    }
    Ok(())
}

/// The responses of both shapes by Model 3 to steps of which each is a column.
fn responses(steps: [(Rolling<f64>, &str); 2]) -> Result<Figure, String> {
    let mut panels = Vec::new();
    for (k, value) in [newtons("x"), newtons("y"), moment()].into_iter().enumerate() {
        for (rolling, title) in &steps {
            let mut panel = Panel::new(Axis::new("distance s", "m"), value.clone()).height(150.0);
            if k == 0 {
                panel = panel.titled(*title);
            }
            for (shape, name) in SHAPES {
                let history = response(&patch(shape, "parab")?, rolling)?;
                let column = |k: usize| history.iter().map(|h| h[k]).collect::<Vec<f64>>();
                panel = panel.with(Series::new(name, column(0), column(k + 1)));
            }
            panels.push(panel);
        }
    }
    Ok(Figure::grid(2, panels))
}

fn figure_12(_: Setting) -> Result<Findings, String> {
    let mut found = Findings { remarks: vec![SPEED], ..Findings::default() };
    transient_rows(&mut found, &["fig12"])?;
    let step = |sigma_x, sigma_y| Rolling { sigma_x, sigma_y, ..Rolling::start(()) };
    found.figures.push(responses([
        (step(0.16, 0.08), "σ = (0.16, 0.08)"),
        (step(0.06, 0.18), "σ = (0.06, 0.18)"),
    ])?);
    Ok(found)
}

fn figure_13(_: Setting) -> Result<Findings, String> {
    let mut found = Findings { remarks: vec![SPEED], ..Findings::default() };
    transient_rows(&mut found, &["fig13", "extra"])?;
    let step =
        |phi1, phi2| Rolling { sigma_x: 0.08, sigma_y: 0.08, phi1, phi2, ..Rolling::start(()) };
    found.figures.push(
        responses([(step(3.0, 0.0), SPINS[1].1), (step(0.0, 3.0), SPINS[2].1)])?
            .titled("σ = (0.08, 0.08)"),
    );
    Ok(found)
}

/// F_x, F_y and M_z of a strip whose length, load and slip oscillate by a tenth, (83).
fn strip(omega: f64, sigma: [f64; 2], s: f64) -> Result<[f64; 4], String> {
    let wave = |s: f64| 1.0 + 0.1 * (omega * s).sin();
    let bristle = bristle()?;
    let speed = Rolling::<f64>::start(()).v_r;
    let length = |t: f64| 0.15 * wave(speed * t);
    let strip = contact::Line {
        length: Length::Changing(&length),
        transport: Transport::Constant(speed / length(0.0)),
        pressure: &|_| 1.0,
        bristles: Bristles::Same(&bristle),
        places: &[],
        accuracy: 1e-10,
    };
    let (t, half) = (s / speed, 0.5 * length(s / speed));
    let velocity = |t: f64| [sigma[0] * wave(speed * t), sigma[1]].map(|slip| slip * speed);
    let sums = strip.integral(t, &Course::smooth(&velocity), |b| {
        let (x, f) = (half * (1.0 - 2.0 * b.xi), b.force);
        // (81b), and (38), which has the term −z_y f_x that (82) lacks.
        [f[0], f[1], x * f[1], (x + b.z[0]) * f[1] - b.z[1] * f[0], 1.0]
    });
    let [fx, fy, moment, deformed, load] =
        sums.map_err(|_| "the bristle of Table 1 is linear".to_owned())?.value;
    Ok([fx, fy, moment, deformed].map(|sum| sum * 4000.0 * wave(s) / load))
}

fn figure_14(_: Setting) -> Result<Findings, String> {
    let mut found = Findings {
        remarks: vec![SPEED, "(82) lacks the term −(z_y/a) f_x; the moment here has it."],
        ..Findings::default()
    };
    for line in STRIP.lines().step_by(40) {
        let (omega, s) = (line.number("omega_s"), line.number("s_m"));
        let sigma = [line.number("sigma_x0"), line.number("sigma_y")];
        let ours = strip(omega, sigma, s)?;
        let model = format!("omega_s={omega} sigma_x0={} sigma_y={}", sigma[0], sigma[1]);
        let columns = ["Fx_N", "Fy_N", "Mz81b_Nm", "Mz38_correct_Nm"];
        for ((name, column), ours) in RESULTS.into_iter().zip(columns).zip(ours) {
            let quantity = format!("{name} at s={s} m");
            found.rows.push(row("strip", &model, &quantity, ours, line.number(column), 2e-7));
        }
    }
    let mut panels = Vec::new();
    for (omega, slips) in [(10.0, [0.02, 0.06]), (20.0, [0.02, 0.04])] {
        let panel = Panel::new(Axis::new("distance s", "m"), newtons("x"));
        let mut panel = panel.titled(format!("ω_{{s}} = {omega} 1/m"));
        for sigma in slips {
            let distances = even(0.0, 2.0, 160);
            let forces = distances.iter().map(|s| Ok(strip(omega, [sigma, 0.0], *s)?[0]));
            let forces = forces.collect::<Result<Vec<f64>, String>>()?;
            panel = panel.with(Series::new(format!("σ_{{x,0}} = {sigma}"), distances, forces));
        }
        panels.push(panel);
    }
    found.figures.push(Figure::stacked(panels));
    Ok(found)
}

/// Accuracy of balances on the way: the reference is known to 1e-4 of what is supplied.
const BALANCED: f64 = 1e-5;

/// Steps of free rolling and of balances, m.
const COAST: f64 = 0.0025;

/// The balances of a course over a patch.
fn balances(patch: &Patch<f64>, course: &Manoeuvre<'_>) -> Result<Vec<Balance>, String> {
    let rolled = Steady::new(patch, &bristle()?, BALANCED);
    let found = rolled.and_then(|s| s.roll_with_balances(course));
    Ok(found.map_err(|e| e.to_string())?.1)
}

/// The stored energy over the distance of a patch that rolls without slip, whose bristles are deflected by
/// 1 mm up to 15 mm behind the leading edge.
fn coast(shape: &str, pressure: &str) -> Result<Vec<f64>, String> {
    let (patch, at) = (patch(shape, pressure)?, distances(60.0 * COAST, COAST));
    let outline = patch.shape();
    let start = |x: f64, y: f64| {
        let behind = outline.a * outline.edge((y / outline.b).abs()) - x;
        if behind < 0.015 { [1e-3, 0.0] } else { [0.0; 2] }
    };
    let rolling = |_: f64| Rolling::start(());
    let course = Manoeuvre { rolling: &rolling, jumps: &[], at: &at, start: &start };
    Ok(balances(&patch, &course)?.iter().map(|b| b.stored).collect())
}

/// The most energy that is ever stored while a slip of 0.004 goes on for 30 mm, turns round for 30 mm and ends.
fn pulsed(patch: &Patch<f64>) -> Result<f64, String> {
    let sigma_x = |s: f64| match s {
        s if s < 0.03 => 0.004,
        s if s < 0.06 => -0.004,
        _ => 0.0,
    };
    let rolling =
        |s: f64| Rolling { model: Model::Standard, sigma_x: sigma_x(s), ..Rolling::start(()) };
    let at = distances(60.0 * COAST, COAST);
    let course =
        Manoeuvre { rolling: &rolling, jumps: &[0.03, 0.06], at: &at, start: &|_, _| [0.0; 2] };
    Ok(balances(patch, &course)?.iter().map(|b| b.stored).fold(0.0, f64::max))
}

/// The numbers in `(0.08, 0.08, 0, 3) s=0.02`, as a motion.
fn motion_of(line: &Line<'_>) -> Option<Rolling<f64>> {
    let case = line.text("case");
    let inside = case.strip_prefix('(')?.split_once(')')?.0;
    let numbers: Vec<f64> = inside.split(',').filter_map(|n| n.trim().parse().ok()).collect();
    let [sigma_x, sigma_y, phi1, phi2] = numbers[..] else { return None };
    let model = chosen(Model::Linear, line.text("model")).ok()?;
    Some(Rolling { model, sigma_x, sigma_y, phi1, phi2, ..Rolling::start(()) })
}

/// The terms of the balance (97)-(101) beside those in a line's values.
fn balance_rows(found: &mut Findings, line: &Line<'_>, ours: &Balance) {
    let (case, values) = (line.text("case"), line.text("values"));
    let model = named(line).0;
    let supplied = number(values, "Pow=").unwrap_or(f64::NAN);
    for (name, ours) in [
        ("Pow", ours.supplied),
        ("Q1", ours.sliding),
        ("Div", ours.unloading),
        ("Bnd", ours.leaving),
        ("dW", ours.supplied - ours.spent()),
    ] {
        if let Some(theirs) = number(values, &format!("{name}=")) {
            let quantity = format!("{name} [N] at {case}");
            let allowed = 1e-4 * supplied;
            found.rows.push(row(line.text("check"), &model, &quantity, ours, theirs, allowed));
        }
    }
}

fn section_4(_: Setting) -> Result<Findings, String> {
    let mut found = Findings {
        remarks: vec![
            "(71) holds for a constant pressure, and for (108) in Model 1. A parabolic pressure and (109)              vanish at the leading edge and cannot satisfy it: free rolling from a front-loaded deflection              then raises the stored energy with no supply.",
            "Lemma 4.2 asks for M²G⁻¹Σ₁ ⪰ 0; that always holds.",
        ],
        ..Findings::default()
    };
    for line in PASSIVITY.lines() {
        let (shape, pressure) = (line.text("shape"), line.text("pressure"));
        let patch = patch(shape, pressure)?;
        match line.text("check") {
            "eq71" => {
                let model = chosen(Model::Linear, line.text("model"))?;
                let rolling = Rolling { model, phi1: line.number("case"), ..Rolling::start(()) };
                let c = condition(&patch, &rolling).map_err(|e| e.to_string())?;
                let (worst, broken) =
                    (line.number("values"), line.number("relative_residual_or_fraction"));
                let name = named(&line).0;
                let mut put = |quantity: &str, ours: f64, theirs: f64, most: f64| {
                    let quantity = format!("{quantity}, phi1={}", line.text("case"));
                    found.rows.push(row("(71)", &name, &quantity, ours, theirs, most));
                };
                put("holds", f64::from(c.holds()), f64::from(worst <= 0.0), 0.0);
                // The reference looked at other points of a steep function; at the edge they differ.
                if worst.abs() < 30.0 {
                    let most = 0.06 * worst.abs().max(0.1);
                    put("greatest a div(pV)/p0", c.worst, worst, most);
                }
                put("part of the patch where it fails", c.broken, broken, 0.12);
            }
            "steady_balance" if line.text("case").ends_with("[]") => {
                let Some(rolling) = motion_of(&line) else { continue };
                let steady = Steady::new(&patch, &bristle()?, ACCURACY);
                let balance = steady.and_then(|s| s.balance(&rolling));
                balance_rows(&mut found, &line, &balance.map_err(|e| e.to_string())?.0);
            }
            "transient_balance" => {
                let (Some(rolling), Some(s)) = (motion_of(&line), number(line.text("case"), "s="))
                else {
                    continue;
                };
                let at = distances(s, COAST);
                let start = |_: f64, _: f64| [0.0; 2];
                let course =
                    Manoeuvre { rolling: &|_| rolling, jumps: &[], at: &at, start: &start };
                if let Some(balance) = balances(&patch, &course)?.last() {
                    balance_rows(&mut found, &line, balance);
                }
            }
            "eq70_pulse" => {
                let theirs = number(line.text("values"), "maxW=").unwrap_or(f64::NAN);
                let (name, ours) = (named(&line).0, pulsed(&patch)?);
                let quantity = "most stored [J] after sigma=.004 for .03 m, -.004 for .03 m, 0";
                found.rows.push(row("(70)", &name, quantity, ours, theirs, 1e-4 * theirs));
            }
            _ => {}
        }
    }
    for line in COASTING.lines() {
        let (shape, pressure) = (line.text("shape"), line.text("pressure"));
        let stored = coast(shape, pressure)?;
        let (start, most) = (stored[0], stored.iter().copied().fold(0.0, f64::max));
        let name = format!("{shape}, {pressure}");
        for (column, ours) in [("W0_J", start), ("maxW_J", most)] {
            let theirs = line.number(column);
            found.rows.push(row("free rolling (70)", &name, column, ours, theirs, 1e-4 * theirs));
        }
    }
    let mut panels = Vec::new();
    for (shape, title) in SHAPES {
        let energy = Axis::new("stored energy W/W_{0}", "");
        let mut panel = Panel::new(Axis::new("distance s", "m"), energy).titled(title);
        for (pressure, name) in PRESSURES {
            let stored = coast(shape, pressure)?;
            let places: Vec<f64> = (0..stored.len()).map(|k| COAST * k as f64).collect();
            let parts: Vec<f64> = stored.iter().map(|w| w / stored[0]).collect();
            panel = panel.with(Series::new(name, places, parts));
        }
        panels.push(panel);
    }
    found.figures.push(
        Figure::grid(2, panels).titled("Free rolling from a deflection behind the leading edge"),
    );
    Ok(found)
}
