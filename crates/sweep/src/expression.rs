//! Expressions over what a run gives: `end(x)`, `range(after(10, v_rel)) > 1e-3`.
//!
//! Names are columns of the run, numbers that it gives, or keys that are varied. Operators are `or`, `and`, `not`, comparisons,
//! `+ - * / ^`; what is true is 1, what is false 0. Functions of a column make a number of it: `start`, `end`, `min`, `max`,
//! `range`, `t_min`, `t_max`, `mean`, `rms` and `integral` (over time). `after(t, column)` and `before(t, column)` leave the rows
//! at other times out. `abs`, `sqrt`, `exp`, `log`, `log10`, `sin`, `cos` and `sign` take a number or every value of a column.
//!
//! `min` and `max` of a column of the run itself are those of the whole course, between rows too; those of anything else are of
//! its rows.
use bristle_scenario::nearest;
use bristle_trace::Extreme;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// What a name stands for.
#[derive(Clone, Copy, Debug)]
pub enum Quantity<'a> {
    /// A number.
    Number(f64),
    /// A word, such as a verdict.
    Text(&'a str),
    /// A value at every row, and its extremes over the whole course where they are known.
    Column(&'a [f64], Option<&'a Extreme>),
}

/// What is known of a run.
pub trait Quantities {
    /// What a name stands for.
    fn quantity(&self, name: &str) -> Option<Quantity<'_>>;
    /// The times of the rows, s.
    fn times(&self) -> &[f64];
}

/// What an expression gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number.
    Number,
    /// A word.
    Text,
    /// A value at every row.
    Column,
}

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(pub String);

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Fault {}

/// Functions that make a number of a column.
const OF_COLUMNS: [&str; 10] =
    ["start", "end", "min", "max", "range", "t_min", "t_max", "mean", "rms", "integral"];
/// Functions that leave rows out.
const WINDOWS: [&str; 2] = ["after", "before"];
/// Functions of numbers.
const OF_NUMBERS: [&str; 8] = ["abs", "sqrt", "exp", "log", "log10", "sin", "cos", "sign"];

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Number(f64),
    Name(String),
    Text(String),
    Minus(Box<Node>),
    Not(Box<Node>),
    Binary(Operator, Box<[Node; 2]>),
    Call(&'static str, Vec<Node>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Or,
    And,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    Unequal,
    Plus,
    Minus,
    Times,
    Over,
    Power,
}

impl Operator {
    fn of(self, a: f64, b: f64) -> f64 {
        let truth = |is: bool| f64::from(u8::from(is));
        match self {
            // What is no number is neither true nor false.
            _ if a.is_nan() || b.is_nan() => f64::NAN,
            Operator::Or => truth(a != 0.0 || b != 0.0),
            Operator::And => truth(a != 0.0 && b != 0.0),
            Operator::Less => truth(a < b),
            Operator::LessEqual => truth(a <= b),
            Operator::Greater => truth(a > b),
            Operator::GreaterEqual => truth(a >= b),
            Operator::Equal => truth(a == b),
            Operator::Unequal => truth(a != b),
            Operator::Plus => a + b,
            Operator::Minus => a - b,
            Operator::Times => a * b,
            Operator::Over => a / b,
            Operator::Power => a.powf(b),
        }
    }
}

/// An expression, read.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    text: String,
    root: Node,
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A value on the way.
#[derive(Clone, Debug)]
enum Value<'a> {
    Number(f64),
    Text(Cow<'a, str>),
    Column { rows: Range<usize>, values: Cow<'a, [f64]>, extreme: Option<&'a Extreme> },
}

impl Expression {
    /// Reads an expression.
    ///
    /// ```
    /// use bristle_sweep::expression::Expression;
    ///
    /// assert!(Expression::read("1e3*end(x)").is_ok());
    /// let fault = Expression::read("ned(x)").unwrap_err();
    /// assert!(fault.to_string().contains("did you mean `end`?"));
    /// ```
    pub fn read(text: &str) -> Result<Self, Fault> {
        let mut reader = Reader { text, rest: text, depth: 0 };
        let root = reader.level(0)?;
        match reader.rest.trim_start() {
            "" => Ok(Expression { text: text.to_owned(), root }),
            rest => Err(reader.stray(rest)),
        }
    }

