//! Elementary functions of one `f64`, from `std` or, with the feature `libm`, from `libm`.

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
