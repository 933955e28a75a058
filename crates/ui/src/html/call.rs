//! A tool call as a card: the request above, what came of it below.

use crate::figures::duration;
use crate::highlight::Language;
use crate::view::{CallPhase, ItemBody, Position, SubAgent, ToolCall, ToolCallResult, ToolOutput};

use super::code::highlighted;
use super::escape::{attribute, escape, escape_line};
use super::link;
use super::writer::HtmlWriter;

/// Shorter durations are not shown.
const NOTABLE_MS: u64 = 1000;

/// The longest headline that stands on the line of the tool's name.
const SHORT_HEADLINE: usize = 300;

impl HtmlWriter<'_, '_> {
    pub(super) fn call(&mut self, position: &Position, call: &ToolCall) {
        let class = if call.is_error() { "tool failed" } else { "tool" };
        self.out.push_str("<details open");
        attribute("class", class, self.out);
        self.anchor(position.line);
        self.uuid(position);
        self.out.push_str("><summary>");
        let is_long = call.headline.len() > SHORT_HEADLINE || call.headline.trim().contains('\n');
        self.summary(position, call, is_long.into());
        self.out.push_str("</summary>");
        if is_long && call.phase != CallPhase::Finished {
            self.out.push_str("<pre class=code>");
            let language = is_shell(call).then(|| Language::by_name("sh")).flatten();
            highlighted(call.headline.trim(), language, self.out);
            self.out.push_str("</pre>");
        }
        if call.phase != CallPhase::Finished {
            self.address(call);
            self.inputs(call);
        }
        call.agents.iter().for_each(|agent| self.agent(None, agent));
        let texts: Vec<&str> = call.agents.iter().filter_map(last_text).collect();
        match &call.result {
            Some(result) => self.result(position, result, &texts),
            None if call.phase == CallPhase::Started => {}
            None => self.out.push_str("<p class=note>never answered"),
        }
        self.out.push_str("</details>");
    }

    fn summary(&mut self, position: &Position, call: &ToolCall, headline: HeadlinePlace) {
        self.out.push_str("<b>");
        escape_line(if call.name.is_empty() { "(unnamed tool)" } else { &call.name }, self.out);
        self.out.push_str("</b>");
        if headline == HeadlinePlace::Summary && !call.headline.is_empty() {
            self.out.push_str(" <code>");
            escape_line(call.headline.trim(), self.out);
            self.out.push_str("</code>");
        }
        let mut facts: Vec<String> = call.remark.iter().cloned().collect();
        facts.extend(change_counts(call));
        facts.extend(call.duration_ms.filter(|&millis| millis >= NOTABLE_MS).map(duration));
        facts.extend(state(call));
        if position.is_off_path {
            facts.push("beside the main thread".to_owned());
        }
        if !facts.is_empty() {
            self.out.push_str(" <small>");
            escape_line(&facts.join(" · "), self.out);
            self.out.push_str("</small>");
        }
        self.time(position);
    }

    /// Writes a link to the page that was fetched: a summary is a button, and a button has no links in it.
    fn address(&mut self, call: &ToolCall) {
        let address = call.headline.trim();
        if call.name == "WebFetch" && link::is_safe(address) {
            self.out.push_str("<p>");
            link::open(address, self.out);
            self.out.push_str("Open the page</a>");
        }
    }

    /// Writes the arguments that neither headline nor result show.
    fn inputs(&mut self, call: &ToolCall) {
        // A sub-agent's prompt is the first message of its own conversation.
        let is_said = |name: &str| name == "prompt" && !call.agents.is_empty();
        let untold = call
            .input
            .iter()
            .filter(|field| !field.is_shown && !field.value.is_empty() && !is_said(&field.name));
        let mut is_open = false;
        for field in untold {
            self.out.push_str(if is_open { "<dt>" } else { "<dl><dt>" });
            is_open = true;
            escape_line(&field.name, self.out);
            self.out.push_str("<dd>");
            escape(&field.value, self.out);
        }
        self.out.push_str(if is_open { "</dl>" } else { "" });
    }

    fn result(&mut self, position: &Position, result: &ToolCallResult, texts: &[&str]) {
        // The call has the id if its result is on the same line.
        let is_elsewhere = result.line != position.line;
        self.out.push_str("<div");
        if is_elsewhere {
            self.anchor(result.line);
        }
        self.out.push('>');
        for output in &result.outputs {
            match output {
                ToolOutput::Markdown(text) | ToolOutput::Text(text) if texts.contains(&text.trim()) => {}
                output => self.output(result.line, output),
            }
        }
        if let Some(remark) = &result.remark {
            self.out.push_str("<p class=note>");
            escape_line(remark, self.out);
        }
        self.out.push_str("</div>");
    }
}

/// Where the headline of a call stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HeadlinePlace {
    Summary,
    Below,
}

impl From<bool> for HeadlinePlace {
    fn from(is_long: bool) -> Self {
        if is_long { Self::Below } else { Self::Summary }
    }
}

fn is_shell(call: &ToolCall) -> bool {
    matches!(call.name.as_str(), "Bash" | "PowerShell")
}

/// What became of a call: its exit code, whether it was denied, or whether a plan was approved.
fn state(call: &ToolCall) -> Option<String> {
    let result = call.result.as_ref()?;
    let is_denied = result.outputs.iter().any(|output| matches!(output, ToolOutput::Denied { .. }));
    let is_plan = call.name.eq_ignore_ascii_case("ExitPlanMode") || call.name == "exit_plan_mode";
    match (result.is_error, is_denied, is_plan) {
        (_, true, true) => Some("not approved".to_owned()),
        (_, true, false) => Some("denied".to_owned()),
        (true, false, _) => {
            Some(exit_code(result).map_or("failed".to_owned(), |code| format!("exit {code}")))
        }
        (false, false, true) => Some("approved".to_owned()),
        (false, false, false) => None,
    }
}

/// The exit code of a command, which the client writes above its output.
fn exit_code(result: &ToolCallResult) -> Option<&str> {
    let ToolOutput::Text(text) = result.outputs.first()? else { return None };
    let rest = text.trim_start_matches("Error: ").strip_prefix("Exit code ")?;
    rest.split_whitespace().next().filter(|code| code.len() <= 4 && code.bytes().all(|b| b.is_ascii_digit()))
}

fn change_counts(call: &ToolCall) -> Option<String> {
    let outputs = call.result.as_ref()?.outputs.iter();
    let diff = outputs.into_iter().find_map(|output| match output {
        ToolOutput::Diff(diff) => Some(diff),
        _ => None,
    });
    diff.map(|diff| diff.counts()).map(|(added, removed)| format!("+{added} −{removed}"))
}

fn last_text(agent: &SubAgent) -> Option<&str> {
    agent.conversation.items.iter().rev().find_map(|item| match &item.body {
        ItemBody::Text(speech) => Some(speech.text.trim()),
        _ => None,
    })
}
