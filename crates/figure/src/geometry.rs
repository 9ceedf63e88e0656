//! Points and rectangles on the page, in pixels at 100 %, y downwards.

/// A place on the page.
pub(crate) type Point = [f64; 2];

/// An upright rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rect {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
}

impl Rect {
    pub fn new(left: f64, top: f64, width: f64, height: f64) -> Self {
        Rect { left, top, width, height }
    }

    pub fn right(&self) -> f64 {
        self.left + self.width
    }

    pub fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// The rectangle with `by` more on every side.
    pub fn grown(&self, by: f64) -> Self {
        Rect::new(self.left - by, self.top - by, self.width + 2.0 * by, self.height + 2.0 * by)
    }

    pub fn contains(&self, [x, y]: Point) -> bool {
        self.left <= x && x <= self.right() && self.top <= y && y <= self.bottom()
    }

    /// The corners, clockwise from top left.
    pub fn corners(&self) -> Vec<Point> {
        let (l, t, r, b) = (self.left, self.top, self.right(), self.bottom());
        vec![[l, t], [r, t], [r, b], [l, b]]
    }

    /// The part of the segment from `a` to `b` that lies inside: Liang and Barsky's clipping.
    pub fn clip(&self, a: Point, b: Point) -> Option<(Point, Point)> {
        let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
        let (mut enter, mut leave) = (0.0f64, 1.0f64);
        // Inside each side means run · t <= room.
        for (run, room) in [
            (-dx, a[0] - self.left),
            (dx, self.right() - a[0]),
            (-dy, a[1] - self.top),
            (dy, self.bottom() - a[1]),
        ] {
            if run == 0.0 {
                if room < 0.0 {
                    return None;
                }
            } else if run < 0.0 {
                enter = enter.max(room / run);
            } else {
                leave = leave.min(room / run);
            }
        }
        let at = |t: f64| [a[0] + t * dx, a[1] + t * dy];
        let start = if enter > 0.0 { at(enter) } else { a };
        let end = if leave < 1.0 { at(leave) } else { b };
        (enter <= leave).then_some((start, end))
    }

    /// The part of a closed polygon that lies inside: Sutherland and Hodgman's clipping.
    pub fn clip_polygon(&self, polygon: &[Point]) -> Vec<Point> {
        let sides: [(usize, f64, f64); 4] = [
            (0, 1.0, self.left),
            (0, -1.0, self.right()),
            (1, 1.0, self.top),
            (1, -1.0, self.bottom()),
        ];
        sides.iter().fold(polygon.to_vec(), |corners, &(axis, sign, limit)| {
            let room = |p: &Point| sign * (p[axis] - limit);
            let mut kept = Vec::with_capacity(corners.len());
            for (i, b) in corners.iter().enumerate() {
                let a = &corners[(i + corners.len() - 1) % corners.len()];
                let (from, to) = (room(a), room(b));
                if (from < 0.0) != (to < 0.0) {
                    let t = from / (from - to);
                    kept.push([a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])]);
                }
                if to >= 0.0 {
                    kept.push(*b);
                }
            }
            kept
        })
    }
}
