//! The page: everything that a browser loads, embedded.

/// A file of the page.
pub struct Asset {
    /// Its path on the server.
    pub path: &'static str,
    /// What kind of file it is.
    pub mime: &'static str,
    /// What is in it.
    pub text: &'static str,
}

macro_rules! assets {
    ($($path:literal: $mime:literal = $file:literal,)*) => {
        /// All of them.
        pub const ASSETS: &[Asset] = &[$(Asset {
            path: $path,
            mime: concat!($mime, "; charset=utf-8"),
            text: include_str!(concat!("../page/", $file)),
        }),*];
    };
}

assets! {
    "/": "text/html" = "index.html",
    "/style.css": "text/css" = "style.css",
    "/uplot.css": "text/css" = "uplot/uPlot.min.css",
    "/uplot.js": "text/javascript" = "uplot/uPlot.iife.min.js",
    "/modules/main.js": "text/javascript" = "modules/main.js",
    "/modules/server.js": "text/javascript" = "modules/server.js",
    "/modules/state.js": "text/javascript" = "modules/state.js",
    "/modules/text.js": "text/javascript" = "modules/text.js",
    "/modules/controls.js": "text/javascript" = "modules/controls.js",
    "/modules/plot.js": "text/javascript" = "modules/plot.js",
    "/modules/field.js": "text/javascript" = "modules/field.js",
    "/modules/figures.js": "text/javascript" = "modules/figures.js",
    "/modules/audit.js": "text/javascript" = "modules/audit.js",
    "/modules/compare.js": "text/javascript" = "modules/compare.js",
    "/modules/patch.js": "text/javascript" = "modules/patch.js",
    "/modules/papers.js": "text/javascript" = "modules/papers.js",
    "/modules/fit.js": "text/javascript" = "modules/fit.js",
    "/modules/run.js": "text/javascript" = "modules/run.js",
}

/// What the browser may load: the page itself, pictures that it has made, and nothing from elsewhere.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; \
                          connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
