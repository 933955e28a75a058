//! Draws tool calls: the headline, and the result below.

use std::borrow::Cow;

use crate::figures::duration;
use crate::view::{
    CallPhase, FileAction, ItemBody, Position, SubAgent, ToolCall, ToolCallResult, ToolOutput,
};

use super::color::Color;
use super::fold::FoldedLines;
use super::items::{LastItem, Renderer};
use super::output::{hanging, output};
use super::style::{Span, Style, StyledLine, line_width, width};
use super::wrap::{wrap_each, wrap_text};
use crate::clean::{clean, reveal};

/// Shorter durations are not shown.
const NOTABLE_MS: u64 = 1000;

/// The longest tool name that a long headline is indented after.
const SHORT_NAME: usize = 10;

/// Lines of a long command that are shown while folded.
const COMMAND_LINES: usize = 8;

impl Renderer<'_, '_, '_> {
    pub(super) fn call(&mut self, position: &Position, call: &ToolCall) {
        let is_brief = is_brief(call);
        // What comes right below its call needs no other name.
        let is_below = call.phase == CallPhase::Finished
            && call.id == self.open_call
            && matches!(self.last_item, LastItem::Tool { .. });
        if !is_below {
            // One-line calls have no blank lines between them.
            if self.last_item != (LastItem::Tool { is_brief: true }) || !is_brief {
                self.canvas.gap();
            }
            self.head(position, call);
        }
        if call.phase != CallPhase::Finished {
            self.inputs(call);
        }
        let agent_text = call.agents.iter().filter_map(last_text).next_back();
        for agent in &call.agents {
            self.agent(agent, "");
        }
        self.canvas.no_gap();
        match &call.result {
            Some(result) => self.result(result, agent_text),
            None if call.phase == CallPhase::Started => {}
            None => self.tail(vec![Span::new("never answered", Style::color(Color::Yellow))]),
        }
        self.open_call = if call.phase == CallPhase::Started { call.id.clone() } else { String::new() };
        self.last_item = LastItem::Tool { is_brief };
    }

    fn head(&mut self, position: &Position, call: &ToolCall) {
        let glyphs = self.options.glyphs();
        let color = if call.is_error() { Color::Red } else { Color::Green };
        let mut mark = vec![Span::new(glyphs.call, Style::color(color))];
        let mut text = vec![Span::new(tool_name(&call.name), Style::BOLD)];
        if !call.headline.is_empty() {
            text.push(Span::plain("  "));
            // A long command is indented after the name of its tool.
            if call.name.len() <= SHORT_NAME {
                mark.append(&mut text);
            }
            text.push(Span::plain(clean(&reveal(call.headline.trim()))));
        }
        if let Some(remark) = &call.remark {
            let remark = self.opening(remark, 120);
            let remark = clean(&remark);
            let used = line_width(&mark) + line_width(&text);
            // On the same line if all of it fits, else on the next.
            let is_off_path =
                !call.headline.contains('\n') && used + width(&remark) + 4 <= self.canvas.width();
            let before = if is_off_path { format!("  {} ", glyphs.dot) } else { "\n".to_owned() };
            text.push(Span::dim(format!("{before}{remark}")));
        }
        if let Some(counts) = change_counts(call) {
            text.push(Span::plain("  "));
            text.push(Span::new(format!("+{}", counts.0), Style::color(Color::Green)));
            text.push(Span::new(format!(" {}{}", glyphs.minus, counts.1), Style::color(Color::Red)));
        }
        if position.is_off_path {
            text.push(Span::dim(format!("  {} beside the main thread", glyphs.dot)));
        }
        let (options, columns) = (self.options, self.canvas.width());
        let mut first = FirstLine::default();
        let mut each = |line: StyledLine| first.next(line, |line| self.canvas.line(&line));
        let mut folded = FoldedLines::new(COMMAND_LINES, options, &mut each).indented(line_width(&mark));
        hanging(mark, &text, columns, &mut |line| folded.push(line));
        folded.finish();
        let time = call.duration_ms.filter(|&millis| millis >= NOTABLE_MS && call.agents.is_empty());
        let time = time.map(duration).unwrap_or_default();
        if let Some(only) = first.only() {
            if line_width(&only) + time.len() + 2 <= columns {
                self.justified(only, &time);
            } else {
                self.canvas.line(&only);
            }
        }
    }

    /// Draws arguments that neither headline nor result show.
    fn inputs(&mut self, call: &ToolCall) {
        let options = self.options;
        // A sub-agent's prompt is the first message of its own conversation.
        let is_said = |name: &str| name == "prompt" && !call.agents.is_empty();
        let untold: Vec<_> =
            call.input.iter().filter(|field| !field.is_shown && !is_said(&field.name)).collect();
        let is_known = !call.name.starts_with("mcp__");
        self.with_gutter(Span::dim(format!("  {}", options.glyphs().output)), |renderer| {
            for field in untold {
                let is_small = field.value.len() <= 60 && !field.value.contains('\n');
                if !options.full && is_known && is_small {
                    continue;
                }
                let value: Cow<'_, str> = match options.full {
                    true => field.value.as_str().into(),
                    false => renderer.opening(&field.value, 160).into(),
                };
                let text = [Span::dim(format!("{}: ", clean(&field.name))), Span::dim(clean(&value))];
                let columns = renderer.canvas.width();
                wrap_each(&text, columns, &mut |line| renderer.canvas.line(&line));
            }
        });
    }

    fn result(&mut self, result: &ToolCallResult, agent_text: Option<&str>) {
        let options = self.options;
        let columns = self.canvas.width().saturating_sub(4).max(16);
        let is_shown = |found: &ToolOutput| matches!(found, ToolOutput::Markdown(text) if agent_text == Some(text.trim()));
        let style = if result.is_error { Style::color(Color::Red) } else { Style::DIM };
        let gutter = Span::new(format!("  {}", options.glyphs().output), style);
        let mut first = FirstLine::default();
        self.canvas.push(gutter);
        let mut each = |line: StyledLine| first.next(line, |line| self.canvas.line(&line));
        for found in result.outputs.iter().filter(|found| !is_shown(found)) {
            output(found, columns, options, result.is_error, &mut each);
        }
        if let Some(remark) = &result.remark {
            wrap_text(&clean(remark), Style::DIM, columns, &mut each);
        }
        self.canvas.pop();
        if let Some(only) = first.only() {
            self.tail(only);
        }
    }

    /// Draws the one-line result of a call.
    fn tail(&mut self, mut line: StyledLine) {
        line.insert(0, Span::dim(format!("  {}", self.options.glyphs().last)));
        self.canvas.line(&line);
    }
}

