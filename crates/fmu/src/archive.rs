//! A unit as a file: description, resources, library.
use crate::block::Fault;
use crate::source::Source;
use crate::xml::{self, Version};
use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// The name of the library inside of units.
pub const LIBRARY: &str = "bristle";
/// Where in the resources stands what a unit is made from.
pub const RESOURCE: &str = "bristle.toml";

/// Folder and ending of the library for the machine that this was compiled for, in FMI 2.0 and 3.0.
const PLATFORM: Option<[&str; 3]> = if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
    Some(["linux64", "x86_64-linux", "so"])
} else if cfg!(all(target_os = "linux", target_arch = "aarch64")) {
    Some(["aarch64-linux", "aarch64-linux", "so"])
} else if cfg!(all(target_os = "macos", target_arch = "aarch64")) {
    Some(["aarch64-darwin", "aarch64-darwin", "dylib"])
} else if cfg!(all(target_os = "macos", target_arch = "x86_64")) {
    Some(["darwin64", "x86_64-darwin", "dylib"])
} else if cfg!(all(target_os = "windows", target_arch = "x86_64")) {
    Some(["win64", "x86_64-windows", "dll"])
} else {
    None
};

/// What instances of a unit are asked for: it changes with what the unit is made from.
pub fn token(resource: &str) -> String {
    // FNV-1a with 128 bits.
    let mut hash: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    for byte in resource.bytes() {
        hash = (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
    }
    let hex = format!("{hash:032x}");
    let parts = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
    format!("{{{}}}", parts.join("-"))
}

/// The bytes of a unit, with this shared library in it.
pub fn pack(source: &Source, version: Version, library: &[u8]) -> Result<Vec<u8>, Fault> {
    let Some([two, three, ending]) = PLATFORM else {
        return Err(Fault::from("FMI has no name for this machine"));
    };
    let (_, description) = source.make()?;
    let resource = source.to_resources();
    let text = xml::write(&description, version, LIBRARY, &token(&resource));
    let folder = if version == Version::Two { two } else { three };
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    // Times are left out, so that the same unit is the same file.
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let mut add = |name: &str, bytes: &[u8]| -> Result<(), Fault> {
        zip.start_file(name, options)?;
        zip.write_all(bytes)?;
        Ok(())
    };
    add("modelDescription.xml", text.as_bytes())?;
    add(&format!("resources/{RESOURCE}"), resource.as_bytes())?;
    for log in &source.logs {
        let outside = std::path::Path::new(log).components();
        if outside.into_iter().any(|c| !matches!(c, std::path::Component::Normal(_))) {
            return Err(Fault(format!(
                "{log} must stand in the scenario's folder or below it to go into a unit"
            )));
        }
        let path = source.folder.join(log);
        let bytes =
            std::fs::read(&path).map_err(|e| Fault(format!("{log} cannot be read: {e}")))?;
        add(&format!("resources/{log}"), &bytes)?;
    }
    let folder_of_license = match version {
        Version::Two => "documentation/license.txt",
        Version::Three => "documentation/licenses/license.txt",
    };
    add(folder_of_license, LICENSE_TEXT.as_bytes())?;
    add(&format!("binaries/{folder}/{LIBRARY}.{ending}"), library)?;
    Ok(zip.finish()?.into_inner())
}

const LICENSE_TEXT: &str = concat!(
    "Made by Bristle ",
    env!("CARGO_PKG_VERSION"),
    ", whose library in this unit is under the MIT licence or the Apache licence 2.0, at your choice:\n\
     https://opensource.org/license/mit, https://www.apache.org/licenses/LICENSE-2.0\n\
     What the unit is made from, resources/bristle.toml, is yours.\n"
);
