//! Parameters as data.
//!
//! A field is declared once, on the struct that uses it: name, unit, start, range, meaning,
//! equation. That declaration feeds files, messages, help and every binding, through one visitor;
//! there is no glue per model. Validation happens once, in `f64`, at the edge, and reports every
//! fault at once; kernels neither check nor fail.
use crate::List;
use bristle_num::Real;
use core::fmt;

/// One parameter of a model.
#[derive(Debug)]
pub struct Param {
    /// The name users type.
    pub name: &'static str,
    /// Its SI unit; `1` for a pure number, empty for a choice.
    pub unit: &'static str,
    /// Its unit under [`Scaling::Absolute`](crate::Scaling::Absolute), where that differs.
    pub absolute: Option<&'static str>,
    /// Number, list or choice, with start and range.
    pub kind: Kind,
    /// What it is, in the words of the field.
    pub meaning: &'static str,
    /// Where in the source it stands.
    pub equation: &'static str,
}

/// The shape of a parameter.
#[derive(Debug)]
pub enum Kind {
    /// One number.
    Number {
        /// The value it has when nothing is said.
        start: f64,
        /// Where it may lie.
        range: Range,
    },
    /// A list of numbers.
    List {
        /// The values it has when nothing is said.
        start: &'static [f64],
        /// Where each may lie.
        range: Range,
        /// Whether they are shares of a whole, so that they sum to 1.
        shares: bool,
    },
    /// One of several names.
    Choice {
        /// The one taken when nothing is said.
        start: &'static str,
        /// All of them.
        options: &'static [&'static str],
        /// What each of them means.
        meanings: &'static [&'static str],
    },
}

/// An interval; an infinite end is no limit, and belongs to it only where it is closed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Lower end.
    pub lo: f64,
    /// Upper end.
    pub hi: f64,
    /// Whether the lower end itself is excluded.
    pub lo_open: bool,
    /// Whether the upper end itself is excluded.
    pub hi_open: bool,
}

impl Range {
    /// Whether `x` lies inside.
    pub fn contains(&self, x: f64) -> bool {
        !x.is_nan()
            && (if self.lo_open { x > self.lo } else { x >= self.lo })
            && (if self.hi_open { x < self.hi } else { x <= self.hi })
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (open, close) =
            (if self.lo_open { '(' } else { '[' }, if self.hi_open { ')' } else { ']' });
        write!(f, "{open}{}, {}{close}", Written(self.lo), Written(self.hi))
    }
}

/// A number as people write it: with an exponent where it would be long otherwise.
struct Written(f64);

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            x if x == 0.0 || !x.is_finite() || (1e-4..1e6).contains(&x.abs()) => write!(f, "{x}"),
            x => write!(f, "{x:e}"),
        }
    }
}

/// Where a nested model stands: `law`, `matrix.law`, …
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Group {
    names: [&'static str; 4],
    depth: usize,
}

impl Group {
    /// The group of the field `name` inside this one.
    pub fn enter(mut self, name: &'static str) -> Self {
        debug_assert!(self.depth < self.names.len(), "models nest at most four deep");
        self.names[self.depth] = name;
        self.depth += 1;
        self
    }
}

/// `matrix.law.`, ready to be followed by a name; nothing at the top.
impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.names[..self.depth].iter().try_for_each(|name| write!(f, "{name}."))
    }
}

/// A field under the visitor's hand.
pub enum Field<'a, S: Real> {
    /// One number.
    Number(&'a mut S),
    /// A list of numbers.
    List(&'a mut List<S>),
    /// One of several names.
    Choice(&'a mut dyn AnyChoice),
}

/// What a visitor sees of one field.
pub struct Visit<'a, S: Real> {
    /// The model that declares it.
    pub model: &'static str,
    /// Where that model is nested.
    pub group: Group,
    /// The declaration.
    pub param: &'static Param,
    /// Its unit under the scaling chosen at this moment.
    pub unit: &'static str,
    /// The value.
    pub field: Field<'a, S>,
}

/// A function called with every field in turn.
pub type Visitor<'a, S> = dyn FnMut(Visit<'_, S>) + 'a;

