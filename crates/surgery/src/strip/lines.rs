//! Decides what to remove from one record.

use annals_json::Value;
use annals_json::edit::PathStep;
use annals_transcript::content::Block;
use annals_transcript::record::{Assistant, Attachment, Progress, User};
use annals_transcript::transcript::NodeIndex;

use super::cuts::{RecordEdit, RecordParts};
use super::options::StripPart;
use super::selection::{CallAction, CallSelection};
use super::shrink::{SHORT_BYTES, cut_text, empty_content, shrink, without_images};

/// Removes the whole line if no block is left.
fn line_or_parts(parts: RecordParts, blocks: usize) -> Option<RecordEdit> {
    if parts.is_empty() {
        return None;
    }
    if parts.gone.len() == blocks && blocks > 0 {
        return Some(RecordEdit::Line { why: parts.why() });
    }
    Some(RecordEdit::Parts(parts))
}

pub(super) fn of_reply(
    line: &Assistant<'_>,
    node: NodeIndex,
    selection: &CallSelection<'_>,
) -> Option<RecordEdit> {
    let mut parts = RecordParts::default();
    let mut count = 0;
    for (place, block) in line.content().blocks().enumerate() {
        count += 1;
        let id = match &block {
            Block::ToolUse(call) => call.id(),
            Block::ServerToolUse(call) => call.id(),
            Block::WebSearchToolResult(result) => result.tool_use(),
            _ => None,
        };
        let id = id.map(|id| id.to_string()).or_else(|| match &block {
            // Results of other tools that the API runs itself.
            Block::Unknown(value) => value.get("tool_use_id")?.text().map(|id| id.to_string()),
            _ => None,
        });
        let is_thought = matches!(block, Block::Thinking(_) | Block::RedactedThinking(_));
        if let Some(name) = id.as_deref().and_then(|id| selection.removed(id)) {
            parts.gone.insert(place);
            parts.what.insert(format!("call of {name}"));
        } else if is_thought && selection.wants(StripPart::Thinking, node) {
            parts.gone.insert(place);
            parts.what.insert("thinking".to_owned());
        }
    }
    line_or_parts(parts, count)
}

pub(super) fn of_user(line: &User<'_>, node: NodeIndex, selection: &CallSelection<'_>) -> Option<RecordEdit> {
    let source = line.fields().text("sourceToolUseID").map(|id| id.to_string());
    if let Some(name) = source.as_deref().and_then(|id| selection.removed(id))
        && line.is_meta() == Some(true)
    {
        return Some(RecordEdit::Line { why: format!("added because of a call of {name}") });
    }
    let mut parts = RecordParts::default();
    let mut result_copy = ResultCopy::default();
    let mut count = 0;
    for (place, block) in line.content().blocks().enumerate() {
        count += 1;
        match &block {
            Block::ToolResult(result) => {
                let id = result.tool_use().map(|id| id.to_string()).unwrap_or_default();
                let content = result.fields().get("content");
                match selection.of(&id) {
                    Some((name, CallAction::Remove)) => {
                        parts.gone.insert(place);
                        parts.what.insert(format!("result of {name}"));
                        result_copy.is_removed = true;
                    }
                    fate => {
                        let Some(content) = content else { continue };
                        if let Some((json, what)) =
                            result_copy.of_content(content, fate.map(|(_, fate)| fate), node, selection)
                        {
                            parts.replaced.push((content_path(place, Some("content")), json));
                            parts.what.extend(what);
                        }
                    }
                }
            }
            Block::Image(image) if selection.wants(StripPart::Images, node) => {
                let value = Value::parse(image.fields().raw()).ok();
                if let Some(json) = value.and_then(without_images) {
                    parts.replaced.push((content_path(place, None), json));
                    parts.what.insert("image".to_owned());
                }
            }
            _ => {}
        }
    }
    // `toolUseResult` is a copy of the result for the interface.
    if let Some(value) = line.tool_use_result_value()
        && parts.gone.len() < count
    {
        if result_copy.is_removed {
            parts.keys.push("toolUseResult");
        } else if let Some(json) = result_copy.edited(value) {
            parts.replaced.push((vec![PathStep::Key("toolUseResult")], json));
            parts.what.insert("copy of a result".to_owned());
        }
    }
    line_or_parts(parts, count)
}

