//! What was found: as a page, as a table for the terminal, and as JSON.
use crate::{Done, Row, Setting, Verdict};
use bristle_kernel::PAPERS;
use serde_json::{Value, json};
use std::fmt::Write;

/// How many rows have each verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Reproduced.
    pub reproduced: usize,
    /// Reproduced with a correction.
    pub corrected: usize,
    /// Not reproducible.
    pub not_reproducible: usize,
    /// Not what it should be.
    pub deviating: usize,
}

impl Count {
    /// How many there are.
    pub fn all(self) -> usize {
        self.reproduced + self.corrected + self.not_reproducible + self.deviating
    }

    /// Of these rows.
    pub fn of<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Self {
        let mut count = Count::default();
        for row in rows {
            *match row.verdict {
                Verdict::Reproduced => &mut count.reproduced,
                Verdict::Corrected => &mut count.corrected,
                Verdict::NotReproducible => &mut count.not_reproducible,
                Verdict::Deviates => &mut count.deviating,
            } += 1;
        }
        count
    }
}

fn rows(done: &Done) -> &[Row] {
    done.outcome.as_ref().map_or(&[], |found| &found.rows)
}

/// Of all that was run.
pub fn count(done: &[Done]) -> Count {
    Count::of(done.iter().flat_map(rows))
}

/// Of the numbers that the papers print themselves, and of those that only an independent program found.
pub fn by_source(done: &[Done]) -> [Count; 2] {
    [true, false].map(|printed| {
        Count::of(done.iter().flat_map(rows).filter(|row| row.printed.is_some() == printed))
    })
}

/// Whether everything ran and nothing deviates.
pub fn holds(done: &[Done]) -> bool {
    done.iter().all(|d| d.outcome.is_ok()) && count(done).deviating == 0
}

/// A line for each experiment, and whatever deviates.
pub fn table(done: &[Done]) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let mut line = |s: std::fmt::Arguments<'_>| writeln!(text, "{s}").unwrap_or_default();
    line(format_args!(
        "{:<18} {:<38} {:>10} {:>9} {:>7} {:>8} {:>7}",
        "", "", "reproduced", "corrected", "not", "deviates", "s"
    ));
    for d in done {
        let e = d.experiment;
        let place = format!("{} {}", e.paper, e.place);
        let seconds = d.elapsed.as_secs_f64();
        match &d.outcome {
            Ok(_) => {
                let c = Count::of(rows(d));
                line(format_args!(
                    "{place:<18} {:<38} {:>10} {:>9} {:>7} {:>8} {seconds:>7.2}",
                    e.title, c.reproduced, c.corrected, c.not_reproducible, c.deviating
                ));
            }
            Err(why) => line(format_args!("{place:<18} {:<38} could not be run: {why}", e.title)),
        }
    }
    let [printed, found] = by_source(done);
    for (label, c) in [
        ("all", count(done)),
        ("of them printed in the papers", printed),
        ("of them found by independent programs only", found),
    ] {
        line(format_args!(
            "{label:<57} {:>10} {:>9} {:>7} {:>8}",
            c.reproduced, c.corrected, c.not_reproducible, c.deviating
        ));
    }
    for row in done.iter().flat_map(rows).filter(|r| r.verdict == Verdict::Deviates) {
        line(format_args!(
            "deviates: {} | {} | {}: {}, reference {}, printed {}: {}",
            readable(&row.experiment),
            row.model,
            readable(&row.quantity),
            numbers(&row.ours),
            numbers(&row.reference),
            row.printed.as_deref().unwrap_or("nothing"),
            row.why
        ));
    }
    text
}

/// `results.json`.
pub fn json(done: &[Done], setting: Setting) -> Value {
    let mut all = Vec::new();
    for d in done {
        for row in rows(d) {
            all.push(json!({
                "paper": d.experiment.paper,
                "place": d.experiment.place,
                "experiment": row.experiment,
                "model": row.model,
                "quantity": row.quantity,
                "printed": row.printed,
                "ours": some(&row.ours),
                "reference": some(&row.reference),
                "error": row.error(),
                "allowed": row.allowed,
                "verdict": row.verdict.text(),
                "reason": row.why,
                "reference_key": row.reference_key,
            }));
        }
    }
    let experiments: Vec<Value> = done
        .iter()
        .map(|d| {
            json!({
                "paper": d.experiment.paper,
                "place": d.experiment.place,
                "title": d.experiment.title,
                "figures": figures(d),
                "remarks": d.outcome.as_ref().map_or(&[][..], |found| &found.remarks),
                "seconds": d.elapsed.as_secs_f64(),
                "failed": d.outcome.as_ref().err(),
            })
        })
        .collect();
    let [printed, found] = by_source(done);
    let count = |c: Count| {
        json!({
            "reproduced": c.reproduced,
            "reproduced with correction": c.corrected,
            "not reproducible": c.not_reproducible,
            "deviates": c.deviating,
        })
    };
    json!({
        "bristle": env!("CARGO_PKG_VERSION"),
        "tolerance": setting.tolerance,
        "count": count(self::count(done)),
        "printed_in_the_papers": count(printed),
        "found_by_independent_programs_only": count(found),
        "experiments": experiments,
        "rows": all,
    })
}