    /// The names in it.
    pub fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        gather(&self.root, &mut names);
        names
    }

    /// What it gives, where `of` knows what names stand for.
    pub fn kind(&self, of: &dyn Fn(&str) -> Option<Kind>) -> Result<Kind, Fault> {
        kind(&self.root, of)
    }

    /// The column of which it gives a value, such as `x` of `end(x)`: it has the same unit.
    pub fn value_of(&self) -> Option<&str> {
        let Node::Call(name, arguments) = &self.root else { return None };
        let mut inner = arguments.last()?;
        let keeps = ["start", "end", "min", "max", "range", "mean", "rms"];
        if !keeps.contains(name) {
            return None;
        }
        while let Node::Call(window, arguments) = inner
            && WINDOWS.contains(window)
        {
            inner = arguments.last()?;
        }
        match inner {
            Node::Name(column) => Some(column),
            _ => None,
        }
    }

    /// Whether it gives a moment, s.
    pub fn is_time(&self) -> bool {
        matches!(&self.root, Node::Call("t_min" | "t_max", _))
    }

    /// Its value for a run.
    pub fn value(&self, run: &dyn Quantities) -> Result<f64, Fault> {
        match evaluate(&self.root, run)? {
            Value::Number(x) => Ok(x),
            _ => Err(Fault(format!(
                "`{}` is no number: take a value of it, as in end(x)",
                self.text
            ))),
        }
    }
}

fn gather<'a>(node: &'a Node, names: &mut Vec<&'a str>) {
    match node {
        Node::Name(name) => names.push(name),
        Node::Minus(inner) | Node::Not(inner) => gather(inner, names),
        Node::Binary(_, both) => both.iter().for_each(|node| gather(node, names)),
        Node::Call(_, arguments) => arguments.iter().for_each(|node| gather(node, names)),
        Node::Number(_) | Node::Text(_) => {}
    }
}

fn kind(node: &Node, of: &dyn Fn(&str) -> Option<Kind>) -> Result<Kind, Fault> {
    Ok(match node {
        Node::Number(_) => Kind::Number,
        Node::Text(_) => Kind::Text,
        Node::Name(name) => of(name).ok_or_else(|| Fault(format!("there is no `{name}`")))?,
        Node::Minus(inner) | Node::Not(inner) => number_or_column("-", kind(inner, of)?)?,
        Node::Binary(operator, both) => {
            let [a, b] = [kind(&both[0], of)?, kind(&both[1], of)?];
            let compares = matches!(operator, Operator::Equal | Operator::Unequal);
            match (a, b) {
                (Kind::Text, Kind::Text) if compares => Kind::Number,
                (Kind::Text, _) | (_, Kind::Text) => return Err(no_text("an operator")),
                (Kind::Number, Kind::Number) => Kind::Number,
                _ => Kind::Column,
            }
        }
        Node::Call(name, arguments) => {
            let given: Vec<Kind> =
                arguments.iter().map(|node| kind(node, of)).collect::<Result<_, _>>()?;
            match (*name, given.as_slice()) {
                (name, [Kind::Column]) if OF_COLUMNS.contains(&name) => Kind::Number,
                (name, [own]) if OF_NUMBERS.contains(&name) => number_or_column(name, *own)?,
                (name, [Kind::Number, Kind::Column]) if WINDOWS.contains(&name) => Kind::Column,
                (name, _) if OF_COLUMNS.contains(&name) => {
                    return Err(Fault(format!("{name}(…) takes a column, as in {name}(x)")));
                }
                (name, _) if WINDOWS.contains(&name) => {
                    return Err(Fault(format!(
                        "{name}(…) takes a time and a column, as in {name}(10, x)"
                    )));
                }
                (name, _) => return Err(Fault(format!("{name}(…) takes one number or column"))),
            }
        }
    })
}

