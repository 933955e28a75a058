//! Lines under new ids: the places that name a session, a record or a sub-agent, and every mention besides.

use std::path::Path;

use annals_json::edit::{EditError, Editor, Step};
use annals_json::{ObjectWriter, Text, Value};
use annals_transcript::transcript::Transcript;

use super::ClonePlanError;
use super::names::Names;
use super::tokens;
use crate::moved::Moved;
use crate::relink::references;
use crate::session::Session;

/// What the lines say of where they come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lineage {
    /// Nothing: a clone stands for itself.
    Forgotten,
    /// `forkedFrom`, with the session and the record.
    Told,
    /// What they said before.
    Kept,
}

/// From the session's own folder: the first that has its project's name, else the first of all.
pub(super) fn moved_to(session: &Session, new: &str) -> Option<Moved> {
    let transcript = session.transcript();
    let text = |value: Value<'_>| value.text().map(|text| text.to_string());
    let folders: Vec<String> = (0..transcript.nodes().len())
        .filter_map(|node| transcript.fields(node).get("cwd").and_then(text))
        .collect();
    let slug = session.home.as_ref().map(|(_, slug)| slug.as_str());
    let own = folders.iter().find(|folder| Some(annals_store::project_slug(folder).as_str()) == slug);
    Some(Moved::new(own.or(folders.first())?, new))
}

/// A line that could not be rewritten.
pub(crate) struct RewriteFault {
    pub(crate) line: u32,
    pub(crate) source: EditError,
}

impl RewriteFault {
    pub(super) fn at(self, path: &Path) -> ClonePlanError {
        ClonePlanError::Edit { path: path.to_path_buf(), line: self.line, source: self.source }
    }
}

/// How lines are rewritten.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rewriting<'n> {
    pub(crate) names: &'n Names,
    pub(crate) lineage: Lineage,
    pub(crate) moved: Option<&'n Moved>,
}

impl<'n> Rewriting<'n> {
    /// By the names alone.
    pub(super) fn of(names: &'n Names) -> Self {
        Self { names, lineage: Lineage::Forgotten, moved: None }
    }

    /// A file of lines. What is no record, torn or blank, keeps its place and its bytes but for the ids in it.
    pub(crate) fn file(&self, bytes: &[u8]) -> Result<Vec<u8>, RewriteFault> {
        let transcript = Transcript::parse(bytes);
        let mut out = Vec::with_capacity(bytes.len());
        let mut at = 0;
        for (index, node) in transcript.nodes().iter().enumerate() {
            let raw = transcript.fields(index).raw();
            out.extend(self.mentions(&bytes[at..node.span.offset]));
            out.extend(self.record(raw).map_err(|source| RewriteFault { line: node.line, source })?);
            at = node.span.offset + raw.len();
        }
        out.extend(self.mentions(&bytes[at..]));
        Ok(out)
    }

    /// A side file: one object, a list, or lines; what is nothing of that only has its mentions changed.
    pub(super) fn any(&self, bytes: &[u8]) -> Vec<u8> {
        match Value::parse(bytes) {
            Ok(value) if value.fields().is_some() => {
                self.record(bytes).unwrap_or_else(|_| self.mentions(bytes))
            }
            Ok(_) => self.mentions(bytes),
            Err(_) => self.file(bytes).unwrap_or_else(|_| self.mentions(bytes)),
        }
    }

    /// One record.
    pub(crate) fn record(&self, raw: &[u8]) -> Result<Vec<u8>, EditError> {
        let value = Value::parse(raw).map_err(EditError::NotAnObject)?;
        let text = |path: &[&str]| {
            let found = path.iter().try_fold(value, |value, key| value.get(key));
            found.and_then(Value::text).map(|text| text.to_string())
        };
        let mut editor = Editor::new(raw)?;
        let uuid = text(&["uuid"]);
        if let Some(new) = uuid.as_deref().and_then(|uuid| self.names.record(uuid)) {
            editor.replace_string(&[Step::Key("uuid")], new)?;
        }
        for reference in references(value) {
            if let Some(new) = self.names.record(&reference.uuid) {
                editor.replace_string(&reference.path, new)?;
            }
        }
        if text(&["sessionId"]).is_some() {
            editor.replace_string(&[Step::Key("sessionId")], self.names.session().as_str())?;
        }
        for place in
            [&["agentId"][..], &["toolUseResult", "agentId"], &["data", "agentId"], &["parentAgentId"]]
        {
            if let Some(new) = text(place).and_then(|agent| self.names.agent(&agent).map(str::to_owned)) {
                let path: Vec<_> = place.iter().map(|key| Step::Key(key)).collect();
                editor.replace_string(&path, &new)?;
            }
        }
        if let Some(folder) = self.moved.and_then(|moved| moved.follow(&text(&["cwd"])?)) {
            editor.replace_string(&[Step::Key("cwd")], &folder)?;
        }
        if self.lineage != Lineage::Kept {
            editor.remove(&[], "forkedFrom")?;
        }
        let edited = self.mentions(&editor.finish()?);
        match (self.lineage, uuid) {
            (Lineage::Told, Some(uuid)) => self.told(&edited, &uuid),
            _ => Ok(edited),
        }
    }

    /// The record with the session and the line that it comes from, under their old ids.
    fn told(&self, raw: &[u8], uuid: &str) -> Result<Vec<u8>, EditError> {
        let mut from = Vec::new();
        let mut object = ObjectWriter::begin(&mut from);
        object.string("sessionId", self.names.old_session().as_str()).string("messageUuid", uuid);
        object.end();
        let mut editor = Editor::new(raw)?;
        editor.set(&[], "forkedFrom", &from)?;
        editor.finish()
    }

    /// Changes every mention of an id but those in thinking, whose signature holds for these bytes only.
    pub(super) fn mentions(&self, bytes: &[u8]) -> Vec<u8> {
        let mut splices = tokens::ids(bytes, self.names);
        if splices.is_empty() {
            return bytes.to_vec();
        }
        if let Ok(value) = Value::parse(bytes) {
            let mut signed = Vec::new();
            blocks(value, bytes, &|kind| kind.is("thinking") || kind.is("redacted_thinking"), &mut signed);
            splices.retain(|(start, end, _)| !signed.iter().any(|(from, to)| from <= start && end <= to));
        }
        let mut out = Vec::with_capacity(bytes.len());
        let mut at = 0;
        for (start, end, new) in splices {
            // A path's project can reach back over a word that was changed on its own.
            if start < at {
                continue;
            }
            out.extend_from_slice(&bytes[at..start]);
            // What separates the parts of a path is escaped already, and ids need no escapes.
            out.extend_from_slice(new.as_bytes());
            at = end;
        }
        out.extend_from_slice(&bytes[at..]);
        out
    }
}

/// The places of blocks of some types, wherever a copy of a message stands.
pub(crate) fn blocks(
    value: Value<'_>,
    whole: &[u8],
    is_wanted: &dyn Fn(Text<'_>) -> bool,
    found: &mut Vec<(usize, usize)>,
) {
    if let Some(fields) = value.fields() {
        if fields.text("type").is_some_and(is_wanted) {
            let start = value.raw().as_ptr() as usize - whole.as_ptr() as usize;
            found.push((start, start + value.raw().len()));
            return;
        }
        fields.iter().for_each(|field| blocks(field.value, whole, is_wanted, found));
    }
    value.items().for_each(|item| blocks(item, whole, is_wanted, found));
}
