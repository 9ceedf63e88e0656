//! A scalar that writes down what is done to it.
use bristle_kernel::{Logic, Real};
use std::cell::RefCell;
use std::ops::{Add, AddAssign, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

thread_local! {
    static TAPE: RefCell<Vec<Node>> = const { RefCell::new(Vec::new()) };
}

/// What was done.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Number(f64),
    Truth(bool),
    Input(String),
    /// A function of `math.h`.
    Call(&'static str, Vec<usize>),
    /// An operator between two.
    Between(&'static str, usize, usize),
    Negative(usize),
    Not(usize),
    Select([usize; 3]),
}

impl Node {
    pub(crate) fn is_operation(&self) -> bool {
        !matches!(self, Node::Number(_) | Node::Truth(_) | Node::Input(_))
    }

    pub(crate) fn is_truth(&self) -> bool {
        matches!(self, Node::Truth(_) | Node::Not(_) | Node::Between("<" | "<=" | "&" | "|", ..))
    }

    pub(crate) fn operands(&self, each: &mut impl FnMut(usize)) {
        match self {
            Node::Number(_) | Node::Truth(_) | Node::Input(_) => {}
            Node::Call(_, all) => all.iter().copied().for_each(each),
            Node::Between(_, a, b) => [*a, *b].into_iter().for_each(each),
            Node::Negative(a) | Node::Not(a) => each(*a),
            Node::Select(all) => all.iter().copied().for_each(each),
        }
    }

    /// What node `k` is called where it is used.
    pub(crate) fn name(nodes: &[Node], k: usize) -> String {
        match &nodes[k] {
            Node::Number(x) if x.is_nan() => "NAN".to_owned(),
            Node::Number(x) if x.is_infinite() => {
                if *x > 0.0 { "INFINITY" } else { "(-INFINITY)" }.to_owned()
            }
            Node::Number(x) if *x < 0.0 => format!("({x:?})"),
            Node::Number(x) => format!("{x:?}"),
            Node::Truth(x) => u8::from(*x).to_string(),
            Node::Input(name) => name.clone(),
            _ => format!("t{k}"),
        }
    }

    /// The operation as C.
    pub(crate) fn text(&self, nodes: &[Node]) -> String {
        let name = |k: &usize| Node::name(nodes, *k);
        match self {
            Node::Call(function, all) => {
                format!("{function}({})", all.iter().map(name).collect::<Vec<_>>().join(", "))
            }
            Node::Between(sign, a, b) => format!("{} {sign} {}", name(a), name(b)),
            Node::Negative(a) => format!("-{}", name(a)),
            Node::Not(a) => format!("!{}", name(a)),
            Node::Select([mask, yes, no]) => {
                format!("{} ? {} : {}", name(mask), name(yes), name(no))
            }
            _ => String::new(),
        }
    }
}

/// What is written down on this thread, from when it begins.
pub(crate) struct Tape;

impl Tape {
    pub(crate) fn begin() -> Self {
        TAPE.with_borrow_mut(Vec::clear);
        Tape
    }

    pub(crate) fn end(self) -> Vec<Node> {
        TAPE.with_borrow_mut(std::mem::take)
    }
}

/// Writes a node down, or finds it where it was written before.
fn enter(node: Node) -> usize {
    TAPE.with_borrow_mut(|tape| {
        let same = |other: &Node| match (other, &node) {
            (Node::Number(a), Node::Number(b)) => a.to_bits() == b.to_bits(),
            (a, b) => a == b,
        };
        // Only what was done lately is done again.
        let recent = tape.len().saturating_sub(400);
        if let Some(k) = tape[recent..].iter().position(same) {
            return recent + k;
        }
        tape.push(node);
        tape.len() - 1
    })
}

/// A number that writes down what is done to it.
#[derive(Clone, Copy, Debug)]
pub struct Traced(usize);

/// A truth value likewise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Truth(usize);

impl Traced {
    pub(crate) fn input(name: String) -> Self {
        Traced(enter(Node::Input(name)))
    }

    pub(crate) fn place(self) -> usize {
        self.0
    }

    /// The number, if it is known.
    fn known(self) -> Option<f64> {
        TAPE.with_borrow(|tape| match tape.get(self.0) {
            Some(Node::Number(x)) => Some(*x),
            _ => None,
        })
    }

    fn one(self, function: &'static str, own: fn(f64) -> f64) -> Self {
        match self.known() {
            Some(x) => Traced::from(own(x)),
            None => Traced(enter(Node::Call(function, vec![self.0]))),
        }
    }

    fn between(self, sign: &'static str, other: Self, own: fn(f64, f64) -> f64) -> Self {
        match (self.known(), other.known(), sign) {
            (Some(a), Some(b), _) => Traced::from(own(a, b)),
            // What changes nothing is not written down; a zero stays, for the sign and what is not finite.
            (Some(1.0), _, "*") => other,
            (_, Some(1.0), "*" | "/") => self,
            _ => Traced(enter(Node::Between(sign, self.0, other.0))),
        }
    }

    fn compare(self, sign: &'static str, other: Self, own: fn(&f64, &f64) -> bool) -> Truth {
        match (self.known(), other.known()) {
            (Some(a), Some(b)) => Truth::splat(own(&a, &b)),
            _ => Truth(enter(Node::Between(sign, self.0, other.0))),
        }
    }
}

impl Truth {
    fn known(self) -> Option<bool> {
        TAPE.with_borrow(|tape| match tape.get(self.0) {
            Some(Node::Truth(x)) => Some(*x),
            _ => None,
        })
    }
}

impl PartialEq for Traced {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Default for Traced {
    fn default() -> Self {
        Traced::from(0.0)
    }
}

impl From<f64> for Traced {
    fn from(x: f64) -> Self {
        Traced(enter(Node::Number(x)))
    }
}

impl Neg for Traced {
    type Output = Self;
    fn neg(self) -> Self {
        match self.known() {
            Some(x) => Traced::from(-x),
            None => Traced(enter(Node::Negative(self.0))),
        }
    }
}

macro_rules! operator {
    ($($Op:ident $op:ident $sign:literal)*) => {$(
        impl $Op for Traced {
            type Output = Self;
            fn $op(self, other: Self) -> Self {
                self.between($sign, other, |a, b| a.$op(b))
            }
        }
        impl $Op<f64> for Traced {
            type Output = Self;
            fn $op(self, other: f64) -> Self {
                self.$op(Traced::from(other))
            }
        }
    )*};
}
operator!(Add add "+" Sub sub "-" Mul mul "*" Div div "/");

impl AddAssign for Traced {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Logic for Truth {
    fn splat(value: bool) -> Self {
        Truth(enter(Node::Truth(value)))
    }
    /// What is not known may hold.
    fn any(self) -> bool {
        self.known().unwrap_or(true)
    }
    /// What is not known may not hold.
    fn all(self) -> bool {
        self.known().unwrap_or(false)
    }
}

impl BitAnd for Truth {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        match (self.known(), other.known()) {
            (Some(false), _) | (_, Some(true)) => self,
            (_, Some(false)) | (Some(true), _) => other,
            _ => Truth(enter(Node::Between("&", self.0, other.0))),
        }
    }
}

impl BitOr for Truth {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        match (self.known(), other.known()) {
            (Some(true), _) | (_, Some(false)) => self,
            (_, Some(true)) | (Some(false), _) => other,
            _ => Truth(enter(Node::Between("|", self.0, other.0))),
        }
    }
}

impl Not for Truth {
    type Output = Self;
    fn not(self) -> Self {
        match self.known() {
            Some(x) => Truth::splat(!x),
            None => Truth(enter(Node::Not(self.0))),
        }
    }
}

impl Real for Traced {
    const LANES: usize = 1;
    type Mask = Truth;

    /// What is not known is no number.
    fn number(self) -> f64 {
        self.known().unwrap_or(f64::NAN)
    }
    fn abs(self) -> Self {
        self.one("fabs", f64::abs)
    }
    fn sqrt(self) -> Self {
        self.one("sqrt", f64::sqrt)
    }
    fn exp(self) -> Self {
        self.one("exp", f64::exp)
    }
    fn ln(self) -> Self {
        self.one("log", f64::ln)
    }
    fn powf(self, e: Self) -> Self {
        match (self.known(), e.known()) {
            (Some(x), Some(e)) => Traced::from(Real::powf(x, e)),
            (_, Some(1.0)) => self,
            (_, Some(2.0)) => self * self,
            _ => Traced(enter(Node::Call("pow", vec![self.0, e.0]))),
        }
    }
    fn sin(self) -> Self {
        self.one("sin", f64::sin)
    }
    fn cos(self) -> Self {
        self.one("cos", f64::cos)
    }
    fn atan(self) -> Self {
        self.one("atan", f64::atan)
    }
    fn floor(self) -> Self {
        self.one("floor", f64::floor)
    }
    fn lt(self, rhs: Self) -> Truth {
        self.compare("<", rhs, |a, b| a < b)
    }
    fn le(self, rhs: Self) -> Truth {
        self.compare("<=", rhs, |a, b| a <= b)
    }
    fn select(mask: Truth, yes: Self, no: Self) -> Self {
        match mask.known() {
            Some(true) => yes,
            Some(false) => no,
            None if yes == no => yes,
            None => Traced(enter(Node::Select([mask.0, yes.0, no.0]))),
        }
    }
}