fn number_or_column(what: &str, own: Kind) -> Result<Kind, Fault> {
    if own == Kind::Text { Err(no_text(what)) } else { Ok(own) }
}

fn no_text(what: &str) -> Fault {
    Fault(format!("{what} takes numbers: a text can be compared with == and != only"))
}

fn evaluate<'a>(node: &'a Node, run: &'a dyn Quantities) -> Result<Value<'a>, Fault> {
    Ok(match node {
        Node::Number(x) => Value::Number(*x),
        Node::Text(text) => Value::Text(text.into()),
        Node::Name(name) => match run.quantity(name) {
            Some(Quantity::Number(x)) => Value::Number(x),
            Some(Quantity::Text(text)) => Value::Text(text.into()),
            Some(Quantity::Column(values, extreme)) => {
                Value::Column { rows: 0..values.len(), values: values.into(), extreme }
            }
            None => return Err(Fault(format!("the run gives no `{name}`"))),
        },
        Node::Minus(inner) => map(evaluate(inner, run)?, |x| -x)?,
        Node::Not(inner) => {
            map(
                evaluate(inner, run)?,
                |x| if x.is_nan() { x } else { f64::from(u8::from(x == 0.0)) },
            )?
        }
        Node::Binary(operator, both) => {
            binary(*operator, evaluate(&both[0], run)?, evaluate(&both[1], run)?)?
        }
        Node::Call(name, arguments) => {
            let mut given = arguments.iter().map(|node| evaluate(node, run));
            let mut next = || {
                given.next().unwrap_or_else(|| Err(Fault(format!("{name}(…) misses an argument"))))
            };
            if WINDOWS.contains(name) {
                window(name, next()?, next()?, run.times())?
            } else if OF_COLUMNS.contains(name) {
                Value::Number(reduce(name, next()?, run.times())?)
            } else {
                map(next()?, function(name))?
            }
        }
    })
}

fn function(name: &str) -> fn(f64) -> f64 {
    match name {
        "abs" => f64::abs,
        "sqrt" => f64::sqrt,
        "exp" => f64::exp,
        "log" => f64::ln,
        "log10" => f64::log10,
        "sin" => f64::sin,
        "cos" => f64::cos,
        _ => |x| if x == 0.0 { 0.0 } else { x.signum() },
    }
}

