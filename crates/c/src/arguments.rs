//! Arguments from C as references, slices and texts, or the code that says what is wrong with them.
use crate::Code;
use core::ffi::{CStr, c_char};

/// # Safety
/// `p` is NULL or points to a `T` that nothing else uses meanwhile.
pub(crate) unsafe fn mutable<'a, T>(p: *mut T) -> Result<&'a mut T, Code> {
    if !p.is_aligned() {
        return Err(Code::Memory);
    }
    // SAFETY: aligned, and the caller vouches for the rest.
    unsafe { p.as_mut() }.ok_or(Code::Null)
}

/// # Safety
/// `p` is NULL or points to `n` values that nothing changes meanwhile.
pub(crate) unsafe fn slice<'a, T>(p: *const T, n: usize) -> Result<&'a [T], Code> {
    match n {
        0 => Ok(&[]),
        _ if p.is_null() => Err(Code::Null),
        _ if !p.is_aligned() => Err(Code::Memory),
        // SAFETY: neither NULL nor misaligned, and the caller vouches for the rest.
        _ => Ok(unsafe { core::slice::from_raw_parts(p, n) }),
    }
}

/// # Safety
/// `p` is NULL or points to `n` values that nothing else uses meanwhile.
pub(crate) unsafe fn slice_mut<'a, T>(p: *mut T, n: usize) -> Result<&'a mut [T], Code> {
    match n {
        0 => Ok(&mut []),
        _ if p.is_null() => Err(Code::Null),
        _ if !p.is_aligned() => Err(Code::Memory),
        // SAFETY: neither NULL nor misaligned, and the caller vouches for the rest.
        _ => Ok(unsafe { core::slice::from_raw_parts_mut(p, n) }),
    }
}

/// # Safety
/// `p` is NULL or a text that ends with a zero.
pub(crate) unsafe fn text<'a>(p: *const c_char) -> Result<&'a str, Code> {
    if p.is_null() {
        return Err(Code::Null);
    }
    // SAFETY: not NULL, and the caller vouches for the rest.
    unsafe { CStr::from_ptr(p) }.to_str().map_err(|_| Code::Parameter)
}

/// `value` if it is finite.
pub(crate) fn finite(value: f64, code: Code) -> Result<f64, Code> {
    if value.is_finite() { Ok(value) } else { Err(code) }
}

/// `value` if it is finite and above 0.
pub(crate) fn positive(value: f64, code: Code) -> Result<f64, Code> {
    if value > 0.0 { finite(value, code) } else { Err(code) }
}
