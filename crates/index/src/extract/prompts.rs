//! Rows of texts: lines of `history.jsonl`, and files that are one text.

use annals_json::Value;
use annals_transcript::line::Line;

use super::blocks::prompt_with_pastes;
use super::kinds::{MessageKind, MessageRole};
use super::record::LineSpan;
use super::rows::{Batch, MessageRow};
use super::texts::TextCollector;

impl Batch {
    /// Adds a line of `history.jsonl`.
    pub(super) fn history_line(&mut self, line: &Line<'_>, span: LineSpan) {
        let Ok(value) = Value::parse(line.body()) else { return };
        let Some(display) = value.get("display").and_then(Value::text) else { return };
        let mut texts = TextCollector::default();
        if display.raw().len() > super::rows::MAX_INDEXED_BYTES {
            // Nothing after it can be searched.
            texts.push_text(display);
        } else {
            texts.push(&prompt_with_pastes(value, display));
        }
        self.history_prompt(value, display, span);
        self.cursor.records += 1;
        self.text(
            span,
            MessageRole::Human,
            MessageKind::Prompt,
            texts,
            value.get("timestamp").and_then(Value::number),
        );
    }

    /// Adds the row of a text.
    pub(super) fn text(
        &mut self,
        span: LineSpan,
        role: MessageRole,
        kind: MessageKind,
        texts: TextCollector,
        millis: Option<f64>,
    ) {
        if texts.bytes > 0 {
            self.messages.push(MessageRow {
                line: span.line,
                offset: span.offset,
                length: span.length,
                block: 0,
                role,
                kind,
                millis: millis.map(|millis| millis as i64),
                uuid: None,
                parent: None,
                tool: None,
                call: None,
                is_error: false,
                bytes: texts.bytes,
                text: texts.text,
                words: String::new(),
                indexed: 0,
            });
        }
    }
}
