//! What goes wrong, as a code and as a text.
use core::ffi::{CStr, c_char, c_int};
use core::fmt::{self, Write};

/// Bytes of the text in a bristle_failure, its final zero included.
pub const TEXT_BYTES: usize = 512;

/// What a function says.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// All is well.
    Ok = 0,
    /// A pointer that must not be NULL is.
    Null = 1,
    /// The memory is too small, not aligned, or holds no element.
    Memory = 2,
    /// There is no such model or law.
    Model = 3,
    /// There is no such parameter, or its value is not allowed.
    Parameter = 4,
    /// The velocity is not finite, m/s.
    Velocity = 5,
    /// The normal load is not finite, N. Zero or less is lift-off.
    Load = 6,
    /// The step is not finite and above 0, s.
    Time = 7,
    /// The mass is not finite and above 0, kg.
    Mass = 8,
    /// The force on the body is not finite, N.
    Force = 9,
    /// The correction of an observer is not finite, m/s.
    Injection = 10,
    /// An array has not the length that it must have.
    Length = 11,
    /// A saved state belongs to another model, or is damaged.
    State = 12,
    /// The model has no step of a fixed length.
    NoStep = 13,
    /// The result is not finite; the element is as it was before the call.
    Result = 14,
    /// The file cannot be read, or says what is not allowed.
    File = 15,
    /// The patch cannot be evaluated: see the text.
    Patch = 16,
    /// A fault of the library.
    Internal = 17,
}

/// What a code says, in a sentence.
fn sentence(code: c_int) -> &'static CStr {
    const SENTENCES: [&CStr; 18] = [
        c"all is well",
        c"a pointer is NULL that must not be",
        c"the memory is too small or not aligned, or holds no element: begin with bristle_init or bristle_create",
        c"there is no such model or law",
        c"there is no such parameter, or its value is not allowed",
        c"the velocity must be finite, m/s",
        c"the normal load must be finite, N; zero or less is lift-off",
        c"the step must be finite and above 0, s",
        c"the mass must be finite and above 0, kg",
        c"the force on the body must be finite, N",
        c"the correction of an observer must be finite, m/s",
        c"an array has not the length that it must have",
        c"the saved state belongs to another model, or is damaged",
        c"the model has no step of a fixed length: take another one",
        c"the result is not finite, and the element is as it was: take a shorter step or smaller numbers",
        c"the file cannot be read, or says what is not allowed",
        c"the patch cannot be evaluated",
        c"a fault of the library",
    ];
    usize::try_from(code).ok().and_then(|k| SENTENCES.get(k)).copied().unwrap_or(c"no such code")
}

/// What a code says, in a sentence that is never freed.
#[unsafe(no_mangle)]
pub extern "C" fn bristle_text(code: c_int) -> *const c_char {
    sentence(code).as_ptr()
}

/// Why something could not be made.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Failure {
    /// What kind of failure.
    pub code: c_int,
    /// Field, value, unit and allowed range; cut where it is too long.
    pub text: [c_char; TEXT_BYTES],
}

/// A text of a fixed length that cuts what is too long.
struct Text<'a> {
    bytes: &'a mut [c_char; TEXT_BYTES],
    length: usize,
}

impl Write for Text<'_> {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        let mut room = TEXT_BYTES - 1 - self.length;
        // Whole letters only.
        while room < s.len() && !s.is_char_boundary(room) {
            room -= 1;
        }
        for byte in s.bytes().take(room) {
            self.bytes[self.length] = byte as c_char;
            self.length += 1;
        }
        self.bytes[self.length] = 0;
        if s.len() > room { Err(fmt::Error) } else { Ok(()) }
    }
}

impl Failure {
    fn write(&mut self, code: Code, why: fmt::Arguments<'_>) {
        self.code = code as c_int;
        self.text[0] = 0;
        // A text that is cut is told as far as it goes.
        let _ = Text { bytes: &mut self.text, length: 0 }.write_fmt(why);
    }
}

/// Where a function tells why it failed: a failure of the caller's, or nowhere.
pub(crate) struct Teller<'a>(pub(crate) Option<&'a mut Failure>);

impl Teller<'_> {
    pub(crate) fn tell(&mut self, code: Code, why: fmt::Arguments<'_>) -> Code {
        if let Some(failure) = &mut self.0 {
            failure.write(code, why);
        }
        code
    }

    /// The code with its own sentence.
    pub(crate) fn plain(&mut self, code: Code) -> Code {
        let text = sentence(code as c_int).to_str().unwrap_or_default();
        self.tell(code, format_args!("{text}"))
    }
}

/// Runs `f`; a panic, which would be a fault of ours, ends at the border.
pub(crate) fn guarded(f: impl FnOnce() -> Code) -> Code {
    #[cfg(feature = "std")]
    return std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).unwrap_or(Code::Internal);
    #[cfg(not(feature = "std"))]
    f()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_letters() {
        let mut failure = Failure { code: 0, text: [1; TEXT_BYTES] };
        let long = "σ".repeat(TEXT_BYTES);
        Teller(Some(&mut failure)).tell(Code::Parameter, format_args!("x{long}"));
        // SAFETY: the text ends with a zero.
        let text = unsafe { CStr::from_ptr(failure.text.as_ptr()) }.to_str().unwrap();
        assert_eq!((failure.code, text.len()), (4, TEXT_BYTES - 1));
        assert!(text.starts_with('x') && text.ends_with('σ'));
    }

    #[test]
    fn every_code_has_a_sentence() {
        assert_eq!(sentence(Code::Internal as c_int), c"a fault of the library");
        assert_eq!(sentence(18), c"no such code");
        assert_eq!(sentence(-1), c"no such code");
    }
}
