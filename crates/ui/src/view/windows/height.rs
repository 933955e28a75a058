//! About how high an item is on a page: good enough for a scroll bar, since pages measure what they show.

use super::super::item::{Item, ItemBody};
use super::super::tool::{ToolCall, ToolOutput};

/// The height of a line of text, in pixels.
const LINE: usize = 22;
/// Characters in a line of text.
const COLUMNS: usize = 90;
/// Lines of output that are shown before it scrolls or folds.
const MAX_LINES: usize = 16;

pub(super) fn of_item(item: &Item) -> u32 {
    let height = match &item.body {
        ItemBody::Prompt(prompt) => 48 + LINE * lines(&prompt.text),
        ItemBody::Text(text) => 24 + LINE * lines(&text.text),
        ItemBody::ToolCall(call) => call_height(call),
        ItemBody::Compaction(_) => 72,
        ItemBody::Branch(branch) => 40 + LINE * branch.ways.len(),
        ItemBody::Note(_) | ItemBody::Failure(_) | ItemBody::Damage(_) => 44,
        ItemBody::TurnEnd(_) => 40,
        _ => 36,
    };
    u32::try_from(height).unwrap_or(u32::MAX)
}

fn call_height(call: &ToolCall) -> usize {
    let outputs = call.result.as_ref().map(|result| result.outputs.as_slice()).unwrap_or_default();
    let shown = |output: &ToolOutput| match output {
        ToolOutput::Text(text) | ToolOutput::Complaint(text) | ToolOutput::Markdown(text) => lines(text),
        ToolOutput::File(file) => lines(&file.text),
        ToolOutput::Diff(diff) => diff.hunks.iter().map(|hunk| hunk.lines.len()).sum(),
        ToolOutput::Files { names, .. } => names.len(),
        ToolOutput::Todos(todos) => todos.len(),
        _ => 2,
    };
    44 + outputs.iter().map(|output| shown(output).min(MAX_LINES) * LINE).sum::<usize>()
}

/// The lines of a text, those that wrap included; long texts are not counted to their end.
fn lines(text: &str) -> usize {
    text.lines().take(400).map(|line| 1 + line.len() / COLUMNS).sum::<usize>().max(1)
}
