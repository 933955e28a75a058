//! Grep: lines of files, with the search of ripgrep.

mod found;
mod options;
mod search;

use std::path::Path;
use std::sync::Arc;

use annals_json::Fields;

use super::ground::Ground;
use super::input::Input;
use super::spec::{Holds, Spec};
use super::stop::beside;
use super::{Asked, InputError, Order, Outcome, Running, Scene, Tool};
use crate::api::request::ToolSpec;
use annals_policy::ReadTool;
use options::{MODES, Options};

/// Searches in files.
pub struct Grep {
    ground: Arc<Ground>,
}

impl Grep {
    /// On this ground.
    pub fn new(ground: Arc<Ground>) -> Self {
        Self { ground }
    }

    fn start(&self, input: &Input<'_>) -> Result<String, InputError> {
        let path = input.text_if("path")?.filter(|path| !path.is_empty());
        Ok(path.unwrap_or_else(|| self.ground.workspace.working().display().to_string()))
    }

    async fn search(&self, input: &[u8], agreed: Option<&Path>) -> Result<Outcome, InputError> {
        let input = Input::scan(input)?;
        let options = Options::read(&input)?;
        let start = self.start(&input)?;
        let resolved = self.ground.follow(&start, agreed)?;
        if !resolved.real.exists() {
            return Err(InputError(format!("Path does not exist: {start}")));
        }
        let ground = Arc::clone(&self.ground);
        let real = resolved.real;
        let prepared = search::Search::prepare(&options, &real)?;
        let (found, options) = beside(move |stop| {
            let found = prepared.run(&real, &options, &ground, stop);
            Ok((found, options))
        })
        .await?;
        Ok(found.outcome(&options))
    }
}

impl Tool for Grep {
    fn spec(&self) -> ToolSpec {
        Spec::new(
            "Grep",
            "Searches in files with a regular expression (the syntax of ripgrep; `{` and `}` are written `\\\\{` and `\\\\}` where they are meant as letters). Files that git ignores are left out. By default it names the files, the newest first; `content` shows lines and `count` counts them.",
        )
        .needs("pattern", Holds::Text, "The regular expression")
        .may("path", Holds::Text, "A file or folder; the working folder if not given")
        .may("glob", Holds::Text, "Only files of this pattern, such as `*.js` or `src/**/*.{ts,tsx}`")
        .may("type", Holds::Text, "Only files of this type, such as `rust`, `py`, `js`")
        .may("output_mode", Holds::Word(&MODES), "What to show; files_with_matches if not given")
        .may("-i", Holds::Flag, "Take capital and small letters for the same")
        .may("-n", Holds::Flag, "content: show line numbers; true if not given")
        .may("-o", Holds::Flag, "content: show only what matches")
        .may("-A", Holds::Count, "content: lines to show after each match")
        .may("-B", Holds::Count, "content: lines to show before each match")
        .may("-C", Holds::Count, "content: lines to show before and after each match")
        .may("context", Holds::Count, "The same as -C")
        .may("head_limit", Holds::Count, "Show no more lines or files than this; 250 if not given, 0 for all")
        .may("offset", Holds::Count, "Leave out so many lines or files first")
        .may("multiline", Holds::Flag, "Let `.` match line ends, and matches go over several lines")
        .build()
    }

    fn order(&self) -> Order {
        Order::Beside
    }

    fn call(&self, input: &Fields<'_>) -> Result<Asked, InputError> {
        let input = Input::of(input);
        Options::read(&input)?;
        Ok(Asked::Read(ReadTool::Grep, self.start(&input)?))
    }

    fn run<'t>(&'t self, input: &'t [u8], scene: &'t Scene<'t>) -> Running<'t> {
        Box::pin(async move {
            self.search(input, scene.agreed).await.unwrap_or_else(|error| Outcome::refused(error.0))
        })
    }
}
