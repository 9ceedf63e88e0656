//! What the page asks for.
use crate::shipped;
use crate::work::Trouble;
use bristle_report::in_file;
use bristle_scenario::table::Problems;
use bristle_scenario::{Given, Setting};
use serde::Deserialize;
use std::path::Path;

/// A request. Each view takes of it what it needs.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ask {
    /// Which page asks: a later request of the same page in the same view takes the place of an earlier one.
    pub page: String,
    /// A file: its path in the project, or the name of one that the user gave.
    pub file: String,
    /// The text of a file that the user gave.
    pub text: Option<String>,
    /// Tables and logs that the user gave, by their names.
    pub given: Given,
    /// What is put over the file: keys and values as they are typed.
    pub set: Vec<(String, String)>,
    /// A key with values, each of which is a run of its own.
    pub vary: Option<(String, Vec<String>)>,
    /// Which of several things a view does.
    pub task: String,
    /// Models by name.
    pub models: Vec<String>,
    /// A load, N.
    pub load: Option<f64>,
    /// Pixels that a panel has across.
    pub pixels: Option<usize>,
    /// What of time is shown.
    pub window: Option<[f64; 2]>,
}

/// A text is no longer than this, bytes; so is it on the command line.
const LONGEST: usize = 16 << 20;

impl Ask {
    /// Reads a request.
    pub fn read(body: &[u8]) -> Result<Self, Trouble> {
        let wrong = |why: String| Trouble::Input(format!("the request cannot be read: {why}"));
        let ask: Ask = serde_json::from_slice(body).map_err(|e| wrong(e.to_string()))?;
        if ask.text.as_ref().is_some_and(|text| text.len() > LONGEST) {
            let most = LONGEST >> 20;
            let name = &ask.file;
            let why =
                format!("cannot read {name}: it has more than {most} MB; is it the right file?");
            return Err(Trouble::Input(why));
        }
        if let Some([from, to]) =
            ask.window.filter(|[from, to]| from >= to || !(to - from).is_finite())
        {
            return Err(wrong(format!(
                "window = [{from}, {to}] must be two times, the earlier first"
            )));
        }
        Ok(ask)
    }

    /// The text of its file.
    pub fn text(&self) -> Result<&str, Trouble> {
        let shipped = || {
            shipped::text(&self.file).ok_or_else(|| {
                Trouble::Input(format!(
                    "there is no file {:?} here: choose one of the list, or drop yours on the page",
                    self.file
                ))
            })
        };
        self.text.as_deref().map_or_else(shipped, Ok)
    }

    /// The tables and logs that its file may name: those given with it, or the project's own.
    pub fn files(&self) -> Given {
        if self.text.is_some() { self.given.clone() } else { shipped::given() }
    }

    /// What is put over the file.
    pub fn settings(&self) -> Vec<Setting> {
        self.set.iter().map(|(key, value)| Setting::typed(key.trim(), value.trim())).collect()
    }

    /// Names of models and sets that are put over the file: with them alone it has the parameters that sliders run around.
    pub fn names(&self) -> Vec<Setting> {
        self.settings().into_iter().filter(|setting| setting.value.is_str()).collect()
    }

    /// What is wrong with the file, as the command line says it.
    pub fn refused(&self, problems: &Problems) -> Trouble {
        Trouble::Input(in_file(Path::new(&self.file), &problems.to_string()))
    }

    /// How many pixels a panel has.
    pub fn screen(&self) -> crate::draw::Screen {
        let pixels = self.pixels.unwrap_or(1000).clamp(100, 10_000);
        crate::draw::Screen { pixels, window: self.window }
    }
}
