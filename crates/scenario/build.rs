//! Lists the parameter sets of `params`, a link to `data/params`, so that adding one is adding a file.
use std::fmt::Write;
use std::{env, fs, path::PathBuf};

fn main() {
    let folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap()).join("params");
    let folder = folder.canonicalize().expect("the folder of parameter sets exists");
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("data/params can be read")
        .map(|entry| entry.expect("an entry of data/params").path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .collect();
    files.sort();
    let mut code = String::from("&[\n");
    for file in files {
        let name = file.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        writeln!(code, "({name:?}, include_str!({:?})),", file.display().to_string()).unwrap();
    }
    code.push_str("]\n");
    let out = PathBuf::from(env::var("OUT_DIR").unwrap()).join("sets.rs");
    fs::write(out, code).expect("OUT_DIR can be written");
}
