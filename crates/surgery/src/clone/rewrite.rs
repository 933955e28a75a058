//! Rewrites lines under new ids: known fields, and every other mention of an id.

use std::path::Path;

use annals_json::edit::{EditError, Editor, PathStep, Splice};
use annals_json::{ObjectWriter, Value};
use annals_transcript::transcript::Transcript;
use memchr::memmem;

use super::ClonePlanError;
use super::id_map::IdMap;
use super::tokens;
use crate::folder_move::FolderMove;
use crate::relink::references;
use crate::session::Session;

/// What to do with `forkedFrom`, the origin of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ForkOrigin {
    /// Remove it: a clone is independent of its original.
    Remove,
    /// Write it, with the session and the record.
    Write,
    /// Leave it as it is.
    Keep,
}

/// The move from the session's working directory: the one that has its project's name, else the first.
pub(crate) fn moved_to(session: &Session, new: &str) -> Option<FolderMove> {
    let transcript = session.transcript();
    let text = |value: Value<'_>| value.text().map(|text| text.to_string());
    let folders: Vec<String> =
        transcript.indices().filter_map(|node| transcript.fields(node).get("cwd").and_then(text)).collect();
    let slug = session.home.as_ref().map(|(_, slug)| slug.as_str());
    let own = folders.iter().find(|folder| Some(annals_store::project_slug(folder).as_str()) == slug);
    Some(FolderMove::new(own.or(folders.first())?, new))
}

/// A line that could not be rewritten.
pub(crate) struct RewriteError {
    pub(crate) line: u32,
    pub(crate) source: EditError,
}

impl RewriteError {
    pub(super) fn at(self, path: &Path) -> ClonePlanError {
        ClonePlanError::Edit { path: path.to_path_buf(), line: self.line, source: self.source }
    }
}

/// Rewrites the lines of a session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineRewriter<'n> {
    pub(crate) names: &'n IdMap,
    pub(crate) fork_origin: ForkOrigin,
    pub(crate) moved: Option<&'n FolderMove>,
}

impl<'n> LineRewriter<'n> {
    /// A rewriter that only changes ids.
    pub(super) fn of(names: &'n IdMap) -> Self {
        Self { names, fork_origin: ForkOrigin::Remove, moved: None }
    }

    /// Rewrites a file of lines. In torn and blank lines only ids are replaced.
    pub(crate) fn file(&self, bytes: &[u8]) -> Result<Vec<u8>, RewriteError> {
        let transcript = Transcript::parse(bytes);
        let mut out = Vec::with_capacity(bytes.len());
        let mut at = 0;
        for (index, node) in transcript.indexed_nodes() {
            let raw = transcript.fields(index).raw();
            self.write_mentions(&bytes[at..node.span.offset], &mut out);
            self.write_record(raw, &mut out).map_err(|source| RewriteError { line: node.line, source })?;
            at = node.span.offset + raw.len();
        }
        self.write_mentions(&bytes[at..], &mut out);
        Ok(out)
    }

    /// Rewrites a side file: one object, a list, or lines; in anything else only ids are replaced.
    pub(super) fn any(&self, bytes: &[u8]) -> Vec<u8> {
        match Value::parse(bytes) {
            Ok(value) if value.fields().is_some() => {
                self.record(bytes).unwrap_or_else(|_| self.mentions(bytes))
            }
            Ok(_) => self.mentions(bytes),
            Err(_) => self.file(bytes).unwrap_or_else(|_| self.mentions(bytes)),
        }
    }

    pub(crate) fn record(&self, raw: &[u8]) -> Result<Vec<u8>, EditError> {
        let mut out = Vec::with_capacity(raw.len());
        self.write_record(raw, &mut out).map(|()| out)
    }

    /// Appends a record under the new ids, without a copy in between: a record may be very long.
    fn write_record(&self, raw: &[u8], out: &mut Vec<u8>) -> Result<(), EditError> {
        let value = Value::parse(raw).map_err(EditError::NotAnObject)?;
        let text = |path: &[&str]| {
            let found = path.iter().try_fold(value, |value, key| value.get(key));
            found.and_then(Value::text).map(|text| text.to_string())
        };
        let mut editor = Editor::new(raw)?;
        let uuid = text(&["uuid"]);
        if let Some(new) = uuid.as_deref().and_then(|uuid| self.names.record(uuid)) {
            editor.replace_string(&[PathStep::Key("uuid")], new)?;
        }
        for reference in references(value) {
            if let Some(new) = self.names.record(&reference.uuid) {
                editor.replace_string(&reference.path, new)?;
            }
        }
        // Under its own id, a session keeps lines that name another.
        if text(&["sessionId"]).is_some() && self.names.session() != self.names.old_session() {
            editor.replace_string(&[PathStep::Key("sessionId")], self.names.session().as_str())?;
        }
        for place in
            [&["agentId"][..], &["toolUseResult", "agentId"], &["data", "agentId"], &["parentAgentId"]]
        {
            if let Some(new) = text(place).and_then(|agent| self.names.agent(&agent).map(str::to_owned)) {
                let path: Vec<_> = place.iter().map(|key| PathStep::Key(key)).collect();
                editor.replace_string(&path, &new)?;
            }
        }
        if let Some(folder) = self.moved.and_then(|moved| moved.follow(&text(&["cwd"])?)) {
            editor.replace_string(&[PathStep::Key("cwd")], &folder)?;
        }
        if self.fork_origin != ForkOrigin::Keep {
            editor.remove(&[], "forkedFrom")?;
        }
        let mut edits = editor.into_splices()?;
        if let (ForkOrigin::Write, Some(uuid)) = (self.fork_origin, uuid) {
            let end = raw.trim_ascii_end().len().saturating_sub(1);
            edits.push(Splice { start: end, end, bytes: self.fork_origin_field(&uuid) });
        }
        self.write_spliced(raw, edits, out);
        Ok(())
    }