fn map(value: Value<'_>, f: impl Fn(f64) -> f64) -> Result<Value<'_>, Fault> {
    Ok(match value {
        Value::Number(x) => Value::Number(f(x)),
        Value::Column { rows, values, .. } => {
            let values = values.iter().map(|x| f(*x)).collect::<Vec<_>>().into();
            Value::Column { rows, values, extreme: None }
        }
        Value::Text(_) => return Err(no_text("an operator")),
    })
}

fn binary<'a>(operator: Operator, a: Value<'a>, b: Value<'a>) -> Result<Value<'a>, Fault> {
    Ok(match (a, b) {
        (Value::Number(a), Value::Number(b)) => Value::Number(operator.of(a, b)),
        (Value::Number(a), b @ Value::Column { .. }) => map(b, |b| operator.of(a, b))?,
        (a @ Value::Column { .. }, Value::Number(b)) => map(a, |a| operator.of(a, b))?,
        (Value::Column { rows, values, .. }, Value::Column { rows: others, values: with, .. }) => {
            if rows != others {
                return Err(Fault(
                    "two columns must be of the same times: take after(…) of both".into(),
                ));
            }
            let values: Vec<f64> =
                values.iter().zip(with.iter()).map(|(a, b)| operator.of(*a, *b)).collect();
            Value::Column { rows, values: values.into(), extreme: None }
        }
        (Value::Text(a), Value::Text(b)) => match operator {
            Operator::Equal => Value::Number(f64::from(u8::from(a == b))),
            Operator::Unequal => Value::Number(f64::from(u8::from(a != b))),
            _ => return Err(no_text("an operator")),
        },
        _ => return Err(no_text("an operator")),
    })
}

fn window<'a>(name: &str, t: Value<'a>, of: Value<'a>, times: &[f64]) -> Result<Value<'a>, Fault> {
    let (Value::Number(t), Value::Column { rows, values, .. }) = (t, of) else {
        return Err(Fault(format!("{name}(…) takes a time and a column")));
    };
    let rows = match name {
        "after" => rows.start.max(times.partition_point(|own| *own < t))..rows.end,
        _ => rows.start..rows.end.min(times.partition_point(|own| *own <= t)),
    };
    if rows.is_empty() {
        return Err(Fault(format!("there is no row {name} {t} s")));
    }
    Ok(Value::Column { rows, values, extreme: None })
}

fn reduce(name: &str, of: Value<'_>, times: &[f64]) -> Result<f64, Fault> {
    let Value::Column { rows, values, extreme } = of else {
        return Err(Fault(format!("{name}(…) takes a column")));
    };
    let (own, t) = (&values[rows.clone()], &times[rows]);
    let (Some(first), Some(last)) = (own.first(), own.last()) else {
        return Err(Fault(format!("{name}(…) takes a column with rows")));
    };
    let extreme = extreme.copied().unwrap_or_else(|| {
        let mut found = Extreme::new(t[0], *first);
        own.iter().zip(t).for_each(|(value, t)| found.take(*t, *value));
        found
    });
    let integral = |f: fn(f64) -> f64| -> f64 {
        let steps = own.windows(2).zip(t.windows(2));
        steps.map(|(y, t)| 0.5 * (t[1] - t[0]) * (f(y[0]) + f(y[1]))).sum()
    };
    let span = t[t.len() - 1] - t[0];
    // Of one moment, a mean is its value.
    let mean = |f: fn(f64) -> f64| if span > 0.0 { integral(f) / span } else { f(*last) };
    Ok(match name {
        "start" => *first,
        "end" => *last,
        "min" => extreme.min,
        "max" => extreme.max,
        "range" => extreme.max - extreme.min,
        "t_min" => extreme.t_min,
        "t_max" => extreme.t_max,
        "mean" => mean(|x| x),
        "rms" => mean(|x| x * x).sqrt(),
        _ => integral(|x| x),
    })
}

/// Reads from left to right.
struct Reader<'a> {
    text: &'a str,
    rest: &'a str,
    depth: usize,
}

/// From the loosest to the tightest; of those on one level the longer come first.
const LEVELS: [&[(&str, Operator)]; 5] = [
    &[("or", Operator::Or)],
    &[("and", Operator::And)],
    &[
        ("<=", Operator::LessEqual),
        (">=", Operator::GreaterEqual),
        ("==", Operator::Equal),
        ("!=", Operator::Unequal),
        ("<", Operator::Less),
        (">", Operator::Greater),
    ],
    &[("+", Operator::Plus), ("-", Operator::Minus)],
    &[("*", Operator::Times), ("/", Operator::Over)],
];
/// Nested no deeper than this.
const DEEPEST: usize = 100;

