//! Arguments from an importer.
use crate::instance::{Instance, Outcome, Refusal, State};
use std::ffi::{CStr, CString, c_char, c_void};
use std::path::PathBuf;

/// An instance, as an importer holds it.
pub type Handle = *mut c_void;

/// # Safety
/// `p` is NULL or points to `n` values.
pub unsafe fn list<'a, T>(p: *const T, n: usize) -> Result<&'a [T], Refusal> {
    match n {
        0 => Ok(&[]),
        _ if p.is_null() || !p.is_aligned() => Err("an array is NULL or not aligned".into()),
        // SAFETY: as above.
        _ => Ok(unsafe { std::slice::from_raw_parts(p, n) }),
    }
}

/// # Safety
/// `p` is NULL or points to `n` values that nothing else uses meanwhile.
pub unsafe fn list_mut<'a, T>(p: *mut T, n: usize) -> Result<&'a mut [T], Refusal> {
    match n {
        0 => Ok(&mut []),
        _ if p.is_null() || !p.is_aligned() => Err("an array is NULL or not aligned".into()),
        // SAFETY: as above.
        _ => Ok(unsafe { std::slice::from_raw_parts_mut(p, n) }),
    }
}

/// # Safety
/// `p` is NULL or points to a value that nothing else uses meanwhile.
pub unsafe fn place<'a, T>(p: *mut T) -> Result<&'a mut T, Refusal> {
    match p.is_aligned() {
        // SAFETY: as above.
        true => unsafe { p.as_mut() }.ok_or_else(|| "a pointer is NULL".into()),
        false => Err("a pointer is not aligned".into()),
    }
}

/// # Safety
/// `p` is NULL or a text that ends with a zero.
pub unsafe fn text(p: *const c_char) -> Option<String> {
    if p.is_null() {
        return None;
    }
    // SAFETY: as above.
    Some(unsafe { CStr::from_ptr(p) }.to_string_lossy().into_owned())
}

/// A text that ends with a zero and has no other.
pub fn terminated(text: &str) -> CString {
    CString::new(text.replace('\0', " ")).unwrap_or_default()
}

/// `file:///tmp/a%20b` as a path.
pub fn folder_of_uri(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file:")?;
    let path = match rest.strip_prefix("//") {
        // Between the strokes may stand a host, which is this machine.
        Some(rest) => &rest[rest.find('/')?..],
        None => rest,
    };
    let (mut bytes, mut rest) = (Vec::new(), path.as_bytes());
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match (first, after) {
            (b'%', [a, b, after @ ..]) => {
                let hex = [*a, *b];
                bytes.push(u8::from_str_radix(std::str::from_utf8(&hex).ok()?, 16).ok()?);
                rest = after;
            }
            (byte, _) => bytes.push(*byte),
        }
    }
    let path = String::from_utf8(bytes).ok()?;
    // `/C:/…` on Windows.
    let path = match cfg!(windows) {
        true => path.trim_start_matches('/').to_owned(),
        false => path,
    };
    Some(PathBuf::from(path))
}

/// Puts a state where the importer wants it: into the one that is there, or into a new one.
///
/// # Safety
/// `to` is NULL or points to NULL or to a state that was not freed.
unsafe fn put(to: *mut *mut State, state: State) -> Outcome {
    // SAFETY: as above.
    let to = unsafe { place(to) }?;
    if to.is_null() {
        *to = Box::into_raw(Box::new(state));
    } else {
        // SAFETY: as above.
        *unsafe { State::of(*to) }? = state;
    }
    Ok(())
}

/// The instance's state.
///
/// # Safety
/// `to` is NULL or points to NULL or to a state that was not freed.
pub unsafe fn get_state(me: &mut Instance, to: *mut *mut State) -> Outcome {
    // SAFETY: as above.
    unsafe { put(to, me.save()) }
}

/// A state from bytes.
///
/// # Safety
/// As for [`get_state`], and `bytes` is NULL or points to `n` of them.
pub unsafe fn read_state(
    me: &Instance,
    bytes: *const u8,
    n: usize,
    to: *mut *mut State,
) -> Outcome {
    // SAFETY: as above.
    unsafe { put(to, me.deserialize(list(bytes, n)?)?) }
}

/// Frees a state.
///
/// # Safety
/// `of` is NULL or points to NULL or to a state that was not freed.
pub unsafe fn free_state(of: *mut *mut State) -> Outcome {
    // SAFETY: as above.
    unsafe {
        let of = place(of)?;
        if !of.is_null() {
            State::of(*of)?.free();
            *of = std::ptr::null_mut();
        }
    }
    Ok(())
}

impl State {
    /// # Safety
    /// It came from `Box::into_raw`, and nothing uses it afterwards.
    pub unsafe fn free(&mut self) {
        self.unmark();
        // SAFETY: as above.
        drop(unsafe { Box::from_raw(std::ptr::from_mut(self)) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_are_paths() {
        let path = |uri: &str| folder_of_uri(uri).map(|p| p.display().to_string());
        assert_eq!(path("file:///a/b%20c/d").as_deref(), Some("/a/b c/d"));
        assert_eq!(path("file:/a/b").as_deref(), Some("/a/b"));
        assert_eq!(path("file://localhost/a").as_deref(), Some("/a"));
        assert_eq!(path("http://a/b"), None);
        assert_eq!(path("file:///a%zz"), None);
    }
}