/// A thing with parameters.
pub trait Params<S: Real> {
    /// Shows every field to `f`, nested models included, in declaration order.
    fn visit(&mut self, group: Group, f: &mut Visitor<'_, S>);
}

/// A thing that starts from its declared values around an inner model.
pub trait Start<Inner> {
    /// All own parameters at their start values.
    fn start(inner: Inner) -> Self;
}

/// A thing whose parameters can be carried into another scalar.
pub trait Cast<S: Real> {
    /// The same model over `T`.
    type Over<T: Real>;
    /// Every number through `f`, in declaration order; choices as they are.
    fn cast<T: Real>(&self, f: &mut impl FnMut(S) -> T) -> Self::Over<T>;
}

/// Relations between parameters.
pub trait Check {
    /// Reports every relation that does not hold.
    fn check(&self, group: Group, report: &mut dyn FnMut(Fault));
}

/// A named model with a source.
pub trait Model {
    /// The name users type.
    const NAME: &'static str;
    /// All that its declaration says.
    const INFO: &'static Info;
}

/// What a model's declaration says of it.
#[derive(Debug)]
pub struct Info {
    /// The name users type.
    pub name: &'static str,
    /// One line.
    pub title: &'static str,
    /// The paper, section or book it is from.
    pub source: &'static str,
    /// The doc comment: what to choose it by.
    pub doc: &'static str,
    /// Does it hold a stick? Empty where the question makes no sense.
    pub stick: &'static str,
    /// Is it passive?
    pub passive: &'static str,
    /// Does it follow its friction law?
    pub law: &'static str,
    /// Relations between its parameters, in words; empty if there are none.
    pub rules: &'static str,
    /// The field that holds a nested model, if there is one.
    pub nested: Option<&'static str>,
    /// Its own parameters.
    pub params: &'static [Param],
}

/// The papers that sources and equation numbers refer to by number.
pub const PAPERS: [(&str, &str); 5] = [
    (
        "000",
        "L. Romano, O. M. Aamo, J. Åslund, E. Frisk, First-order friction models with bristle \
         dynamics: lumped and distributed formulations",
    ),
    (
        "001",
        "B. Drinčić, D. S. Bernstein, A frictionless bristle-based friction model that exhibits \
         hysteresis and stick-slip behavior",
    ),
    (
        "002",
        "G. Rill, T. Schaeffer, M. Schuderer, LuGre or not LuGre, Multibody System Dynamics (2023)",
    ),
    (
        "003",
        "L. Romano, O. M. Aamo, J. Åslund, E. Frisk, Linear viscoelastic rheological FrBD models",
    ),
    ("004", "L. Romano, Two-dimensional FrBD friction models for rolling contact"),
];

/// A closed set of names, as an enum.
pub trait Choice: Copy + PartialEq + 'static {
    /// The names, in the order of the variants.
    const NAMES: &'static [&'static str];
    /// What each means.
    const MEANINGS: &'static [&'static str];
    /// All variants, in order.
    const ALL: &'static [Self];
}

/// A choice of any type, by name.
pub trait AnyChoice {
    /// The name now chosen.
    fn get(&self) -> &'static str;
    /// Chooses by name; false, and nothing changed, if there is no such name.
    fn set(&mut self, name: &str) -> bool;
}

impl<C: Choice> AnyChoice for C {
    fn get(&self) -> &'static str {
        let at = C::ALL.iter().position(|c| c == self).unwrap_or_default();
        C::NAMES[at]
    }
    fn set(&mut self, name: &str) -> bool {
        let at = C::NAMES.iter().position(|n| *n == name);
        at.inspect(|i| *self = C::ALL[*i]).is_some()
    }
}

/// Declares an enum that is a [`Choice`].
#[macro_export]
macro_rules! choice {
    ($(#[$meta:meta])* $Name:ident { $($(#[doc = $doc:literal])+ $Variant:ident = $name:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $Name { $($(#[doc = $doc])+ $Variant,)* }
        impl $crate::Choice for $Name {
            const NAMES: &'static [&'static str] = &[$($name),*];
            const MEANINGS: &'static [&'static str] = &[$(concat!($($doc),+)),*];
            const ALL: &'static [Self] = &[$($Name::$Variant),*];
        }
    };
}

/// One parameter that is not as it must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fault {
    /// The model that declares it.
    pub model: &'static str,
    /// Where that model is nested.
    pub group: Group,
    /// The parameter.
    pub name: &'static str,
    /// Which entry, for a list.
    pub index: Option<usize>,
    /// The value found.
    pub value: f64,
    /// Its unit.
    pub unit: &'static str,
    /// What is allowed.
    pub allowed: Allowed,
    /// What the parameter is.
    pub meaning: &'static str,
    /// Where it stands in the source.
    pub equation: &'static str,
}