impl Reader<'_> {
    fn level(&mut self, level: usize) -> Result<Node, Fault> {
        let Some(operators) = LEVELS.get(level) else { return self.signed() };
        self.depth += 1;
        if self.depth > DEEPEST * LEVELS.len() {
            return Err(Fault("the expression is nested too deep".into()));
        }
        let mut left = self.level(level + 1)?;
        while let Some((_, operator)) = operators.iter().find(|(sign, _)| self.take(sign)) {
            left = Node::Binary(*operator, Box::new([left, self.level(level + 1)?]));
        }
        self.depth -= 1;
        Ok(left)
    }

    /// Whether this comes next; if so it is taken. A word ends where no letter follows.
    fn take(&mut self, sign: &str) -> bool {
        let Some(rest) = self.rest.trim_start().strip_prefix(sign) else { return false };
        let word = sign.chars().all(char::is_alphabetic);
        if word && rest.starts_with(in_a_name) {
            return false;
        }
        self.rest = rest;
        true
    }

    fn signed(&mut self) -> Result<Node, Fault> {
        self.depth += 1;
        if self.depth > DEEPEST * LEVELS.len() {
            return Err(Fault("the expression is nested too deep".into()));
        }
        let node = if self.take("-") {
            Node::Minus(Box::new(self.signed()?))
        } else if self.take("not") {
            Node::Not(Box::new(self.signed()?))
        } else {
            let base = self.atom()?;
            match self.take("^") {
                true => Node::Binary(Operator::Power, Box::new([base, self.signed()?])),
                false => base,
            }
        };
        self.depth -= 1;
        Ok(node)
    }

    fn atom(&mut self) -> Result<Node, Fault> {
        if self.take("(") {
            let inner = self.level(0)?;
            return if self.take(")") { Ok(inner) } else { Err(self.missing(")")) };
        }
        let rest = self.rest.trim_start();
        if let Some(quoted) = rest.strip_prefix(['"', '\'']) {
            let quote = &rest[..1];
            let Some((text, after)) = quoted.split_once(quote) else {
                return Err(self.missing(quote));
            };
            self.rest = after;
            return Ok(Node::Text(text.to_owned()));
        }
        if rest.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return self.number(rest);
        }
        let end = rest.find(|c| !in_a_name(c)).unwrap_or(rest.len());
        let name = &rest[..end];
        if name.is_empty() {
            return Err(self.stray(rest));
        }
        self.rest = &rest[end..];
        if !self.take("(") {
            return Ok(Node::Name(name.to_owned()));
        }
        let all = || OF_COLUMNS.into_iter().chain(WINDOWS).chain(OF_NUMBERS);
        let Some(known) = all().find(|own| *own == name) else {
            let hint = match nearest(name, all()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there are {}", all().collect::<Vec<_>>().join(", ")),
            };
            return Err(Fault(format!("`{name}` is no function; {hint}")));
        };
        let mut arguments = vec![self.level(0)?];
        while self.take(",") {
            arguments.push(self.level(0)?);
        }
        if self.take(")") { Ok(Node::Call(known, arguments)) } else { Err(self.missing(")")) }
    }

    fn number(&mut self, rest: &str) -> Result<Node, Fault> {
        let is_part = |i: usize, c: char| {
            let after_e = i > 0 && matches!(rest.as_bytes()[i - 1], b'e' | b'E');
            c.is_ascii_digit()
                || c == '.'
                || c == 'e'
                || c == 'E'
                || (after_e && (c == '+' || c == '-'))
        };
        let end =
            rest.char_indices().find(|(i, c)| !is_part(*i, *c)).map_or(rest.len(), |(i, _)| i);
        let value = rest[..end].parse();
        let value = value.map_err(|_| Fault(format!("`{}` is not a number", &rest[..end])))?;
        let at = self.rest.len() - rest.len() + end;
        self.rest = &self.rest[at..];
        Ok(Node::Number(value))
    }

    fn missing(&self, what: &str) -> Fault {
        Fault(format!("`{}`: a {what} is missing", self.text))
    }

    fn stray(&self, rest: &str) -> Fault {
        match rest.chars().next() {
            Some(_) => Fault(format!("`{}`: `{rest}` makes no sense there", self.text)),
            None => Fault(format!("`{}` ends too early: a value is missing", self.text)),
        }
    }
}

