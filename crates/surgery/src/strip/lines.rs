//! One record: what goes of it.

use annals_json::Value;
use annals_json::edit::Step;
use annals_transcript::content::Block;
use annals_transcript::record::{Assistant, Attachment, Progress, User};
use annals_transcript::transcript::NodeIndex;

use super::choice::{CallFate, Choice};
use super::cuts::{Cut, Parts};
use super::shrink::{SHORT, cut_text, empty_content, shrink, without_images};
use super::wish::Part;

/// The line goes where nothing of it is left.
fn line_or_parts(parts: Parts, blocks: usize) -> Option<Cut> {
    if parts.is_empty() {
        return None;
    }
    if parts.gone.len() == blocks && blocks > 0 {
        return Some(Cut::Line { why: parts.why() });
    }
    Some(Cut::Parts(parts))
}

pub(super) fn of_reply(line: &Assistant<'_>, node: NodeIndex, choice: &Choice<'_>) -> Option<Cut> {
    let mut parts = Parts::default();
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
        if let Some(name) = id.as_deref().and_then(|id| choice.removed(id)) {
            parts.gone.insert(place);
            parts.what.insert(format!("call of {name}"));
        } else if is_thought && choice.wants(Part::Thinking, node) {
            parts.gone.insert(place);
            parts.what.insert("thinking".to_owned());
        }
    }
    line_or_parts(parts, count)
}

pub(super) fn of_user(line: &User<'_>, node: NodeIndex, choice: &Choice<'_>) -> Option<Cut> {
    let source = line.fields().text("sourceToolUseID").map(|id| id.to_string());
    if let Some(name) = source.as_deref().and_then(|id| choice.removed(id))
        && line.is_meta() == Some(true)
    {
        return Some(Cut::Line { why: format!("said because of a call of {name}") });
    }
    let mut parts = Parts::default();
    let mut shown = Shown::default();
    let mut count = 0;
    for (place, block) in line.content().blocks().enumerate() {
        count += 1;
        match &block {
            Block::ToolResult(result) => {
                let id = result.tool_use().map(|id| id.to_string()).unwrap_or_default();
                let content = result.fields().get("content");
                match choice.of(&id) {
                    Some((name, CallFate::Removed)) => {
                        parts.gone.insert(place);
                        parts.what.insert(format!("result of {name}"));
                        shown.goes = true;
                    }
                    fate => {
                        let Some(content) = content else { continue };
                        if let Some((json, what)) =
                            shown.of_content(content, fate.map(|(_, fate)| fate), node, choice)
                        {
                            parts.replaced.push((content_path(place, Some("content")), json));
                            parts.what.extend(what);
                        }
                    }
                }
            }
            Block::Image(image) if choice.wants(Part::Images, node) => {
                let value = Value::parse(image.fields().raw()).ok();
                if let Some(json) = value.and_then(without_images) {
                    parts.replaced.push((content_path(place, None), json));
                    parts.what.insert("image".to_owned());
                }
            }
            _ => {}
        }
    }
    // What the interface shows of a result is a copy of it.
    if let Some(value) = line.tool_use_result_value()
        && parts.gone.len() < count
    {
        if shown.goes {
            parts.keys.push("toolUseResult");
        } else if let Some(json) = shown.now(value) {
            parts.replaced.push((vec![Step::Key("toolUseResult")], json));
            parts.what.insert("copy of a result".to_owned());
        }
    }
    line_or_parts(parts, count)
}

pub(super) fn of_progress(line: &Progress<'_>, node: NodeIndex, choice: &Choice<'_>) -> Option<Cut> {
    if choice.wants(Part::Progress, node) {
        return Some(Cut::Line { why: "progress".to_owned() });
    }
    let of_call = ["toolUseID", "parentToolUseID"].iter().find_map(|key| {
        let id = line.fields().text(key)?.to_string();
        choice.removed(&id).map(str::to_owned)
    });
    of_call.map(|name| Cut::Line { why: format!("progress of {name}") })
}

pub(super) fn of_attachment(line: &Attachment<'_>, node: NodeIndex, choice: &Choice<'_>) -> Option<Cut> {
    if choice.wants(Part::Attachments, node) {
        return Some(Cut::Line { why: "attachment".to_owned() });
    }
    let body = line.fields().get("attachment").filter(|_| choice.wants(Part::Images, node))?;
    // A file that is an image would be sent as an empty one.
    let kind = body.get("content").and_then(|content| content.get("type")).and_then(Value::text);
    if kind.is_some_and(|kind| kind.is("image")) {
        return Some(Cut::Line { why: "attached image".to_owned() });
    }
    let json = without_images(body)?;
    let mut parts = Parts::default();
    parts.replaced.push((vec![Step::Key("attachment")], json));
    parts.what.insert("image".to_owned());
    Some(Cut::Parts(parts))
}

fn content_path(place: usize, inside: Option<&'static str>) -> Vec<Step<'static>> {
    let path = [Step::Key("message"), Step::Key("content"), Step::Item(place)];
    path.into_iter().chain(inside.map(Step::Key)).collect()
}

/// What becomes of the copy of a result that the interface shows.
#[derive(Debug, Default)]
struct Shown {
    goes: bool,
    limit: Option<usize>,
    images: bool,
}

impl Shown {
    /// What becomes of a result's content that stays, and in words what goes of it; its copy follows.
    fn of_content(
        &mut self,
        content: Value<'_>,
        fate: Option<CallFate>,
        node: NodeIndex,
        choice: &Choice<'_>,
    ) -> Option<(Vec<u8>, Vec<String>)> {
        let mut now = Now::new(content);
        if fate == Some(CallFate::Emptied) {
            now.become_if_some(empty_content, "result");
            self.limit = Some(SHORT);
            return now.changed();
        }
        if let Some(limit) = choice.largest(node) {
            now.become_if_some(|value| cut_text(value, limit), "large result");
            self.limit = Some(limit);
        }
        if choice.wants(Part::Images, node) {
            now.become_if_some(without_images, "image");
            self.images = true;
        }
        now.changed()
    }

    fn now(&self, value: Value<'_>) -> Option<Vec<u8>> {
        let mut now = Now::new(value);
        if let Some(limit) = self.limit {
            now.become_if_some(|value| shrink(value, limit), "");
        }
        if self.images {
            now.become_if_some(without_images, "");
        }
        now.changed().map(|(json, _)| json)
    }
}

/// A value that becomes another, step by step.
struct Now {
    json: Vec<u8>,
    what: Vec<String>,
}

impl Now {
    fn new(value: Value<'_>) -> Self {
        Self { json: value.raw().to_vec(), what: Vec::new() }
    }

    fn become_if_some(&mut self, step: impl FnOnce(Value<'_>) -> Option<Vec<u8>>, what: &str) {
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
