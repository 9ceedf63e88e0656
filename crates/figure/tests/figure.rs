//! What a finished figure is, read back from its files.

use bristle_figure::{Arrows, Axis, Figure, Look, Mark, Panel, PngError, Series, Surface};
use proptest::prelude::*;
use tiny_skia::Pixmap;

/// The colours of the first and second series.
const BLUE: &str = "#0072b2";
const VERMILION: &str = "#d55e00";

/// The points of all lines of a path, which are written relative to each other.
fn points(path: &str) -> Vec<[f64; 2]> {
    let mut out: Vec<[f64; 2]> = Vec::new();
    for part in path.split('M').skip(1) {
        let (start, rest) = part.split_once('l').unwrap();
        let numbers = |text: &str| -> Vec<f64> {
            let spaced = text.trim_end_matches('z').replace('-', " -");
            spaced.split_whitespace().map(|n| n.parse().unwrap()).collect()
        };
        let mut at = [numbers(start)[0], numbers(start)[1]];
        out.push(at);
        for step in numbers(rest).chunks(2) {
            at = [at[0] + step[0], at[1] + step[1]];
            out.push(at);
        }
    }
    out
}

/// The data of the paths that have an attribute.
fn paths<'a>(svg: &'a str, attribute: &str) -> Vec<&'a str> {
    let lines = svg.lines().filter(|l| l.starts_with("<path d=") && l.contains(attribute));
    lines.map(|l| l.split('"').nth(1).unwrap()).collect()
}

/// The lines of series of a colour.
fn series(svg: &str, colour: &str) -> Vec<[f64; 2]> {
    let look = format!("stroke=\"{colour}\" stroke-width=\"1.6\"");
    paths(svg, &look).into_iter().flat_map(points).collect()
}

/// Left, top, right, bottom of the n-th frame.
fn frame(svg: &str, n: usize) -> [f64; 4] {
    let outlines = paths(svg, "stroke=\"#222222\"").into_iter().map(points);
    let closed: Vec<_> = outlines.filter(|p| p.len() == 5 && p[0] == p[4]).collect();
    [closed[n][0][0], closed[n][0][1], closed[n][2][0], closed[n][2][1]]
}

