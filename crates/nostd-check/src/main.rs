//! Proves that the kernel builds, links and runs without `std`, without an allocator and without
//! a C library: a bare program that slides three bristles and exits with 0 if they did right.
#![no_std]
#![no_main]
use bristle_kernel::bristle::{Frbd, FrbdGm, Implicit};
use bristle_kernel::law::Stribeck;
use bristle_kernel::{Bristle, Drive, Start, Update};
use bristle_num::Lanes;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    exit(101)
}

/// A thousand steps of ten milliseconds at 20 mm/s: is the force then that of the law?
fn settles(model: &impl Bristle<f64>, z: &mut [f64]) -> bool {
    let at = Drive::new(0.02, 2.0);
    let mut force = 0.0;
    for _ in 0..1000 {
        match model.step(Update::Midpoint, &at, 1e-2, z) {
            Some(f) => force = f,
            None => return false,
        }
    }
    let steady = model.steady(&at, z);
    (force - steady).abs() < 1e-9 * steady.abs()
}

fn check() -> bool {
    let law: Stribeck<f64> = Stribeck::start(());
    let frbd: Frbd<f64, _> = Frbd::start(law);
    let gm: FrbdGm<f64, _> = FrbdGm::start(law);
    let implicit: Implicit<f64, _> = Implicit::start(law);
    let mut dz = [0.0];
    implicit.rate(&Drive::new(1e-4, 2.0), &[1e-5], &mut dz);
    let sticks = dz[0] == 1e-4;

    let wide: Frbd<Lanes<4>, Stribeck<Lanes<4>>> = Frbd::start(Stribeck::start(()));
    let mut lanes = [Lanes::default()];
    let force =
        wide.eval(&Drive::new(Lanes([0.01; 4]), Lanes([1.0; 4])), &[Lanes([1e-5; 4])], &mut lanes);
    settles(&frbd, &mut [0.0]) && settles(&gm, &mut [0.0; 3]) && sticks && force.0[0] == force.0[3]
}

// Where Linux starts a program: align the stack, then Rust.
core::arch::global_asm!(".globl _start", "_start:", "and rsp, -64", "call begin");

#[unsafe(no_mangle)]
extern "C" fn begin() -> ! {
    exit(if check() { 0 } else { 1 })
}

fn exit(code: i32) -> ! {
    // SAFETY: Linux system call 60 ends the process.
    unsafe {
        core::arch::asm!("syscall", in("rax") 60, in("rdi") code, options(noreturn));
    }
}

/// What the compiler itself asks for, and a C library would bring.
mod memory {
    /// # Safety
    /// As for C's `memcpy`.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, n: usize) -> *mut u8 {
        for i in 0..n {
            // SAFETY: the caller gives `n` bytes at both places.
            unsafe { to.add(i).write_volatile(from.add(i).read_volatile()) };
        }
        to
    }

    /// # Safety
    /// As for C's `memset`.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn memset(to: *mut u8, byte: i32, n: usize) -> *mut u8 {
        for i in 0..n {
            // SAFETY: the caller gives `n` bytes.
            unsafe { to.add(i).write_volatile(byte as u8) };
        }
        to
    }

    /// # Safety
    /// As for C's `memcmp`.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn memcmp(a: *const u8, b: *const u8, n: usize) -> i32 {
        for i in 0..n {
            // SAFETY: the caller gives `n` bytes at both places.
            let (x, y) = unsafe { (a.add(i).read_volatile(), b.add(i).read_volatile()) };
            if x != y {
                return i32::from(x) - i32::from(y);
            }
        }
        0
    }

    /// # Safety
    /// As for C's `memmove`.
    #[unsafe(no_mangle)]
    unsafe extern "C" fn memmove(to: *mut u8, from: *const u8, n: usize) -> *mut u8 {
        for i in 0..n {
            let i = if (to as usize) < from as usize { i } else { n - 1 - i };
            // SAFETY: the caller gives `n` bytes at both places.
            unsafe { to.add(i).write_volatile(from.add(i).read_volatile()) };
        }
        to
    }
}
