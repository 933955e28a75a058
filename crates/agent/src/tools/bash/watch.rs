//! BashOutput and KillShell: read and end background commands.

use std::sync::Arc;

use annals_json::Fields;
use annals_store::overflow::MAX_SHELL_OUTPUT;
use grep_matcher::Matcher;
use grep_regex::RegexMatcher;

use super::shells::{BackgroundCommand, Shells};
use crate::api::request::ToolSpec;
use crate::tools::answer::{at_once, object};
use crate::tools::input::Input;
use crate::tools::spec::{ParamType, SpecBuilder};
use crate::tools::{CallContext, CallOrder, InputError, Outcome, Tool, ToolFuture, ToolRequest};

/// Shows the output of a background command.
pub struct BashOutput {
    shells: Arc<Shells>,
}

/// Ends a background command.
pub struct KillShell {
    shells: Arc<Shells>,
}

fn task(shells: &Shells, id: &str) -> Result<Arc<BackgroundCommand>, InputError> {
    shells.task(id).ok_or_else(|| InputError(format!("No shell found with ID: {id}")))
}

impl BashOutput {
    /// The tool for this shell.
    pub fn new(shells: Arc<Shells>) -> Self {
        Self { shells }
    }

    fn look(&self, input: &[u8]) -> Result<Outcome, InputError> {
        let input = Input::scan(input)?;
        let filter = input.text_if("filter")?.filter(|filter| !filter.is_empty());
        let filter = filter.map(|filter| {
            RegexMatcher::new(&filter)
                .map_err(|error| InputError(format!("The filter is not a regular expression: {error}")))
        });
        let filter = filter.transpose()?;
        let task = task(&self.shells, &input.words("bash_id")?)?;
        // The status first, so that output after it is shown by a later call.
        let (status, code) = (task.status(), task.ended().map(super::CommandExit::code));
        if status != "running" {
            task.mark_told();
        }
        let news = task.news(MAX_SHELL_OUTPUT);
        let passes = |line: &&str| {
            filter.as_ref().is_none_or(|filter| filter.is_match(line.as_bytes()).unwrap_or(false))
        };
        let text = news.lines().filter(passes).collect::<Vec<_>>().join("\n");
        let kept = object(|kept| {
            kept.string("shellId", &task.id).string("command", &task.command).string("status", status);
            match code {
                Some(code) => kept.number("exitCode", code),
                None => kept.raw("exitCode", b"null"),
            };
            kept.string("stdout", &text).string("stderr", "");
            kept.number("stdoutLines", text.lines().count() as u64).number("stderrLines", 0);
        });
        let mut shown = format!("<status>{status}</status>");
        if let Some(code) = code {
            shown.push_str(&format!("\n\n<exit_code>{code}</exit_code>"));
        }
        if !text.is_empty() {
            shown.push_str(&format!("\n\n<stdout>\n{text}\n</stdout>"));
        }
        Ok(Outcome::text(shown, kept))
    }
}

impl KillShell {
    /// The tool for this shell.
    pub fn new(shells: Arc<Shells>) -> Self {
        Self { shells }
    }

    fn kill(&self, input: &[u8]) -> Result<Outcome, InputError> {
        let task = task(&self.shells, &Input::scan(input)?.words("shell_id")?)?;
        let status = task.status();
        if status != "running" {
            return Err(InputError(format!(
                "Shell {} is not running, so it cannot be killed ({status}).",
                task.id
            )));
        }
        task.kill();
        task.mark_told();
        let message = format!("Shell {} was ended ({})", task.id, task.command);
        let kept = object(|kept| {
            kept.string("message", &message).string("shell_id", &task.id);
        });
        Ok(Outcome::text(message, kept))
    }
}

impl Tool for BashOutput {
    fn spec(&self) -> ToolSpec {
        SpecBuilder::new(
            "BashOutput",
            "Shows what a command in the background has printed since it was last asked, and how it stands.",
        )
        .required("bash_id", ParamType::Text, "The id that Bash gave")
        .optional(
            "filter",
            ParamType::Text,
            "Show only lines that match this regular expression; the others are gone then",
        )
        .build()
    }

    fn order(&self) -> CallOrder {
        CallOrder::Sequential
    }

    fn call(&self, input: &Fields<'_>) -> Result<ToolRequest, InputError> {
        Input::of(input).words("bash_id")?;
        Ok(ToolRequest::Inward("BashOutput"))
    }

    fn run<'t>(&'t self, input: &'t [u8], _: &'t CallContext<'t>) -> ToolFuture<'t> {
        at_once(move || self.look(input))
    }
}

impl Tool for KillShell {
    fn spec(&self) -> ToolSpec {
        SpecBuilder::new("KillShell", "Ends a command in the background, with all that it started.")
            .required("shell_id", ParamType::Text, "The id that Bash gave")
            .build()
    }

    fn order(&self) -> CallOrder {
        CallOrder::Sequential
    }

    fn call(&self, input: &Fields<'_>) -> Result<ToolRequest, InputError> {
        Input::of(input).words("shell_id")?;
        Ok(ToolRequest::Inward("KillShell"))
    }

    fn run<'t>(&'t self, input: &'t [u8], _: &'t CallContext<'t>) -> ToolFuture<'t> {
        at_once(move || self.kill(input))
    }
}