/// Names have dots where they stand in groups: `steady.Fx_N`.
fn in_a_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.'
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    struct Sample;

    const T: [f64; 5] = [0.0, 1.0, 2.0, 3.0, 4.0];
    const X: [f64; 5] = [0.0, 1.0, 4.0, 9.0, 16.0];
    const PEAK: Extreme = Extreme { t_min: 0.5, min: -1.0, t_max: 4.0, max: 16.0 };

    impl Quantities for Sample {
        fn quantity(&self, name: &str) -> Option<Quantity<'_>> {
            Some(match name {
                "t" => Quantity::Column(&T, None),
                "x" => Quantity::Column(&X, Some(&PEAK)),
                "work" => Quantity::Number(7.0),
                "steady.Fx_N" => Quantity::Number(3.0),
                "verdict" => Quantity::Text("passive"),
                _ => return None,
            })
        }

        fn times(&self) -> &[f64] {
            &T
        }
    }

    fn value(text: &str) -> f64 {
        Expression::read(text).unwrap().value(&Sample).unwrap()
    }

    #[test]
    fn operators_bind_as_in_mathematics() {
        for (text, expected) in [
            ("1 + 2*3^2", 19.0),
            ("-2^2", -4.0),
            ("2^-1", 0.5),
            ("2^3^2", 512.0),
            ("(1 + 2)*3", 9.0),
            ("8/4/2", 1.0),
            ("1 < 2 and not 3 < 2", 1.0),
            ("0 or 2 > 3", 0.0),
            ("1e-3*2E+3", 2.0),
            ("work - steady.Fx_N", 4.0),
            ("verdict == \"passive\"", 1.0),
            ("verdict != 'passive'", 0.0),
            ("abs(-3) + sqrt(4) + sign(-2)", 4.0),
            ("log10(1e3) + log(exp(2))", 5.0),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
    }

    #[test]
    fn columns_become_numbers() {
        for (text, expected) in [
            ("end(x)", 16.0),
            ("start(x)", 0.0),
            // Between the rows it was less.
            ("min(x)", -1.0),
            ("t_min(x)", 0.5),
            // Of rows alone.
            ("min(x + 0)", 0.0),
            ("range(x)", 17.0),
            ("range(after(2, x))", 12.0),
            ("max(before(2, x))", 4.0),
            ("end(before(2.5, x))", 4.0),
            ("mean(t)", 2.0),
            ("integral(x)", 22.0),
            ("rms(2 + 0*t)", 2.0),
            ("mean(after(4, x))", 16.0),
            ("max(x - 4*t)", 0.0),
            ("end(x > 3 and t < 9)", 1.0),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_what_to_do() {
        for (text, said) in [
            ("end(x", "a ) is missing"),
            ("1 +", "ends too early"),
            ("1 2", "`2` makes no sense there"),
            ("rang(x)", "`rang` is no function; did you mean `range`?"),
            ("1.2.3", "is not a number"),
            ("", "ends too early"),
        ] {
            let fault = Expression::read(text).unwrap_err().to_string();
            assert!(fault.contains(said), "{text}: {fault}");
        }
        for (text, said) in [
            ("x", "is no number"),
            ("end(y)", "gives no `y`"),
            ("end(work)", "takes a column"),
            ("after(9, x)", "no row after 9 s"),
            ("end(after(1, x) + x)", "of the same times"),
            ("verdict + 1", "takes numbers"),
        ] {
            let fault = Expression::read(text).unwrap().value(&Sample).unwrap_err().to_string();
            assert!(fault.contains(said), "{text}: {fault}");
        }
        let deep = "(".repeat(1000);
        assert!(Expression::read(&deep).unwrap_err().to_string().contains("too deep"));
    }

    #[test]
    fn kinds_and_units_are_known_before_a_run() {
        let of = |name: &str| match Sample.quantity(name)? {
            Quantity::Number(_) => Some(Kind::Number),
            Quantity::Text(_) => Some(Kind::Text),
            Quantity::Column(..) => Some(Kind::Column),
        };
        let kind = |text: &str| Expression::read(text).unwrap().kind(&of);
        assert_eq!(kind("end(x)*work"), Ok(Kind::Number));
        assert_eq!(kind("x*work"), Ok(Kind::Column));
        assert!(kind("end(work)").is_err() && kind("x + nothing").is_err());
        let value_of = |text: &str| Expression::read(text).unwrap().value_of().map(str::to_owned);
        assert_eq!(value_of("max(after(3, x))").as_deref(), Some("x"));
        assert_eq!(value_of("integral(x)"), None);
        assert_eq!(value_of("2*end(x)"), None);
    }

    proptest! {
        /// Anything is read or refused, never a panic; what is read has a value or a reason.
        #[test]
        fn any_text_is_read_or_refused(text in "[-+*/^()<>=!a-z0-9., \"µ]{0,60}") {
            if let Ok(expression) = Expression::read(&text) {
                let _ = expression.value(&Sample);
            }
        }
    }
}