/// Holds the first of several lines back: a single one is drawn in another way.
#[derive(Default)]
struct FirstLine {
    held: Option<StyledLine>,
    has_more: bool,
}

impl FirstLine {
    /// Takes the next line, and draws what is known not to be the only one.
    fn next(&mut self, line: StyledLine, mut draw: impl FnMut(StyledLine)) {
        if self.has_more {
            return draw(line);
        }
        match self.held.take() {
            None => self.held = Some(line),
            Some(first) => {
                self.has_more = true;
                draw(first);
                draw(line);
            }
        }
    }

    fn only(self) -> Option<StyledLine> {
        self.held
    }
}

/// A tool's name for people: an MCP tool by its server and name.
pub(super) fn tool_name(name: &str) -> String {
    let name = clean(name);
    match name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
        Some((server, tool)) => format!("{server}/{tool}"),
        None if name.is_empty() => "(unnamed tool)".to_owned(),
        None => name.into_owned(),
    }
}

/// How many lines an edit brought and took.
fn change_counts(call: &ToolCall) -> Option<(usize, usize)> {
    if call.is_error() {
        return None;
    }
    call.result.as_ref()?.outputs.iter().find_map(|output| match output {
        ToolOutput::Diff(diff) => Some(diff.counts()),
        _ => None,
    })
}

/// Whether a call takes two lines at most.
pub(super) fn is_brief(call: &ToolCall) -> bool {
    let Some(result) = &call.result else { return call.agents.is_empty() };
    let is_short = |output: &ToolOutput| match output {
        ToolOutput::File(part) => part.act == FileAction::Read,
        ToolOutput::Text(text) | ToolOutput::Complaint(text) => {
            !text.trim().contains('\n') && text.len() < 80
        }
        ToolOutput::Image { .. } => true,
        _ => false,
    };
    call.agents.is_empty() && result.outputs.len() <= 1 && result.outputs.iter().all(is_short)
}

/// The last text of a sub-agent, which is also the result of its call.
fn last_text(agent: &SubAgent) -> Option<&str> {
    agent.conversation.items.iter().rev().find_map(|item| match &item.body {
        ItemBody::Text(speech) => Some(speech.text.trim()),
        _ => None,
    })
}
