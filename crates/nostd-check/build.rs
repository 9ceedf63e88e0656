//! Links the program with no library at all: whatever needs one fails here.
fn main() {
    for arg in ["-nostdlib", "-nostartfiles", "-static"] {
        println!("cargo:rustc-link-arg-bins={arg}");
    }
}
