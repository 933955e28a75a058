//! An index entry made from a session's file, and the edits that update an old entry.

use std::ops::ControlFlow;
use std::path::Path;

use annals_json::edit::{EditError, Editor, PathStep};
use annals_json::{Fields, ObjectWriter, Value, write_string};
use annals_transcript::objects::read_objects;
use annals_transcript::record::RecordKind;
use annals_transcript::time::format_millis;
use annals_transcript::title::TitleSource;

use crate::indent::{self, RawField};
use crate::read::{ReadError, stream_records};
use crate::summary::Summary;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IndexLayout {
    /// On separate lines, as the client writes it.
    Many,
    /// On one line.
    One,
}

/// The fields of an entry that its file determines, in the client's order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EntryFields {
    fields: Vec<(&'static str, Vec<u8>)>,
    /// Whether the user gave it a title; a removed one must go.
    has_custom_title: bool,
}

impl EntryFields {
    pub(super) fn new(summary: &Summary, messages: u64) -> Self {
        let text = |key: &'static str, text: Option<&str>| Some((key, quoted(text?)));
        let plain = |key: &'static str, word: Option<String>| Some((key, word?.into_bytes()));
        let title = |of: [TitleSource; 2]| {
            let title = summary.title.as_ref().filter(|(source, _)| of.contains(source));
            title.map(|(_, text)| text.as_str())
        };
        let custom_title = title([TitleSource::Custom, TitleSource::CustomFile]);
        // A relative path is useless to a reader elsewhere.
        let path = summary.path.to_str().filter(|_| summary.path.is_absolute());
        let fields = [
            text("sessionId", Some(summary.session.as_str())),
            text("fullPath", path),
            plain("fileMtime", summary.modified.map(|millis| millis.to_string())),
            text("firstPrompt", summary.first_prompt.as_deref()),
            text("summary", title([TitleSource::Summary, TitleSource::Ai])),
            text("customTitle", custom_title),
            plain("messageCount", Some(messages.to_string())),
            text("created", summary.created.as_deref()),
            text("modified", summary.active_millis.map(format_millis).as_deref()),
            text("gitBranch", summary.git_branch.as_deref()),
            text("projectPath", summary.project.as_ref().map(|project| project.path.as_str())),
            plain("isSidechain", Some(summary.is_sidechain_first.to_string())),
        ];
        let fields = fields.into_iter().flatten().collect();
        Self { fields, has_custom_title: custom_title.is_some() }
    }

    /// The entry as a new one.
    pub(super) fn bytes(&self, layout: IndexLayout) -> Vec<u8> {
        let raw = |(key, value): &(&str, Vec<u8>)| -> RawField { (quoted(key), value.clone()) };
        match layout {
            IndexLayout::Many => indent::object(&self.fields.iter().map(raw).collect::<Vec<_>>(), 2),
            IndexLayout::One => {
                let mut out = Vec::new();
                let mut object = ObjectWriter::begin(&mut out);
                for (key, value) in &self.fields {
                    object.raw(key, value);
                }
                object.end();
                out
            }
        }
    }

    /// Updates an existing entry. Unchanged fields keep their spelling, and fields that the file does not determine stay; a
    /// title that the user removed is removed.
    pub(super) fn update(
        &self,
        editor: &mut Editor<'_>,
        place: &[PathStep<'_>],
        there: &Fields<'_>,
    ) -> Result<(), EditError> {
        for (key, value) in &self.fields {
            if !there.get(key).is_some_and(|old| says_the_same(old, value)) {
                editor.set(place, key, value)?;
            }
        }
        if !self.has_custom_title {
            editor.remove(place, "customTitle")?;
        }
        Ok(())
    }
}

fn quoted(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    write_string(&mut out, text);
    out
}

fn says_the_same(old: Value<'_>, new: &[u8]) -> bool {
    let Ok(new) = Value::parse(new) else { return false };
    match (old.text(), new.text()) {
        (Some(old), Some(new)) => old.decode() == new.decode(),
        _ => old.raw() == new.raw() || (old.number().is_some() && old.number() == new.number()),
    }
}

/// How many messages a session has: its user and assistant lines outside sub-agents.
pub(super) fn count_messages(path: &Path) -> Result<u64, ReadError> {
    let mut count = 0;
    stream_records(path, |line| {
        let found = |fields: Fields<'_>, _| {
            let kind = RecordKind::of(fields.text("type"));
            let is_message = matches!(kind, RecordKind::User | RecordKind::Assistant);
            count += u64::from(is_message && !fields.is_true("isSidechain"));
        };
        read_objects(&line, found, |_| ());
        ControlFlow::<()>::Continue(())
    })?;
    Ok(count)
}
