//! Lists the files of `scenarios` and `logs`, links to the project's own, so that adding one is adding a file.
use std::fmt::Write;
use std::{env, fs, path::PathBuf};

fn main() {
    let mut code = String::new();
    for (name, folder) in [("SCENARIOS", "scenarios"), ("LOGS", "logs")] {
        let folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap()).join(folder);
        let folder = folder.canonicalize().expect("the folder exists");
        println!("cargo:rerun-if-changed={}", folder.display());
        let mut files: Vec<PathBuf> = fs::read_dir(&folder)
            .expect("the folder can be read")
            .map(|entry| entry.expect("an entry of the folder").path())
            .filter(|path| path.extension().is_some_and(|e| e == "toml" || e == "csv"))
            .collect();
        files.sort();
        writeln!(code, "static {name}: &[(&str, &str)] = &[").unwrap();
        for file in files {
            let name = file.file_name().expect("a file has a name").to_string_lossy().into_owned();
            writeln!(code, "({name:?}, include_str!({:?})),", file.display().to_string()).unwrap();
        }
        code.push_str("];\n");
    }
    let out = PathBuf::from(env::var("OUT_DIR").unwrap()).join("shipped.rs");
    fs::write(out, code).expect("OUT_DIR can be written");
}
