//! The header says what the Rust source declares.
use std::path::Path;

const HEADER: &str = "include/bristle.h";

fn header() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    let sources = ["error", "element", "patch"].map(|name| root.join(format!("src/{name}.rs")));
    let builder =
        sources.iter().fold(cbindgen::Builder::new().with_config(config), |builder, source| {
            builder.with_src(source)
        });
    let mut text = Vec::new();
    builder.generate().unwrap().write(&mut text);
    // What is unsafe in Rust is how C is.
    const SAFETY: [&str; 3] =
        ["//\n// # Safety\n", "// The pointers are NULL or point to what the types say.\n", ""];
    let text = String::from_utf8(text).unwrap();
    SAFETY[..2].iter().fold(text, |text, said| text.replace(said, ""))
}

/// `BRISTLE_GENERATE=1 cargo test -p bristle-c` writes it anew.
#[test]
fn the_header_is_that_of_the_source() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(HEADER);
    let made = header();
    if std::env::var_os("BRISTLE_GENERATE").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == made, "{HEADER} is out of date: BRISTLE_GENERATE=1 cargo test -p bristle-c");
}
