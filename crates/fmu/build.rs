//! Tells the library where cargo puts shared libraries, so that a program installed from this build finds its own.
use std::path::PathBuf;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // <target>/<profile>/build/<package>/out
    let out = std::env::var_os("OUT_DIR").map(PathBuf::from);
    let profile = out.as_deref().and_then(|out| out.ancestors().nth(3));
    println!(
        "cargo::rustc-env=BRISTLE_BUILT_IN={}",
        profile.map_or(String::new(), |p| p.display().to_string())
    );
}
