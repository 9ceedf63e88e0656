//! Programs in C and C++ are compiled against the header and run, with the static and the shared library.
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Where cargo put the libraries: beside this test.
fn libraries() -> PathBuf {
    std::env::current_exe().unwrap().parent().unwrap().to_owned()
}

fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let text = [&output.stdout[..], &output.stderr].concat();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&text));
    output
}

/// Compiles a program and runs it; gives what it prints.
fn program(compiler: &str, source: &str, name: &str, shared: bool) -> String {
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let mut command = Command::new(compiler);
    command.args(["-O2", "-Wall", "-Wextra", "-Werror"]).arg("-I").arg(folder().join("include"));
    if compiler == "g++" {
        command.arg("-std=c++17");
    }
    command.arg(folder().join(source)).arg("-o").arg(&out);
    if shared {
        command.arg("-L").arg(libraries()).arg("-lbristle_c");
    } else {
        command.arg(libraries().join("libbristle_c.a"));
    }
    run(command.args(["-lm", "-lpthread", "-ldl"]));
    let output = run(Command::new(&out).env("LD_LIBRARY_PATH", libraries()));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_function_does_what_it_says_and_refuses_the_rest() {
    assert_eq!(program("gcc", "tests/calls.c", "calls", true), "");
}

#[test]
fn the_loop_arrives() {
    let text = program("gcc", "examples/loop.c", "loop", false);
    let x: f64 = text.trim_start_matches("x = ").split(' ').next().unwrap().parse().unwrap();
    assert!((x - 0.01).abs() < 2e-4, "{text}");
}

#[test]
fn the_controller_in_cpp_runs() {
    let text = program("g++", "examples/feedforward.cpp", "feedforward", true);
    assert!(text.starts_with("effort "), "{text}");
}