/// One number, a list of several, or nothing.
fn some(values: &[f64]) -> Value {
    match values {
        [] => Value::Null,
        [one] => json!(one),
        several => json!(several),
    }
}

/// The names of the files that its figures are in, without their endings.
pub fn figures(done: &Done) -> Vec<String> {
    let name = done.experiment.name();
    let count = done.outcome.as_ref().map_or(0, |found| found.figures.len());
    match count {
        1 => vec![name],
        n => (0..n).map(|k| format!("{name}-{}", k + 1)).collect(),
    }
}

/// A page with everything in it: no other file is needed to read it.
pub fn page(done: &[Done]) -> String {
    let mut page = String::from(HEAD);
    let [printed, found] = by_source(done);
    let mut put = |s: std::fmt::Arguments<'_>| page.write_fmt(s).unwrap_or_default();
    put(format_args!(
        "<h1>Five papers run again</h1>\n<p>The papers print {} of the numbers below: {}. Programs that are independent \
         of Bristle found the other {}: {}. Made by <code>bristle papers</code>, version {}.</p>\n\
         <nav><h2>Contents</h2>\n",
        printed.all(),
        counted(printed),
        found.all(),
        counted(found),
        env!("CARGO_PKG_VERSION"),
    ));
    let of = |paper: &'static str| done.iter().filter(move |d| d.experiment.paper == paper);
    let papers = || PAPERS.iter().filter(|(number, _)| of(number).next().is_some());
    for (number, title) in papers() {
        put(format_args!("<p>{number} {}</p>\n<ul>\n", escaped(title)));
        for d in of(number) {
            let (e, c) = (d.experiment, Count::of(rows(d)));
            put(format_args!(
                "<li><a href=\"#{}\">{}</a> {} <span class=\"count\">{}</span></li>\n",
                e.name(),
                e.place,
                escaped(e.title),
                counted(c)
            ));
        }
        put(format_args!("</ul>\n"));
    }
    put(format_args!("</nav>\n"));
    for (number, title) in papers() {
        put(format_args!("<h2>{number} {}</h2>\n", escaped(title)));
        for d in of(number) {
            section(d, &mut put);
        }
    }
    put(format_args!("</main></body></html>\n"));
    page
}

