//! Contact patches: steady rolling and transients.
use crate::arguments::{mutable, slice, slice_mut, text};
use crate::error::{Teller, guarded};
use crate::{Code, Failure};
use bristle_contact::patch::transient::Manoeuvre;
use bristle_contact::patch::{Outcome, Rolling, Steady};
use bristle_scenario::patch::Scenario;
use core::ffi::{c_char, c_int};

/// A contact patch, made ready to roll.
pub struct Patch {
    contact: Steady,
    rolling: Rolling<f64>,
}

/// How a patch slips and spins.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Slip {
    /// Longitudinal slip.
    pub sigma_x: f64,
    /// Lateral slip.
    pub sigma_y: f64,
    /// Geometrical spin, 1/m.
    pub phi1: f64,
    /// Effective spin, 1/m.
    pub phi2: f64,
    /// Rolling speed, m/s.
    pub v_r: f64,
}

/// What the counterpart does to the patch.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Wrench {
    /// Longitudinal force, N.
    pub force_x: f64,
    /// Lateral force, N.
    pub force_y: f64,
    /// Moment about the vertical in the undeformed configuration, N*m.
    pub moment: f64,
    /// The same in the deformed configuration, N*m.
    pub moment_deformed: f64,
    /// An estimate of the relative error.
    pub error: f64,
}

impl From<Outcome> for Wrench {
    fn from(of: Outcome) -> Self {
        let [force_x, force_y, moment, moment_deformed] = of.wrench();
        Wrench { force_x, force_y, moment, moment_deformed, error: of.error }
    }
}

impl Patch {
    fn rolling(&self, slip: &Slip) -> Rolling<f64> {
        let Slip { sigma_x, sigma_y, phi1, phi2, v_r } = *slip;
        Rolling { sigma_x, sigma_y, phi1, phi2, v_r, ..self.rolling }
    }
}

/// Makes a patch on the heap from the text of a patch scenario; NULL is the patch of Romano (2D FrBD), Table 1.
/// bristle_patch_free frees it. `failure` may be NULL, here and below.
///
/// # Safety
/// The pointers are NULL or point to what the types say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bristle_patch_create(
    toml: *const c_char,
    patch: *mut *mut Patch,
    failure: *mut Failure,
) -> c_int {
    // SAFETY: as the caller promises.
    guarded(|| unsafe {
        let mut teller = Teller(failure.as_mut());
        if patch.is_null() {
            return teller.plain(Code::Null);
        }
        *patch = core::ptr::null_mut();
        let toml = match if toml.is_null() { Ok("") } else { text(toml) } {
            Ok(toml) => toml,
            Err(code) => return teller.plain(code),
        };
        let scenario = match Scenario::read(toml, &[]) {
            Ok(scenario) => scenario,
            Err(problems) => return teller.tell(Code::File, format_args!("{problems}")),
        };
        match scenario.steady() {
            Ok(contact) => {
                let rolling = scenario.rolling;
                *patch = Box::into_raw(Box::new(Patch { contact, rolling }));
                Code::Ok
            }
            Err(why) => teller.tell(Code::Patch, format_args!("{why}")),
        }
    }) as c_int
}

/// Frees a patch; NULL is left alone.
///
/// # Safety
/// The patch comes from bristle_patch_create, and nothing uses it afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bristle_patch_free(patch: *mut Patch) {
    if !patch.is_null() {
        // SAFETY: as the caller promises.
        drop(unsafe { Box::from_raw(patch) });
    }
}

/// Forces and moments of steady rolling at `count` slips.
///
/// # Safety
/// The pointers are NULL or point to what the types say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bristle_patch_steady(
    patch: *mut Patch,
    count: usize,
    slip: *const Slip,
    wrench: *mut Wrench,
    failure: *mut Failure,
) -> c_int {
    // SAFETY: as the caller promises.
    guarded(|| unsafe {
        let mut teller = Teller(failure.as_mut());
        let (patch, slips, wrenches) = match arguments(patch, count, slip, wrench) {
            Ok(arguments) => arguments,
            Err(code) => return teller.plain(code),
        };
        for (slip, wrench) in slips.iter().zip(wrenches) {
            let rolling = patch.rolling(slip);
            match patch.contact.solve(&rolling) {
                Ok(outcome) => *wrench = outcome.into(),
                Err(why) => return teller.tell(Code::Patch, format_args!("{why}")),
            }
        }
        Code::Ok
    }) as c_int
}

