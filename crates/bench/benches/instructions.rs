//! Instructions per evaluation and per midpoint step, counted by callgrind: the same in every run,
//! whatever else the machine does.
//!
//! The program starts itself under valgrind, which counts only inside [`counted`] and writes what
//! it has counted each time that function returns.
use bristle_bench::{Subject, Task, Work, concrete, exp, unions};
use bristle_kernel::Update;
use std::process::{Command, ExitCode};
use std::{env, fs, path::Path};

/// Evaluations to a count.
const COUNT: usize = 100;
/// The argument that says: this is the program under valgrind.
const INSIDE: &str = "--counted";
/// What a model may be over to have a row.
const OVER: [&str; 2] = ["stribeck", "isotropic over stribeck"];
/// What is counted.
const TASKS: [Task; 2] = [Task::Eval, Task::Step(Update::Midpoint)];

#[inline(never)]
fn counted(work: &mut dyn Work, task: Task) {
    work.pass(task);
}

fn subjects() -> Vec<Subject> {
    let mut types = concrete(COUNT);
    types.iter_mut().for_each(|s| s.name += ", concrete type");
    let shown = |s: &Subject| s.name.split_once(" over ").is_none_or(|(_, o)| OVER.contains(&o));
    let models = unions(COUNT).into_iter().filter(shown);
    [exp(COUNT)].into_iter().chain(types).chain(models).collect()
}

/// Every count there is, in the order in which they are made: calls `f` with subject, column and
/// what to do.
fn each(subjects: &mut [Subject], mut f: impl FnMut(usize, usize, &mut dyn Work, Task)) {
    for (i, s) in subjects.iter_mut().enumerate() {
        for (k, task) in TASKS.into_iter().enumerate() {
            if s.scalar.can(task) {
                f(i, 2 * k, &mut *s.scalar, task);
                f(i, 2 * k + 1, &mut *s.lanes, task);
            }
        }
    }
}

/// The total of one file of callgrind's.
fn total(file: &Path) -> Option<f64> {
    let text = fs::read_to_string(file).ok()?;
    text.lines().find_map(|line| line.strip_prefix("totals: "))?.trim().parse().ok()
}

fn main() -> ExitCode {
    let mut subjects = subjects();
    if env::args().any(|arg| arg == INSIDE) {
        each(&mut subjects, |_, _, work, task| {
            // Once before, so that nothing is counted that only the first call does.
            work.pass(task);
            counted(work, task);
        });
        return ExitCode::SUCCESS;
    }

    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("counts-{}", std::process::id()));
    let function = concat!(module_path!(), "::counted");
    let run = env::current_exe().and_then(|program| {
        Command::new("valgrind")
            .args(["--tool=callgrind", "--quiet", "--collect-atstart=no"])
            .arg(format!("--toggle-collect={function}"))
            .arg(format!("--dump-after={function}"))
            .arg(format!("--callgrind-out-file={}", out.display()))
            .arg(program)
            .arg(INSIDE)
            .status()
    });
    match run {
        Ok(status) if status.success() => {}
        Ok(status) => {
            eprintln!("valgrind ended with {status}");
            return ExitCode::FAILURE;
        }
        Err(e) => {
            eprintln!("cannot start valgrind: {e}; instruction counts need it installed");
            return ExitCode::FAILURE;
        }
    }

    let mut rows = vec![[None; 4]; subjects.len()];
    let mut number = 0;
    each(&mut subjects, |i, column, _, _| {
        number += 1;
        let file = out.with_added_extension(number.to_string());
        rows[i][column] = total(&file).map(|n| n / COUNT as f64);
        let _ = fs::remove_file(file);
    });
    let _ = fs::remove_file(&out);

    println!("Instructions per evaluation; of a lane, a quarter of those of a vector of four.\n");
    println!("| model | eval, f64 | eval, a lane | midpoint, f64 | midpoint, a lane |");
    println!("|---|---:|---:|---:|---:|");
    for (subject, row) in subjects.iter().zip(&rows) {
        let cell = |n: &Option<f64>| n.map_or("-".to_owned(), |n| format!("{n:.0}"));
        println!("| {} | {} |", subject.name, row.iter().map(cell).collect::<Vec<_>>().join(" | "));
    }
    if rows.iter().all(|row| row[0].is_some()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
