//! Grep: lines of files, with the search of ripgrep.

mod options;
mod results;
mod search;

use std::path::Path;
use std::sync::Arc;

use annals_json::Fields;

use super::blocking::run_blocking;
use super::context::ToolContext;
use super::input::Input;
use super::spec::{ParamType, SpecBuilder};
use super::{CallContext, CallOrder, InputError, Outcome, Tool, ToolFuture, ToolRequest};
use crate::api::request::ToolSpec;
use annals_policy::ReadTool;
use options::{GrepOptions, MODES};

/// Searches in files.
pub struct Grep {
    context: Arc<ToolContext>,
}

impl Grep {
    /// On this ground.
    pub fn new(context: Arc<ToolContext>) -> Self {
        Self { context }
    }

    fn start(&self, input: &Input<'_>) -> Result<String, InputError> {
        let path = input.text_if("path")?.filter(|path| !path.is_empty());
        Ok(path.unwrap_or_else(|| self.context.workspace.working().display().to_string()))
    }

    async fn search(&self, input: &[u8], agreed: Option<&Path>) -> Result<Outcome, InputError> {
        let input = Input::scan(input)?;
        let options = GrepOptions::read(&input)?;
        let start = self.start(&input)?;
        let resolved = self.context.follow(&start, agreed)?;
        if !resolved.real.exists() {
            return Err(InputError(format!("Path does not exist: {start}")));
        }
        let context = Arc::clone(&self.context);
        let real = resolved.real;
        let prepared = search::GrepSearch::prepare(&options, &real)?;
        let (results, options) = run_blocking(move |stop| {
            let results = prepared.run(&real, &options, &context, stop);
            Ok((results, options))
        })
        .await?;
        Ok(results.outcome(&options))
    }
}

impl Tool for Grep {
    fn spec(&self) -> ToolSpec {
        SpecBuilder::new(
            "Grep",
            "Searches files with a regular expression (ripgrep syntax; write `\\\\{` and `\\\\}` for literal braces). Files that git ignores are skipped. By default it lists the matching files, newest first; `content` shows lines and `count` counts them.",
        )
        .required("pattern", ParamType::Text, "The regular expression")
        .optional("path", ParamType::Text, "A file or folder; default the working folder")
        .optional("glob", ParamType::Text, "Only files matching this pattern, such as `*.js` or `src/**/*.{ts,tsx}`")
        .optional("type", ParamType::Text, "Only files of this type, such as `rust`, `py`, `js`")
        .optional("output_mode", ParamType::Word(&MODES), "What to show; default files_with_matches")
        .optional("-i", ParamType::Flag, "Ignore case")
        .optional("-n", ParamType::Flag, "content: show line numbers; default true")
        .optional("-o", ParamType::Flag, "content: show only what matches")
        .optional("-A", ParamType::Count, "content: lines to show after each match")
        .optional("-B", ParamType::Count, "content: lines to show before each match")
        .optional("-C", ParamType::Count, "content: lines to show before and after each match")
        .optional("context", ParamType::Count, "The same as -C")
        .optional("head_limit", ParamType::Count, "Show at most N lines or files; default 250, 0 for all")
        .optional("offset", ParamType::Count, "Skip the first N lines or files")
        .optional("multiline", ParamType::Flag, "Let `.` match line breaks, and matches span lines")
        .build()
    }

    fn order(&self) -> CallOrder {
        CallOrder::Parallel
    }

    fn call(&self, input: &Fields<'_>) -> Result<ToolRequest, InputError> {
        let input = Input::of(input);
        GrepOptions::read(&input)?;
        Ok(ToolRequest::Read(ReadTool::Grep, self.start(&input)?))
    }

    fn run<'t>(&'t self, input: &'t [u8], call: &'t CallContext<'t>) -> ToolFuture<'t> {
        Box::pin(async move {
            self.search(input, call.agreed).await.unwrap_or_else(|error| Outcome::refused(error.0))
        })
    }
}
