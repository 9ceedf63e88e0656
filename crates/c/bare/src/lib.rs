//! The functions of `bristle.h` that need neither a heap nor a C library, in memory of the caller.
#![no_std]

#[path = "../../src/arguments.rs"]
mod arguments;
#[path = "../../src/element.rs"]
mod element;
#[path = "../../src/error.rs"]
mod error;

pub use element::*;
pub use error::*;

/// No input leads here: arguments are checked before anything is computed.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}

/// What the compiler's own functions name and never call: nothing unwinds.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}