fn texts(svg: &str) -> Vec<&str> {
    svg.split("aria-label=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

fn wave(n: usize) -> (Vec<f64>, Vec<f64>) {
    let t: Vec<f64> = (0..n).map(|i| 2.0 * i as f64 / (n - 1) as f64).collect();
    let y = t.iter().map(|t| (7.0 * t).sin()).collect();
    (t, y)
}

fn axes() -> (Axis, Axis) {
    (Axis::new("time t", "s"), Axis::new("friction force F", "N"))
}

fn panel(x: &[f64], y: &[f64]) -> Panel {
    Panel::new(axes().0, axes().1).with(Series::new("", x, y))
}

#[test]
fn every_point_of_a_line_is_at_its_place() {
    let (t, y) = wave(1000);
    let (x_axis, y_axis) = (axes().0.within(0.0, 2.0), axes().1.within(-1.25, 1.25));
    let svg =
        Figure::grid(1, [Panel::new(x_axis, y_axis).with(Series::new("", t.clone(), y.clone()))])
            .svg();
    let [left, top, right, bottom] = frame(&svg, 0);
    let drawn = series(&svg, BLUE);
    assert_eq!(drawn.len(), t.len());
    for ((t, y), p) in t.iter().zip(&y).zip(drawn) {
        let x_place = left + (right - left) * t / 2.0;
        let y_place = bottom - (bottom - top) * (y + 1.25) / 2.5;
        assert!(
            (p[0] - x_place).abs() < 0.01 && (p[1] - y_place).abs() < 0.01,
            "({t}, {y}): {p:?}"
        );
    }
}

#[test]
fn a_loop_comes_back_to_where_it_began() {
    let angle: Vec<f64> =
        (0..=720).map(|i| f64::from(i % 720) * std::f64::consts::TAU / 720.0).collect();
    let x: Vec<f64> = angle.iter().map(|a| 1e-5 * a.sin()).collect();
    let y: Vec<f64> = angle.iter().map(|a| 3.0 * (a + 0.5).sin()).collect();
    let svg = Figure::grid(1, [panel(&x, &y)]).svg();
    let drawn = series(&svg, BLUE);
    assert_eq!(drawn.len(), 721);
    let (first, last) = (drawn[0], drawn[720]);
    assert!((first[0] - last[0]).hypot(first[1] - last[1]) < 1e-6);
    // Data keep away from the frame, and the middle of the loop is the middle of the frame.
    let [left, _, right, _] = frame(&svg, 0);
    let (low, high) =
        drawn.iter().fold((f64::MAX, f64::MIN), |(l, h), p| (l.min(p[0]), h.max(p[0])));
    assert!(low > left + 10.0 && high < right - 10.0);
    assert!((low + high - left - right).abs() < 0.05);
}

#[test]
fn axes_are_labelled_with_units() {
    let (t, y) = wave(100);
    let small: Vec<f64> = y.iter().map(|y| 2e-5 * y).collect();
    let bristle =
        Panel::new(axes().0, Axis::new("bristle z₀", "m")).with(Series::new("", t.clone(), small));
    let svg = Figure::grid(2, [panel(&t, &y), bristle]).titled("Two < three").svg();
    let texts = texts(&svg);
    for label in [
        "time t in s",
        "friction force F in N",
        "bristle z₀ in µm",
        "Two &lt; three",
        "−1.0",
        "−20",
    ] {
        assert!(texts.contains(&label), "{label} is not among {texts:?}");
    }
}

#[test]
fn stacked_panels_share_one_labelled_time_axis() {
    let (t, y) = wave(100);
    let short: Vec<f64> = t.iter().map(|t| 0.5 * t).collect();
    let svg = Figure::stacked([panel(&t, &y), panel(&short, &y), panel(&t, &y)]).svg();
    let texts = texts(&svg);
    assert_eq!(texts.iter().filter(|&&l| l == "time t in s").count(), 1);
    assert_eq!(texts.iter().filter(|&&l| l == "friction force F in N").count(), 3);
    assert_eq!(texts.iter().filter(|&&l| l == "1.5").count(), 1, "{texts:?}");
    let (first, second) = (frame(&svg, 0), frame(&svg, 1));
    assert!(first[0] == second[0] && first[2] == second[2] && first[3] < second[1]);
}

#[test]
fn glyphs_that_are_used_are_there_and_none_is_a_box() {
    let (t, y) = wave(10);
    let labels = ["z₀", "μ", "σ₁", "ẋ", "v̇", "∮ F dx", "μ_{s}", "x^{2}"];
    let panels = labels.map(|l| {
        Panel::new(Axis::new(l, ""), Axis::new("y", "")).with(Series::new(l, t.clone(), y.clone()))
    });
    let svg = Figure::grid(2, panels).svg();
    let used: Vec<&str> =
        svg.split("href=\"#").skip(1).map(|r| r.split('"').next().unwrap()).collect();
    assert!(used.len() > 50);
    for glyph in used {
        assert_ne!(glyph, "dejavu0");
        assert!(svg.contains(&format!("<path id=\"{glyph}\" d=")), "{glyph}");
    }
}

#[test]
fn a_picture_has_its_size_and_shows_the_data() {
    let (t, y) = wave(1000);
    let figure =
        Figure::grid(1, [panel(&t, &y).with(Series::new("other", [0.0, 2.0], [0.5, 0.5]))]);
    let svg = figure.svg();
    let size = |name: &str| -> f64 {
        svg.split(&format!(" {name}=\""))
            .nth(1)
            .unwrap()
            .split('"')
            .next()
            .unwrap()
            .parse()
            .unwrap()
    };
    for scale in [1.0, 1.5, 2.0] {
        let picture = Pixmap::decode_png(&figure.png(scale).unwrap()).unwrap();
        assert_eq!(f64::from(picture.width()), (scale * size("width")).round());
        assert_eq!(f64::from(picture.height()), (scale * size("height")).round());
    }
    // In the picture the curve is where the file says, and white is where nothing is.
    let picture = Pixmap::decode_png(&figure.png(2.0).unwrap()).unwrap();
    let pixel = |p: [f64; 2]| {
        let c = picture.pixel((2.0 * p[0]) as u32, (2.0 * p[1]) as u32).unwrap();
        [c.red(), c.green(), c.blue()]
    };
    assert_eq!(pixel([2.0, 2.0]), [255, 255, 255]);
    let drawn = series(&svg, BLUE);
    let blue = drawn.iter().filter(|p| pixel(**p) == [0x00, 0x72, 0xB2]).count();
    assert!(blue as f64 > 0.9 * drawn.len() as f64, "{blue} of {}", drawn.len());
}

#[test]
fn the_label_of_the_y_axis_is_read_upwards_in_the_picture() {
    let figure =
        Figure::grid(1, [Panel::new(Axis::new("x", ""), Axis::new("MM ............", ""))]);
    let [_, top, _, bottom] = frame(&figure.svg(), 0);
    let picture = Pixmap::decode_png(&figure.png(1.0).unwrap()).unwrap();
    let ink = |rows: std::ops::Range<u32>| {
        let dark = |x: u32, y: u32| u32::from(255 - picture.pixel(x, y).unwrap().red());
        rows.flat_map(|y| (0..24).map(move |x| (x, y))).map(|(x, y)| dark(x, y)).sum::<u32>()
    };
    let middle = (0.5 * (top + bottom)) as u32;
    let (upper, lower) = (ink(top as u32..middle), ink(middle..bottom as u32));
    assert!(upper > 0 && lower > 3 * upper, "{upper} above, {lower} below the middle");
}

#[test]
fn the_same_figure_is_the_same_bytes() {
    let (t, y) = wave(30_000);
    let figure = || Figure::stacked([panel(&t, &y), panel(&y, &t)]).titled("twice");
    assert_eq!(figure().svg(), figure().svg());
    assert_eq!(figure().png(1.0), figure().png(1.0));
}

#[test]
fn a_million_points_make_a_small_file() {
    let (t, y) = wave(1_000_000);
    let noisy: Vec<f64> = y.iter().enumerate().map(|(i, y)| y + (i as f64 * 1.7).sin()).collect();
    let over_time = Figure::grid(1, [panel(&t, &noisy)]).svg();
    assert!(over_time.len() < 100_000, "{} bytes", over_time.len());
    let cycles: Vec<f64> = t.iter().map(|t| (700.0 * t).cos()).collect();
    let turns: Vec<f64> = t.iter().map(|t| (700.0 * t).sin()).collect();
    let phase_plane = Figure::grid(1, [panel(&cycles, &turns)]).svg();
    assert!(phase_plane.len() < 400_000, "{} bytes", phase_plane.len());
}

#[test]
fn series_differ_in_colour_and_in_grey() {
    let (t, y) = wave(50);
    let named = |name: &str| Series::new(name, t.clone(), y.clone());
    let names: Vec<String> = (0..7).map(|i| format!("series {i}")).collect();
    let mut all = panel(&[], &[]);
    all.series = names.iter().map(|n| named(n)).collect();
    let svg = Figure::grid(1, [all]).svg();
    let pens: std::collections::BTreeSet<&str> = svg
        .lines()
        .filter(|l| l.contains("stroke-width=\"1.6\""))
        .map(|l| l.split_once("stroke=").unwrap().1)
        .collect();
    assert_eq!(pens.len(), 7);
    assert!(pens.iter().filter(|p| p.contains("dasharray")).count() >= 5);
    assert!(!pens.iter().any(|p| p.contains("#f0e442")), "yellow");
}

fn hill(x: f64, y: f64) -> f64 {
    1e5 * (1.0 - x * x) * (1.0 - y * y)
}

#[test]
fn colours_of_a_map_are_those_of_its_bar_and_the_bar_has_a_unit() {
    let nodes: Vec<f64> = (0..41).map(|i| f64::from(i) / 20.0 - 1.0).collect();
    let (x, y) = (Axis::new("ξ", ""), Axis::new("η", ""));
    let surface = Surface::over(Axis::new("pressure p", "Pa"), &nodes, &nodes, hill);
    let svg = Figure::grid(1, [Panel::new(x, y).surface(surface)]).svg();
    assert!(texts(&svg).contains(&"pressure p in kPa"));
    let fills: Vec<&str> = svg
        .lines()
        .filter(|l| l.starts_with("<path d=") && l.contains(" fill=\"#") && !l.contains("stroke"))
        .map(|l| l.split("fill=\"").nth(1).unwrap().split('"').next().unwrap())
        .collect();
    // 0 to 100 kPa in steps of 10: ten colours, first as regions, then in the bar.
    assert_eq!(fills.len(), 20);
    assert_eq!(fills[..10], fills[10..]);
    // The region above 50 kPa is half as wide as p(ξ, 0) = 50 kPa says: ξ = 1/√2.
    let [left, _, right, _] = frame(&svg, 0);
    let half = points(paths(&svg, &format!("fill=\"{}\"", fills[5]))[0]);
    let furthest = half.iter().map(|p| p[0]).fold(f64::MIN, f64::max);
    let expected = left + (right - left) * (0.5 + 0.5 * 0.5f64.sqrt());
    // Linear between nodes 0.05 apart: off by less than p'' h²/8 over p'.
    let off = 0.05f64.powi(2) / 8.0 * 2.0 / 2f64.sqrt() * 0.5 * (right - left);
    assert!((furthest - expected).abs() < off + 0.01, "{furthest} {expected} {off}");
}

#[test]
fn a_mesh_in_space_stays_on_the_page_from_every_side() {
    let nodes: Vec<f64> = (0..21).map(|i| f64::from(i) / 10.0 - 1.0).collect();
    for azimuth in [-170.0, -120.0, -60.0, -30.0, 0.0, 45.0, 130.0] {
        let (x, y) = (Axis::new("slip x", ""), Axis::new("slip y", ""));
        let surface = Surface::over(Axis::new("force F", "N"), &nodes, &nodes, hill);
        let panel = Panel::new(x, y).surface(surface.oblique(azimuth, 30.0));
        let svg = Figure::grid(1, [panel]).svg();
        for label in ["slip x", "slip y", "force F in kN"] {
            assert_eq!(texts(&svg).iter().filter(|&&t| t == label).count(), 1, "{label}");
        }
        let facets = paths(&svg, "stroke-width=\"0.25\"");
        assert_eq!(facets.len(), 400);
        let [width, height]: [f64; 2] = ["width", "height"].map(|name| {
            let value = svg.split(&format!(" {name}=\"")).nth(1).unwrap();
            value.split('"').next().unwrap().parse().unwrap()
        });
        for p in facets.into_iter().flat_map(points) {
            assert!(0.0 < p[0] && p[0] < width && 0.0 < p[1] && p[1] < height, "{p:?}");
        }
    }
}

#[test]
fn arrows_are_as_long_as_their_key_says() {
    let (x, y) = (Axis::new("ξ", "m").within(-1.0, 1.0), Axis::new("η", "m").within(-1.0, 1.0));
    let stress = Arrows::new(
        Axis::new("q", "Pa"),
        [[-0.5, 0.0, f64::NAN], [0.0; 3]],
        [[0.0, 6e4, 1.0], [3e4, 0.0, 1.0]],
    );
    let svg = Figure::grid(1, [Panel::new(x, y).arrows(stress)]).svg();
    assert!(texts(&svg).contains(&"q = 50 kPa"), "{:?}", texts(&svg));
    let heads: Vec<_> = paths(&svg, "fill=\"#222222\"").into_iter().map(points).collect();
    let shafts: Vec<_> = paths(&svg, "stroke-width=\"1.1\"").into_iter().map(points).collect();
    // Two arrows in the panel, one in the key; from the start of a shaft to the tip of its head.
    let length =
        |from: [f64; 2], head: &[[f64; 2]]| (head[0][0] - from[0]).hypot(head[0][1] - from[1]);
    assert_eq!(heads.len(), 3);
    let up = length(shafts[0][0], &heads[0]);
    let right = length(shafts[0][2], &heads[1]);
    let key = length(shafts[1][0], &heads[2]);
    assert!((right / up - 2.0).abs() < 2e-3 && (right / key - 1.2).abs() < 2e-3);
    // η points up, ξ to the right.
    assert!(heads[0][0][1] < shafts[0][0][1] && heads[1][0][0] > shafts[0][2][0]);
}

#[test]
fn a_scale_without_a_picture_is_refused() {
    let figure = Figure::grid(1, []);
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e6] {
        let error = figure.png(scale).unwrap_err();
        assert!(matches!(error, PngError::Scale { .. }));
        assert!(error.to_string().contains(&format!("scale {scale} ")), "{error}");
    }
}

/// Any value a simulation might leave behind.
fn any_value() -> impl Strategy<Value = f64> {
    prop_oneof![
        8 => -1e3..1e3f64,
        2 => any::<f64>(),
        1 => Just(0.0),
        1 => Just(5.0),
        1 => Just(f64::NAN),
        1 => Just(f64::INFINITY),
        1 => Just(f64::MIN_POSITIVE),
        1 => Just(-f64::MAX),
    ]
}

fn any_values() -> impl Strategy<Value = Vec<f64>> {
    prop_oneof![
        prop::collection::vec(any_value(), 0..40),
        (any_value(), 0usize..20).prop_map(|(v, n)| vec![v; n]),
    ]
}

/// The shade of bands and regions.
const SHADE: &str = "fill=\"#ececec\"";

#[test]
fn a_region_is_shaded_within_the_frame_and_does_not_widen_it() {
    let (x, y) = axes();
    let panel = Panel::new(x.within(0.0, 2.0), y.within(0.0, 1.0));
    let region = Mark::region(vec![1.0, 5.0, 5.0, 1.0], vec![0.5, 0.5, 9.0, 9.0]);
    let svg = Figure::grid(1, [panel.mark(region)]).svg();
    let [left, top, right, bottom] = frame(&svg, 0);
    let corners: Vec<[f64; 2]> = paths(&svg, SHADE).into_iter().flat_map(points).collect();
    let (middle, half) = (0.5 * (left + right), 0.5 * (top + bottom));
    for expected in [[middle, half], [right, half], [right, top], [middle, top]] {
        let near = |p: &[f64; 2]| (p[0] - expected[0]).hypot(p[1] - expected[1]) < 0.02;
        assert!(corners.iter().any(near), "{corners:?} has no {expected:?}");
    }
    assert!(corners.len() <= 5, "{corners:?}");
}

fn any_axis() -> impl Strategy<Value = Axis> {
    let limits = prop::option::weighted(0.3, (any_value(), any_value()));
    let unit = prop::sample::select(vec!["", "m", "1/m", "N·s/m", "s"]);
    (".{0,12}", unit, any::<bool>(), limits).prop_map(|(label, unit, log, limits)| {
        let axis = Axis { limits, ..Axis::new(label, unit) };
        if log { axis.log() } else { axis }
    })
}

fn any_panel() -> impl Strategy<Value = Panel> {
    let looks = prop::sample::select(vec![Look::Line, Look::Solid, Look::Dashed, Look::Points]);
    let one = (".{0,8}", any_values(), any_values(), looks)
        .prop_map(|(name, x, y, look)| Series::new(name, x, y).look(look));
    let place = (any_value(), any_value(), any_values(), any_values());
    let mark = (place, 0..5).prop_map(|((a, b, x, y), kind)| match kind {
        0 => Mark::horizontal(a, "a"),
        1 => Mark::vertical(a, "b"),
        2 => Mark::point(a, b, "c"),
        3 => Mark::band(a, b),
        _ => Mark::region(x, y),
    });
    let grid = || (0usize..6, any_values(), any_values(), any_values(), any::<bool>());
    let surface =
        (any_axis(), grid(), any_value()).prop_map(|(value, (columns, x, y, z, tilted), angle)| {
            let surface = Surface::bent(value, columns, x, y, z);
            if tilted { surface.oblique(angle, angle) } else { surface }
        });
    let arrows = (any_axis(), grid(), any_values())
        .prop_map(|(value, (_, x, y, u, _), v)| Arrows::new(value, [x, y], [u, v]));
    let fields = (prop::option::weighted(0.4, surface), prop::option::weighted(0.4, arrows));
    let height = (prop::option::of(any_value()), fields);
    (
        any_axis(),
        any_axis(),
        prop::collection::vec(one, 0..4),
        prop::collection::vec(mark, 0..3),
        height,
        any::<bool>(),
    )
        .prop_map(|(x, y, series, marks, (height, (surface, arrows)), equal)| {
            let panel = Panel { series, marks, surface, arrows, height, ..Panel::new(x, y) };
            if equal { panel.equal() } else { panel }
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_data_give_a_figure(
        panels in prop::collection::vec(any_panel(), 0..4),
        columns in 0usize..4, stacked: bool, width in any_value()
    ) {
        let figure = if stacked { Figure::stacked(panels) } else { Figure::grid(columns, panels) };
        let figure = figure.width(width);
        let svg = figure.svg();
        prop_assert!(!svg.contains("NaN") || texts(&svg).iter().any(|t| t.contains("NaN")));
        prop_assert!(svg.len() < 2_000_000, "{} bytes", svg.len());
        // Small, because heights of panels may be anything, too.
        prop_assert!(figure.png(0.1).is_ok());
    }

    #[test]
    fn a_legend_covers_no_point(
        y in prop::collection::vec(-1.0..1.0f64, 2..30), other in prop::collection::vec(-1.0..1.0f64, 2..30)
    ) {
        let x = |n: usize| (0..n).map(|i| i as f64 / (n - 1) as f64).collect::<Vec<_>>();
        let panel = Panel::new(axes().0, axes().1)
            .with(Series::new("measured", x(y.len()), y))
            .with(Series::new("model", x(other.len()), other));
        let svg = Figure::grid(1, [panel]).svg();
        if let Some(rect) = paths(&svg, "fill-opacity=\"0.85\"").first() {
            let corners = points(rect);
            let (low, high) = (corners[0], corners[2]);
            for p in series(&svg, BLUE).into_iter().chain(series(&svg, VERMILION)) {
                // The samples of the legend itself are the lines that begin 7 px inside it.
                let sample = (p[0] - low[0] - 7.0).abs() < 0.02 || (p[0] - low[0] - 37.0).abs() < 0.02;
                let inside = (0..2).all(|i| low[i] < p[i] && p[i] < high[i]);
                prop_assert!(!inside || sample, "{p:?} under {low:?} {high:?}");
            }
        }
    }
}
