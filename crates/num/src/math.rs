//! Elementary functions of one `f64`, from `std` or, with the feature `libm`, from `libm`.

/// x a + b with a single rounding.
#[inline(always)]
pub(crate) fn fma(x: f64, a: f64, b: f64) -> f64 {
    #[cfg(feature = "libm")]
    return libm::fma(x, a, b);
    #[cfg(not(feature = "libm"))]
    return x.mul_add(a, b);
}

/// The same in single precision.
#[inline(always)]
pub(crate) fn fma_single(x: f32, a: f32, b: f32) -> f32 {
    #[cfg(feature = "libm")]
    return libm::fmaf(x, a, b);
    #[cfg(not(feature = "libm"))]
    return x.mul_add(a, b);
}

/// √x in single precision.
#[inline(always)]
pub(crate) fn sqrt_single(x: f32) -> f32 {
    #[cfg(feature = "libm")]
    return libm::sqrtf(x);
    #[cfg(not(feature = "libm"))]
    return x.sqrt();
}

macro_rules! forward {
    ($($name:ident = $std:ident ( $($arg:ident),* );)*) => {$(
        #[inline(always)]
        pub(crate) fn $name(x: f64 $(, $arg: f64)*) -> f64 {
            #[cfg(feature = "libm")]
            return libm::$name(x $(, $arg)*);
            #[cfg(not(feature = "libm"))]
            return x.$std($($arg),*);
        }
    )*};
}

forward! {
    sqrt = sqrt();
    exp = exp();
    log = ln();
    floor = floor();
    pow = powf(y);
    sin = sin();
    cos = cos();
    atan = atan();
}