pub(super) fn of_progress(
    line: &Progress<'_>,
    node: NodeIndex,
    selection: &CallSelection<'_>,
) -> Option<RecordEdit> {
    if selection.wants(StripPart::Progress, node) {
        return Some(RecordEdit::Line { why: "progress".to_owned() });
    }
    let of_call = ["toolUseID", "parentToolUseID"].iter().find_map(|key| {
        let id = line.fields().text(key)?.to_string();
        selection.removed(&id).map(str::to_owned)
    });
    of_call.map(|name| RecordEdit::Line { why: format!("progress of {name}") })
}

pub(super) fn of_attachment(
    line: &Attachment<'_>,
    node: NodeIndex,
    selection: &CallSelection<'_>,
) -> Option<RecordEdit> {
    if selection.wants(StripPart::Attachments, node) {
        return Some(RecordEdit::Line { why: "attachment".to_owned() });
    }
    let body = line.fields().get("attachment").filter(|_| selection.wants(StripPart::Images, node))?;
    // An attached image would be sent as an empty file.
    let kind = body.get("content").and_then(|content| content.get("type")).and_then(Value::text);
    if kind.is_some_and(|kind| kind.is("image")) {
        return Some(RecordEdit::Line { why: "attached image".to_owned() });
    }
    let json = without_images(body)?;
    let mut parts = RecordParts::default();
    parts.replaced.push((vec![PathStep::Key("attachment")], json));
    parts.what.insert("image".to_owned());
    Some(RecordEdit::Parts(parts))
}

fn content_path(place: usize, inside: Option<&'static str>) -> Vec<PathStep<'static>> {
    let path = [PathStep::Key("message"), PathStep::Key("content"), PathStep::Item(place)];
    path.into_iter().chain(inside.map(PathStep::Key)).collect()
}

/// What to do with `toolUseResult`, the copy of a result for the interface.
#[derive(Debug, Default)]
struct ResultCopy {
    is_removed: bool,
    limit: Option<usize>,
    images: bool,
}

impl ResultCopy {
    /// The new content of a result that stays, and descriptions of what is removed.
    fn of_content(
        &mut self,
        content: Value<'_>,
        fate: Option<CallAction>,
        node: NodeIndex,
        selection: &CallSelection<'_>,
    ) -> Option<(Vec<u8>, Vec<String>)> {
        let mut edited = ValueEdit::new(content);
        if fate == Some(CallAction::Empty) {
            edited.apply(empty_content, "result");
            self.limit = Some(SHORT_BYTES);
            return edited.changed();
        }
        if let Some(limit) = selection.largest(node) {
            edited.apply(|value| cut_text(value, limit), "large result");
            self.limit = Some(limit);
        }
        if selection.wants(StripPart::Images, node) {
            edited.apply(without_images, "image");
            self.images = true;
        }
        edited.changed()
    }

    fn edited(&self, value: Value<'_>) -> Option<Vec<u8>> {
        let mut edited = ValueEdit::new(value);
        if let Some(limit) = self.limit {
            edited.apply(|value| shrink(value, limit), "");
        }
        if self.images {
            edited.apply(without_images, "");
        }
        edited.changed().map(|(json, _)| json)
    }
}

/// A value that is edited in steps.
struct ValueEdit {
    json: Vec<u8>,
    what: Vec<String>,
}

impl ValueEdit {
    fn new(value: Value<'_>) -> Self {
        Self { json: value.raw().to_vec(), what: Vec::new() }
    }

    fn apply(&mut self, step: impl FnOnce(Value<'_>) -> Option<Vec<u8>>, what: &str) {
        let next = Value::parse(&self.json).ok().and_then(step);
        if let Some(json) = next {
            self.json = json;
            self.what.push(what.to_owned());
        }
    }

    fn changed(self) -> Option<(Vec<u8>, Vec<String>)> {
        (!self.what.is_empty()).then_some((self.json, self.what))
    }
}