/// What a parameter must satisfy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Allowed {
    /// Its own range.
    Within(Range),
    /// A relation to another parameter or limit.
    Relation {
        /// `must be at least mu_d =`: reads on with the limit.
        rule: &'static str,
        /// The limit.
        limit: f64,
        /// Why, and what to do.
        reason: &'static str,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}{}", self.model, self.group, self.name)?;
        if let Some(i) = self.index {
            write!(f, "[{i}]")?;
        }
        write!(f, " = {}", Written(self.value))?;
        if !matches!(self.unit, "" | "1") {
            write!(f, " {}", self.unit)?;
        }
        match self.allowed {
            Allowed::Within(range) => write!(f, " is outside {range}")?,
            Allowed::Relation { rule, limit, reason } => {
                write!(f, " {rule} {}: {reason}", Written(limit))?
            }
        }
        match self.equation {
            "" => write!(f, " ({})", self.meaning),
            equation => write!(f, " ({}, eq. {equation})", self.meaning),
        }
    }
}

/// Collects the faults of relations for one model.
pub struct Report<'a> {
    model: &'static str,
    group: Group,
    params: &'static [Param],
    sink: &'a mut dyn FnMut(Fault),
}

impl<'a> Report<'a> {
    /// A report for `model` at `group`, whose parameters are `params`.
    pub fn new(
        model: &'static str,
        group: Group,
        params: &'static [Param],
        sink: &'a mut dyn FnMut(Fault),
    ) -> Self {
        Report { model, group, params, sink }
    }

    /// Reports `name` (entry `index` of it) unless `holds`.
    pub fn expect(
        &mut self,
        holds: bool,
        (name, index, value): (&'static str, Option<usize>, f64),
        rule: &'static str,
        limit: f64,
        reason: &'static str,
    ) {
        let Some(param) = self.params.iter().find(|p| p.name == name) else { return };
        if !holds {
            (self.sink)(Fault {
                model: self.model,
                group: self.group,
                name: param.name,
                index,
                value,
                unit: param.unit,
                allowed: Allowed::Relation { rule, limit, reason },
                meaning: param.meaning,
                equation: param.equation,
            });
        }
    }

    /// Reports `name` unless its value is at least `limit`, which `rule` ends by naming.
    pub fn expect_at_least(
        &mut self,
        (name, value): (&'static str, f64),
        rule: &'static str,
        limit: f64,
        reason: &'static str,
    ) {
        self.expect(value >= limit, (name, None, value), rule, limit, reason);
    }

    /// Reports the number of entries of the list `name` unless `holds`.
    pub fn expect_count(
        &mut self,
        holds: bool,
        (name, count): (&'static str, usize),
        rule: &'static str,
        limit: usize,
        reason: &'static str,
    ) {
        let sink = &mut *self.sink;
        let mut bare = |fault: Fault| sink(Fault { unit: "", ..fault });
        let mut report = Report { sink: &mut bare, ..*self };
        report.expect(holds, (name, None, count as f64), rule, limit as f64, reason);
    }
}

/// Calls `sink` with every fault of `model`: ranges first, then relations.
pub fn faults<M: Params<f64> + Check + Clone>(model: &M, sink: &mut dyn FnMut(Fault)) {
    model.clone().visit(Group::default(), &mut |v| {
        let mut look = |index: Option<usize>, value: f64, range: &Range| {
            if !range.contains(value) {
                sink(Fault {
                    model: v.model,
                    group: v.group,
                    name: v.param.name,
                    index,
                    value,
                    unit: v.unit,
                    allowed: Allowed::Within(*range),
                    meaning: v.param.meaning,
                    equation: v.param.equation,
                });
            }
        };
        match (&v.field, &v.param.kind) {
            (Field::Number(x), Kind::Number { range, .. }) => look(None, **x, range),
            (Field::List(list), Kind::List { range, .. }) => {
                list.iter().enumerate().for_each(|(i, x)| look(Some(i), *x, range));
            }
            _ => {}
        }
    });
    model.check(Group::default(), sink);
}

/// All faults of a model, one to a line.
#[cfg(feature = "alloc")]
#[derive(Clone, Debug, PartialEq)]
pub struct Invalid(pub alloc::vec::Vec<Fault>);

#[cfg(feature = "alloc")]
impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().enumerate().try_for_each(|(i, fault)| {
            let newline = if i == 0 { "" } else { "\n" };
            write!(f, "{newline}{fault}")
        })
    }
}

#[cfg(feature = "alloc")]
impl core::error::Error for Invalid {}

/// Every fault of `model` at once, or none.
#[cfg(feature = "alloc")]
pub fn validate<M: Params<f64> + Check + Clone>(model: &M) -> Result<(), Invalid> {
    let mut found = alloc::vec::Vec::new();
    faults(model, &mut |fault| found.push(fault));
    if found.is_empty() { Ok(()) } else { Err(Invalid(found)) }
}