/// Rolls from undeflected bristles: at the distances s[k], m, which begin at 0 and increase, the slips are slip[k], and
/// between them on the straight line. The spins phi1 stay as they are.
///
/// # Safety
/// The pointers are NULL or point to what the types say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bristle_patch_roll(
    patch: *mut Patch,
    count: usize,
    s: *const f64,
    slip: *const Slip,
    wrench: *mut Wrench,
    failure: *mut Failure,
) -> c_int {
    // SAFETY: as the caller promises.
    guarded(|| unsafe {
        let mut teller = Teller(failure.as_mut());
        let arguments =
            arguments(patch, count, slip, wrench).and_then(|a| Ok((slice(s, count)?, a)));
        let (s, (patch, slips, wrenches)) = match arguments {
            Ok(arguments) => arguments,
            Err(code) => return teller.plain(code),
        };
        if s.first() != Some(&0.0)
            || s.windows(2).any(|w| w[0].partial_cmp(&w[1]) != Some(core::cmp::Ordering::Less))
        {
            let why = "distances begin at 0 and increase, m";
            return teller.tell(Code::Patch, format_args!("{why}"));
        }
        let (first, bends) = (patch.rolling, slips.iter().any(|slip| slip.phi1 != slips[0].phi1));
        if bends && first.model != bristle_contact::patch::Model::Standard {
            let why = "phi1 must stay as it is while a patch rolls in models 2 and 3";
            return teller.tell(Code::Patch, format_args!("{why}"));
        }
        for slip in slips {
            let rolling = patch.rolling(slip);
            if let Err(why) = bristle_kernel::validate(&rolling) {
                return teller.tell(Code::Patch, format_args!("{why}"));
            }
        }
        let between = |at: f64| -> Rolling<f64> {
            let k = s.partition_point(|s| *s <= at).clamp(1, s.len().max(2) - 1);
            let (Some(a), Some(b)) = (slips.get(k - 1), slips.get(k)) else {
                return patch.rolling(&slips[0]);
            };
            let part = ((at - s[k - 1]) / (s[k] - s[k - 1])).clamp(0.0, 1.0);
            let mix = |a: f64, b: f64| a + part * (b - a);
            patch.rolling(&Slip {
                sigma_x: mix(a.sigma_x, b.sigma_x),
                sigma_y: mix(a.sigma_y, b.sigma_y),
                phi1: mix(a.phi1, b.phi1),
                phi2: mix(a.phi2, b.phi2),
                v_r: mix(a.v_r, b.v_r),
            })
        };
        let jumps = &s[1..s.len().max(2) - 1];
        let course = Manoeuvre { rolling: &between, jumps, at: s, start: &|_, _| [0.0; 2] };
        match patch.contact.clone().roll(&course) {
            Ok(outcomes) => {
                wrenches.iter_mut().zip(outcomes).for_each(|(to, from)| *to = from.into());
                Code::Ok
            }
            Err(why) => teller.tell(Code::Patch, format_args!("{why}")),
        }
    }) as c_int
}

/// # Safety
/// The pointers are NULL or point to what the types say.
unsafe fn arguments<'a>(
    patch: *mut Patch,
    count: usize,
    slip: *const Slip,
    wrench: *mut Wrench,
) -> Result<(&'a mut Patch, &'a [Slip], &'a mut [Wrench]), Code> {
    // SAFETY: as above.
    unsafe { Ok((mutable(patch)?, slice(slip, count)?, slice_mut(wrench, count)?)) }
}
