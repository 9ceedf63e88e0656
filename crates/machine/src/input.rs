//! What drives a part: signals, columns of logs, sums and products of them.
use crate::Column;
use bristle_kernel::Real;
use bristle_num::Dual;
use bristle_system::signal::{
    AnySignal, Chirp, Constant, MultiSine, Noise, Points, Pulses, Ramp, Signal, Sine, Steps,
};
use std::ops::{Add, Mul};

/// A function of time.
///
/// ```
/// use bristle_machine::Input;
/// use bristle_kernel::Start;
/// use bristle_system::signal::Sine;
///
/// // a sine that rises from 2, half as strong
/// let input = (Input::from(2.0) + Sine::start(())) * 0.5;
/// ```
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)]
pub enum Input {
    /// A signal of the catalogue.
    Signal(AnySignal<f64>),
    /// A column of a log.
    Column(Column),
    /// The sum of these.
    Sum(Vec<Input>),
    /// The product of these.
    Product(Vec<Input>),
}

impl From<f64> for Input {
    fn from(value: f64) -> Self {
        Constant { value }.into()
    }
}

impl From<AnySignal<f64>> for Input {
    fn from(signal: AnySignal<f64>) -> Self {
        Input::Signal(signal)
    }
}

impl From<Column> for Input {
    fn from(column: Column) -> Self {
        Input::Column(column)
    }
}

macro_rules! from_signals {
    ($($Signal:ident)*) => {$(
        impl From<$Signal<f64>> for Input {
            fn from(signal: $Signal<f64>) -> Self {
                Input::Signal(AnySignal::$Signal(signal))
            }
        }
    )*};
}
from_signals!(Constant Sine Pulses Steps Points MultiSine Chirp Noise Ramp);

impl<T: Into<Input>> Add<T> for Input {
    type Output = Input;
    fn add(self, other: T) -> Input {
        Input::Sum(vec![self, other.into()])
    }
}

impl<T: Into<Input>> Mul<T> for Input {
    type Output = Input;
    fn mul(self, other: T) -> Input {
        Input::Product(vec![self, other.into()])
    }
}

/// What an input is made of in the end.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)]
enum Leaf {
    Signal(AnySignal<f64>),
    Column(Column),
}

/// Forwards a call to whatever the leaf is.
macro_rules! each {
    ($leaf:expr, $s:ident => $value:expr) => {
        match $leaf {
            Leaf::Signal($s) => $value,
            Leaf::Column($s) => $value,
        }
    };
}

/// An input as a number and a sum of products of leaves, which go by their numbers, each product with a factor.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Sum {
    offset: f64,
    terms: Vec<(f64, Vec<usize>)>,
}

impl Sum {
    fn times(&self, other: &Sum) -> Sum {
        let mut terms = Vec::new();
        let scaled = |by: f64, of: &Sum| {
            let terms = of.terms.iter().map(move |(factor, leaves)| (by * factor, leaves.clone()));
            terms.collect::<Vec<_>>()
        };
        terms.extend(scaled(self.offset, other));
        terms.extend(scaled(other.offset, self));
        for (a, left) in &self.terms {
            let both =
                |(b, right): &(f64, Vec<usize>)| (a * b, [left.clone(), right.clone()].concat());
            terms.extend(other.terms.iter().map(both));
        }
        terms.retain(|(factor, _)| *factor != 0.0);
        Sum { offset: self.offset * other.offset, terms }
    }
}

/// All leaves of a machine: each has a phase of its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Leaves(Vec<Leaf>);

impl Leaves {
    /// Takes an input apart. What is constant is no leaf: it has no phase and costs nothing.
    pub(crate) fn enter(&mut self, input: &Input) -> Sum {
        match input {
            Input::Signal(AnySignal::Constant(constant)) => {
                Sum { offset: constant.value, terms: Vec::new() }
            }
            Input::Signal(signal) => self.push(Leaf::Signal(signal.clone())),
            Input::Column(column) => self.push(Leaf::Column(column.clone())),
            Input::Sum(inputs) => inputs.iter().fold(Sum::default(), |mut sum, input| {
                let Sum { offset, terms } = self.enter(input);
                sum.offset += offset;
                sum.terms.extend(terms);
                sum
            }),
            Input::Product(inputs) => {
                let one = Sum { offset: 1.0, terms: Vec::new() };
                inputs.iter().fold(one, |product, input| product.times(&self.enter(input)))
            }
        }
    }