fn section(d: &Done, put: &mut impl FnMut(std::fmt::Arguments<'_>)) {
    let e = d.experiment;
    put(format_args!(
        "<section id=\"{}\">\n<h3>{}: {}</h3>\n",
        e.name(),
        e.place,
        escaped(e.title)
    ));
    let found = match &d.outcome {
        Ok(found) => found,
        Err(why) => {
            put(format_args!(
                "<p class=\"deviates\">Could not be run: {}</p></section>\n",
                escaped(why)
            ));
            return;
        }
    };
    for remark in &found.remarks {
        put(format_args!("<p>{}</p>\n", escaped(remark)));
    }
    for (figure, file) in found.figures.iter().zip(figures(d)) {
        let what = if figure.title.is_empty() { e.title } else { &figure.title };
        put(format_args!(
            "<figure>{}<figcaption>{} of {}, drawn again: {}. <code>figures/{file}.svg</code></figcaption></figure>\n",
            figure.svg(),
            e.place,
            e.paper,
            escaped(what),
        ));
    }
    if !found.rows.is_empty() {
        let c = Count::of(&found.rows);
        put(format_args!(
            "<details{}><summary>{}</summary>\n<table><thead><tr><th>experiment<th>model<th>quantity\
             <th>paper<th>reference<th>Bristle<th>difference<th>allowed<th>verdict</tr></thead><tbody>\n",
            if found.rows.len() <= 24 { " open" } else { "" },
            counted(c)
        ));
        for row in &found.rows {
            put(format_args!(
                "<tr class=\"{}\"><td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}{}</tr>\n",
                match row.verdict {
                    Verdict::Reproduced => "reproduced",
                    Verdict::Corrected => "corrected",
                    Verdict::NotReproducible => "lost",
                    Verdict::Deviates => "deviates",
                },
                escaped(&readable(&row.experiment)),
                escaped(&row.model),
                escaped(&readable(&row.quantity)),
                escaped(row.printed.as_deref().unwrap_or("")),
                numbers(&row.reference),
                numbers(&row.ours),
                row.error().map_or_else(String::new, |e| format!("{e:.1e}")),
                if row.reference.is_empty() {
                    String::new()
                } else {
                    format!("{:.1e}", row.allowed)
                },
                row.verdict.text(),
                if row.why.is_empty() { String::new() } else { format!(": {}", escaped(&row.why)) },
            ));
        }
        put(format_args!("</tbody></table></details>\n"));
    }
    put(format_args!("</section>\n"));
}

/// Units that names of reference files end in, and how they are written.
const UNITS: [(&str, &str); 13] = [
    ("m", "m"),
    ("mm", "mm"),
    ("s", "s"),
    ("N", "N"),
    ("J", "J"),
    ("W", "W"),
    ("Nm", "N·m"),
    ("mps", "m/s"),
    ("m/s", "m/s"),
    ("mm/s", "mm/s"),
    ("rad", "rad"),
    ("1/s", "1/s"),
    ("Pa", "Pa"),
];

/// Symbols with an index in such names.
const SYMBOLS: [&str; 6] = ["mu_b", "F_b", "q_err", "x_T1", "x_T2", "u_TT"];

/// A name of a reference file as a person writes it: `x_t=30s_m` is `x at t = 30 s [m]`.
fn readable(key: &str) -> String {
    // A sentence stays one.
    if key.contains(' ') && key.split(' ').all(|word| word.matches('_').count() < 2) {
        return key.to_owned();
    }
    // A symbol keeps its index.
    let kept = |text: String, symbol: &&str| text.replace(*symbol, &symbol.replace('_', "\u{0}"));
    let key = SYMBOLS.iter().fold(key.to_owned(), kept);
    let key = key.as_str();
    let (name, unit) = match key.rsplit_once('_') {
        Some((name, last)) => {
            let unit = UNITS.iter().find(|(short, _)| *short == last);
            (if unit.is_some() { name } else { key }, unit.map(|(_, unit)| *unit))
        }
        None => (key, None),
    };
    let mut words: Vec<String> = Vec::new();
    for word in name.split('_').filter(|word| !word.is_empty()) {
        words.push(match word.split_once('=') {
            Some(("t", time)) if time.ends_with('s') => {
                format!("at t = {} s", time.trim_end_matches('s'))
            }
            Some((name, value)) if !value.is_empty() => format!("{name} = {value}"),
            _ => match word {
                "n" if words.is_empty() => "number of".into(),
                "int" if words.is_empty() => "integral of".into(),
                "t" | "time" if words.is_empty() => "time of".into(),
                _ => word.to_owned(),
            },
        });
    }
    let unit = unit.map(|unit| format!(" [{unit}]")).unwrap_or_default();
    (words.join(" ") + &unit).replace('\u{0}', "_")
}

/// `16 reproduced, 2 with correction`.
fn counted(c: Count) -> String {
    let parts = [
        (c.reproduced, "reproduced"),
        (c.corrected, "with correction"),
        (c.not_reproducible, "not reproducible"),
        (c.deviating, "deviating"),
    ];
    let parts: Vec<String> =
        parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    parts.join(", ")
}

/// Ten digits.
fn numbers(values: &[f64]) -> String {
    let text = |x: &f64| {
        let size = x.abs();
        if *x == 0.0 {
            "0".to_owned()
        } else if (1e-3..1e6).contains(&size) {
            let digits = (9 - size.log10().floor() as i32).clamp(0, 12) as usize;
            let text = format!("{x:.digits$}");
            if text.contains('.') {
                text.trim_end_matches('0').trim_end_matches('.').to_owned()
            } else {
                text
            }
        } else {
            format!("{x:.9e}")
        }
    };
    values.iter().map(text).collect::<Vec<_>>().join("; ")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

const HEAD: &str = r#"<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Five papers run again</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; color: #222; background: #fff; margin: 0 }
main { max-width: 72rem; margin: 0 auto; padding: 1rem }
h1, h2, h3 { line-height: 1.2 }
h2 { border-bottom: 1px solid #ccc; padding-top: 1rem }
nav ul { columns: 2 20rem; padding-left: 1.2rem }
.count { color: #666 }
figure { margin: 1.5rem 0 }
figure svg { width: 100%; height: auto }
figcaption { color: #444; font-size: 0.9rem }
details { overflow-x: auto }
summary { cursor: pointer; color: #444 }
table { border-collapse: collapse; font-size: 0.85rem; margin: 0.5rem 0 }
th, td { text-align: left; padding: 0.15rem 0.6rem; border-bottom: 1px solid #e3e3e3; vertical-align: top }
td { font-variant-numeric: tabular-nums }
.corrected td:last-child { color: #7a5200 }
.lost td:last-child { color: #555 }
.deviates, .deviates td:last-child { color: #a40000; font-weight: 600 }
</style></head><body><main>
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_reference_files_are_written_out() {
        for (key, text) in [
            ("x_t=30s_m", "x at t = 30 s [m]"),
            ("drift_cycle1_mm", "drift cycle1 [mm]"),
            ("n_slip_events_60s", "number of slip events 60s"),
            ("time_first_v0_s", "time of first v0 [s]"),
            ("peak_velocity_first_slip_mps", "peak velocity first slip [m/s]"),
            ("slip 0: peak velocity [m/s]", "slip 0: peak velocity [m/s]"),
            ("floquet_multiplier", "floquet multiplier"),
            ("F_b_t=10s_N", "F_b at t = 10 s [N]"),
            ("F_min (inf over x, v>0)", "F_min (inf over x, v>0)"),
            ("closed_form(19)_v=0.2sin(10pi t)", "closed form(19) v = 0.2sin(10pi t)"),
        ] {
            assert_eq!(readable(key), text);
        }
    }
}
