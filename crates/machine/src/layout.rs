//! Which parts a machine has and what joins them: what a drawing needs.

/// The parts by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// Bodies and motions, in their order.
    pub elements: Vec<Element>,
    /// What joins them, or acts on one of them.
    pub links: Vec<Link>,
}

/// A body or a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// Its name.
    pub name: String,
    /// Its kind: `body`, `rotor` or `motion`.
    pub kind: &'static str,
    /// Its mass, inertia or nothing, with the unit.
    pub label: String,
}

/// A part between two ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Its name.
    pub name: String,
    /// Its kind: `spring`, `contact`, `force`, …
    pub kind: &'static str,
    /// The elements that it joins, by number; none for the ground. A force has one end only.
    pub ends: Vec<Option<usize>>,
}
