use core::fmt::Debug;

/// A run of numbers of fixed length, wherever it lies.
pub trait Slots<T>: AsRef<[T]> + AsMut<[T]> + Clone + Debug {}
impl<T, A: AsRef<[T]> + AsMut<[T]> + Clone + Debug> Slots<T> for A {}

/// Where a solver keeps its numbers. One source of every method serves both kinds.
pub trait Storage: Clone + Debug {
    /// One entry for each state.
    type States<T: Copy + Debug>: Slots<T>;
    /// One entry for each guard.
    type Guards<T: Copy + Debug>: Slots<T>;
    /// Up to one entry for each pair of states.
    type Pairs<T: Copy + Debug>: Slots<T>;

    /// `n` entries.
    fn states<T: Copy + Debug>(n: usize, fill: T) -> Self::States<T>;
    /// `n` entries.
    fn guards<T: Copy + Debug>(n: usize, fill: T) -> Self::Guards<T>;
    /// At least `len` entries, of a system with `len` pairs of states at most.
    fn pairs<T: Copy + Debug>(len: usize, fill: T) -> Self::Pairs<T>;
}

/// `N` states and up to `G` guards, on the stack: no allocation, loops of known length.
#[derive(Clone, Copy, Debug)]
pub struct Stack<const N: usize, const G: usize = 0>;

/// A square table, seen as one run of numbers.
#[derive(Clone, Copy, Debug)]
pub struct Square<T, const N: usize>([[T; N]; N]);

impl<T, const N: usize> AsRef<[T]> for Square<T, N> {
    #[inline(always)]
    fn as_ref(&self) -> &[T] {
        self.0.as_flattened()
    }
}

impl<T, const N: usize> AsMut<[T]> for Square<T, N> {
    #[inline(always)]
    fn as_mut(&mut self) -> &mut [T] {
        self.0.as_flattened_mut()
    }
}

impl<const N: usize, const G: usize> Storage for Stack<N, G> {
    type States<T: Copy + Debug> = [T; N];
    type Guards<T: Copy + Debug> = [T; G];
    type Pairs<T: Copy + Debug> = Square<T, N>;

    fn states<T: Copy + Debug>(n: usize, fill: T) -> [T; N] {
        assert_eq!(n, N, "a system of {n} states in storage for {N}");
        [fill; N]
    }
    fn guards<T: Copy + Debug>(n: usize, fill: T) -> [T; G] {
        assert!(n <= G, "a system of {n} guards in storage for {G}");
        [fill; G]
    }
    fn pairs<T: Copy + Debug>(len: usize, fill: T) -> Square<T, N> {
        debug_assert!(len <= N * N);
        Square([[fill; N]; N])
    }
}

/// As many states and guards as the system has, on the heap.
#[cfg(feature = "alloc")]
#[derive(Clone, Copy, Debug)]
pub struct Heap;

#[cfg(feature = "alloc")]
impl Storage for Heap {
    type States<T: Copy + Debug> = alloc::vec::Vec<T>;
    type Guards<T: Copy + Debug> = alloc::vec::Vec<T>;
    type Pairs<T: Copy + Debug> = alloc::vec::Vec<T>;

    fn states<T: Copy + Debug>(n: usize, fill: T) -> alloc::vec::Vec<T> {
        alloc::vec![fill; n]
    }
    fn guards<T: Copy + Debug>(n: usize, fill: T) -> alloc::vec::Vec<T> {
        alloc::vec![fill; n]
    }
    fn pairs<T: Copy + Debug>(len: usize, fill: T) -> alloc::vec::Vec<T> {
        alloc::vec![fill; len]
    }
}
