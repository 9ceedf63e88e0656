//! A friction model whose numbers can be free.
use crate::{Free, Scale};
use bristle_kernel::{
    Allowed, AnyBristle, Cast, Check, Field, Group, Kind, Params, Range, Real, faults,
};

/// How many parameters are differentiated by in one pass.
pub(crate) const WIDTH: usize = 8;

/// A number with derivatives by eight free parameters.
pub(crate) type Seeded = bristle_num::Dual<f64, WIDTH>;

/// One number of a model, in the order of its declaration.
#[derive(Clone, Debug)]
pub(crate) struct Number {
    /// `law.mu_s`
    pub key: String,
    pub unit: String,
    pub value: f64,
    pub range: Range,
    /// Where the shares begin that it is the last of: what the others leave is its own.
    pub rest_of: Option<usize>,
}

/// All numbers of a model.
pub(crate) fn numbers(model: &(impl Params<f64> + Clone)) -> Vec<Number> {
    let mut all = Vec::new();
    model.clone().visit(Group::default(), &mut |visit| {
        let key = format!("{}{}", visit.group, visit.param.name);
        let unit = visit.unit.to_owned();
        match (visit.field, &visit.param.kind) {
            (Field::Number(value), Kind::Number { range, .. }) => {
                all.push(Number { key, unit, value: *value, range: *range, rest_of: None });
            }
            (Field::List(list), Kind::List { range, shares, .. }) => {
                let (first, last) = (all.len(), list.len().saturating_sub(1));
                for (i, value) in list.iter().enumerate() {
                    let rest_of = (*shares && i == last).then_some(first);
                    let (key, unit) = (format!("{key}[{i}]"), unit.clone());
                    all.push(Number { key, unit, value: *value, range: *range, rest_of });
                }
            }
            _ => {}
        }
    });
    all
}

/// The number of that name: its whole key, or its last part where no other ends so.
pub(crate) fn find(numbers: &[Number], name: &str) -> Option<usize> {
    let name = name.strip_prefix("friction.").unwrap_or(name);
    numbers.iter().position(|n| n.key == name).or_else(|| {
        let mut ending =
            (0..numbers.len()).filter(|k| numbers[*k].key.rsplit('.').next() == Some(name));
        ending.next().filter(|_| ending.next().is_none())
    })
}

impl Number {
    /// It as a free parameter, searched by its logarithm where it must be positive, between the bounds of its
    /// declaration and four orders of magnitude around its start.
    pub(crate) fn free(&self, name: &str, start: f64) -> Free {
        let Range { lo, hi, lo_open, .. } = self.range;
        let size = if start > 0.0 { start } else { 1.0 };
        if lo == 0.0 && lo_open {
            let free = Free::positive(name, &self.unit, size);
            Free { hi: free.hi.min(hi), ..free }
        } else {
            let size = if start != 0.0 { start.abs() } else { 1.0 };
            Free { start, lo, hi, ..Free::signed(name, &self.unit, start, size) }
        }
    }
}

/// The numbers that a name stands for: one, or all of a list that can be free.
pub(crate) fn named(numbers: &[Number], name: &str) -> Vec<String> {
    let plain = name.strip_prefix("friction.").unwrap_or(name);
    let of_list = |n: &&Number| {
        let list = n.key.split('[').next().unwrap_or_default();
        n.key.contains('[')
            && n.rest_of.is_none()
            && (list == plain || list.ends_with(&format!(".{plain}")))
    };
    let all: Vec<String> = numbers.iter().filter(of_list).map(|n| n.key.clone()).collect();
    if all.is_empty() { vec![name.to_owned()] } else { all }
}

/// The model with some of its numbers replaced: `value(k)` for number `k`, in declaration order. The last of shares is
/// what the others leave.
pub(crate) fn with<S: Real>(
    model: &AnyBristle<f64>,
    numbers: &[Number],
    mut value: impl FnMut(usize, f64) -> S,
) -> AnyBristle<S> {
    let mut all: Vec<S> = Vec::with_capacity(numbers.len());
    for (k, number) in numbers.iter().enumerate() {
        let own = value(k, number.value);
        let rest = |first: usize| all[first..k].iter().fold(S::from(1.0), |left, x| left - *x);
        all.push(number.rest_of.map_or(own, rest));
    }
    let mut next = all.into_iter();
    model.cast(&mut |own| next.next().unwrap_or_else(|| S::from(own)))
}

/// The same in place, for a model over plain numbers.
pub(crate) fn set(model: &mut impl Params<f64>, mut value: impl FnMut(usize, f64) -> f64) {
    let mut k = 0;
    let mut put = |x: &mut f64| {
        *x = value(k, *x);
        k += 1;
    };
    model.visit(Group::default(), &mut |visit| match visit.field {
        Field::Number(x) => put(x),
        Field::List(list) => list.iter_mut().for_each(&mut put),
        Field::Choice(_) => {}
    });
}

/// What is wrong with a model, in its own words; and for each number that a relation binds, the limit it is bound to.
pub(crate) fn refusals(
    model: &(impl Params<f64> + Check + Clone),
    numbers: &[Number],
) -> (Option<String>, Vec<(usize, f64)>) {
    let (mut first, mut bound) = (None, Vec::new());
    faults(model, &mut |fault| {
        let key = format!("{}{}", fault.group, fault.name);
        if let (Allowed::Relation { rule, limit, .. }, None) = (fault.allowed, fault.index)
            && rule.starts_with("must be at least")
            && let Some(k) = numbers.iter().position(|n| n.key == key)
        {
            bound.push((k, limit));
        }
        first.get_or_insert_with(|| fault.to_string());
    });
    (first, bound)
}

impl Free {
    /// The same with a start, and bounds around it if it has none of its own.
    pub fn starting(mut self, start: f64) -> Self {
        if self.scale == Scale::Log && start > 0.0 {
            (self.lo, self.hi) = (self.lo.min(start * 1e-4), self.hi.max(start * 1e4));
            self.size = start;
        } else if start != 0.0 {
            self.size = start.abs();
        }
        self.start = start.clamp(self.lo, self.hi);
        self
    }
}