    /// The last field of a forked record: the session and the record that it comes from, by their old ids.
    fn fork_origin_field(&self, uuid: &str) -> Vec<u8> {
        let mut field = b",\"forkedFrom\":".to_vec();
        let mut object = ObjectWriter::begin(&mut field);
        object.string("sessionId", self.names.old_session().as_str()).string("messageUuid", uuid);
        object.end();
        field
    }

    /// Replaces every mention of an id except in thinking blocks, whose signature covers their bytes.
    pub(super) fn mentions(&self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len());
        self.write_mentions(bytes, &mut out);
        out
    }

    fn write_mentions(&self, bytes: &[u8], out: &mut Vec<u8>) {
        self.write_spliced(bytes, Vec::new(), out);
    }

    /// Whether replacing every mention in the old bytes gives the new ones.
    pub(super) fn renames(&self, old: &[u8], new: &[u8]) -> bool {
        let (mut at, mut rest) = (0, new);
        for (start, end, id) in self.mention_splices(old) {
            if start < at {
                continue;
            }
            let before = rest.strip_prefix(&old[at..start]);
            let Some(after) = before.and_then(|rest| rest.strip_prefix(id.as_bytes())) else { return false };
            (at, rest) = (end, after);
        }
        *rest == old[at..]
    }

    /// Appends bytes with these edits, which are in order, and with every other mention of an id replaced.
    fn write_spliced(&self, bytes: &[u8], edits: Vec<Splice>, out: &mut Vec<u8>) {
        let mut at = 0;
        let mut write = |start: usize, end: usize, new: &[u8]| {
            // What is edited has its ids already, and the project in a path can overlap a word that was replaced before.
            if start >= at {
                out.extend_from_slice(&bytes[at..start]);
                out.extend_from_slice(new);
                at = end;
            }
        };
        let mut edits = edits.into_iter().peekable();
        for (start, end, id) in self.mention_splices(bytes) {
            while let Some(edit) = edits.next_if(|edit| edit.start < end) {
                write(edit.start, edit.end, &edit.bytes);
            }
            // Path separators are escaped already, and ids need no escapes.
            write(start, end, id.as_bytes());
        }
        edits.for_each(|edit| write(edit.start, edit.end, &edit.bytes));
        out.extend_from_slice(&bytes[at..]);
    }

    /// The mentions of ids, in order.
    fn mention_splices(&self, bytes: &[u8]) -> Vec<tokens::Splice> {
        let mut splices = tokens::ids(bytes, self.names);
        if !splices.is_empty()
            && let Ok(value) = Value::parse(bytes)
        {
            let signed = blocks(value, bytes, &["thinking", "redacted_thinking"]);
            splices.retain(|(start, end, _)| !signed.iter().any(|(from, to)| from <= start && end <= to));
        }
        splices
    }
}

/// Deeper values than any client writes are not looked into: each level is read again for the next.
const MAX_DEPTH: usize = 64;

/// The byte ranges of blocks of these types, in every copy of a message.
pub(crate) fn blocks(value: Value<'_>, whole: &[u8], types: &[&str]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut open = vec![(value, 0)];
    while let Some((value, depth)) = open.pop() {
        let raw = value.raw();
        let has = |part: &[u8]| memmem::find(raw, part).is_some();
        // A name may be written with escapes.
        if depth > MAX_DEPTH || !(types.iter().any(|name| has(name.as_bytes())) || has(b"\\u")) {
            continue;
        }
        if let Some(fields) = value.fields() {
            if fields.text("type").is_some_and(|kind| types.iter().any(|name| kind.is(name))) {
                let start = raw.as_ptr() as usize - whole.as_ptr() as usize;
                found.push((start, start + raw.len()));
                continue;
            }
            open.extend(fields.iter().map(|field| (field.value, depth + 1)));
        }
        open.extend(value.items().map(|item| (item, depth + 1)));
    }
    found
}