    fn push(&mut self, leaf: Leaf) -> Sum {
        self.0.push(leaf);
        Sum { offset: 0.0, terms: vec![(1.0, vec![self.0.len() - 1])] }
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    #[inline]
    pub(crate) fn value<S: Real>(&self, sum: &Sum, t: S, phase: &[usize]) -> S {
        sum.terms.iter().fold(S::from(sum.offset), |total, (factor, leaves)| {
            let product = leaves.iter().fold(S::from(*factor), |product, k| {
                product * each!(&self.0[*k], s => s.value(t, phase[*k]))
            });
            total + product
        })
    }

    /// The value and its first derivative.
    #[inline]
    pub(crate) fn slope<S: Real>(&self, sum: &Sum, t: S, phase: &[usize]) -> [S; 2] {
        let value = self.value(sum, Dual { re: t, eps: [S::from(1.0)] }, phase);
        [value.re, value.eps[0]]
    }

    /// The value and its first and second derivative.
    #[inline]
    pub(crate) fn derivatives<S: Real>(&self, sum: &Sum, t: S, phase: &[usize]) -> [S; 3] {
        let one = S::from(1.0);
        let inner = Dual { re: t, eps: [one] };
        let seeded = Dual { re: inner, eps: [Dual { re: one, eps: [S::from(0.0)] }] };
        let value = self.value(sum, seeded, phase);
        [value.re.re, value.re.eps[0], value.eps[0].eps[0]]
    }

    /// Whether its integral is known: of products it is not.
    pub(crate) fn integrates(&self, sum: &Sum) -> bool {
        sum.terms.iter().all(|(_, leaves)| leaves.len() == 1)
    }

    /// The integral from 0 to `t`, of what [`integrates`](Leaves::integrates).
    #[inline]
    pub(crate) fn integral<S: Real>(&self, sum: &Sum, t: S, phase: &[usize]) -> S {
        sum.terms.iter().fold(t * sum.offset, |total, (factor, leaves)| {
            leaves.iter().fold(total, |total, k| {
                total + each!(&self.0[*k], s => s.integral(t, phase[*k])) * *factor
            })
        })
    }

    /// Whether it jumps where a leaf switches.
    pub(crate) fn jumps(&self, sum: &Sum) -> bool {
        /// Changes that are none.
        const ROUNDING: f64 = 1e-9;
        sum.terms.iter().flat_map(|(_, leaves)| leaves).any(|k| {
            (0..SEEN).any(|phase| {
                let t = self.switch(*k, phase);
                let [a, b] = [phase, phase + 1].map(|p| each!(&self.0[*k], s => s.value(t, p)));
                t.is_finite() && (a - b).abs() > ROUNDING * (a.abs() + b.abs())
            })
        })
    }

    /// The value of leaf `k`.
    pub(crate) fn leaf(&self, k: usize, t: f64, phase: usize) -> f64 {
        each!(&self.0[k], s => s.value(t, phase))
    }

    /// Steers leaf `k`, if it is a ramp.
    pub(crate) fn steer(&mut self, k: usize, ramp: Ramp<f64>) {
        if let Some(Leaf::Signal(signal)) = self.0.get_mut(k) {
            signal.steer(ramp);
        }
    }

    pub(crate) fn switch(&self, k: usize, phase: usize) -> f64 {
        each!(&self.0[k], s => s.switch(phase))
    }

    pub(crate) fn is_constant(&self, k: usize) -> bool {
        each!(&self.0[k], s => s.is_constant())
    }

    pub(crate) fn smooth_for(&self) -> f64 {
        let each = self.0.iter().map(|leaf| match leaf {
            Leaf::Signal(signal) => signal.smooth_for(),
            Leaf::Column(_) => f64::INFINITY,
        });
        each.fold(f64::INFINITY, f64::min)
    }

    /// The period of the only leaf that changes; nothing where several do.
    pub(crate) fn period(&self) -> Option<f64> {
        let mut changing = (0..self.len()).filter(|k| !self.is_constant(*k));
        match (changing.next().map(|k| &self.0[k]), changing.next()) {
            (Some(Leaf::Signal(signal)), None) => signal.period(),
            _ => None,
        }
    }
}

/// So many switches of a leaf are looked at to see whether it jumps there.
const SEEN: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use bristle_kernel::Start;

    #[test]
    fn sums_and_products_are_taken_apart() {
        let sine = Sine { amplitude: 2.0, frequency: 0.5, ..Sine::start(()) };
        let mut leaves = Leaves::default();
        let sum = leaves.enter(&((Input::from(3.0) + sine) * (Input::from(1.0) + sine)));
        let (phase, t) = (vec![0; leaves.len()], 0.3);
        let u = sine.value(t, 0);
        assert!((leaves.value(&sum, t, &phase) - (3.0 + u) * (1.0 + u)).abs() < 1e-14);
        assert!(!leaves.integrates(&sum) && !leaves.jumps(&sum));
        let scaled = leaves.enter(&((Input::from(3.0) + sine) * 0.25));
        let phase = vec![0; leaves.len()];
        assert!(leaves.integrates(&scaled));
        let expected = 0.25 * (3.0 * t + sine.integral(t, 0));
        assert!((leaves.integral(&scaled, t, &phase) - expected).abs() < 1e-15);
        let pulses = leaves.enter(&Pulses::start(()).into());
        assert!(leaves.jumps(&pulses));
    }
}
