//! Files that calls of the past showed to the model: after a resume, and for commands that print a file.
//!
//! The session tells what was shown. Whether the file still says so is checked when it is changed, not here.

mod shell;

use std::path::Path;
use std::time::UNIX_EPOCH;

use annals_json::Value;
use annals_policy::paths::{Disk, is_refused, resolve};

use super::context::ToolContext;
use super::files::TextFormat;
use super::read_files::{Fingerprint, ReadExtent};
use crate::protocol::PastCall;
use shell::PrintedPart;

/// A line of this many characters may have been cut.
const LONG_LINE: usize = 2000;
/// The most calls that are looked at, the newest ones.
const MAX_CALLS: usize = 10_000;
/// The largest file that is looked at when a command has printed it.
const MAX_BYTES: u64 = 16 << 20;

/// What the session tells of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RecordedFile {
    /// The text as it was shown, with `\n`; `None` if only the time is known.
    text: Option<String>,
    /// The number of its first line.
    first: usize,
    /// When it was shown, in milliseconds since 1970.
    millis: i64,
}

impl RecordedFile {
    /// Returns whether a file still has what was shown.
    pub(super) fn matches(&self, path: &Path, bytes: &[u8], extent: ReadExtent) -> bool {
        let Some(shown) = &self.text else { return self.is_older(path) };
        let Some((_, text)) = TextFormat::read(bytes) else { return false };
        let (text, shown) = (plain(&text), plain(shown));
        match extent {
            ReadExtent::Whole => text == shown,
            ReadExtent::Part => {
                let mut lines = text.split('\n').skip(self.first.saturating_sub(1));
                shown.split('\n').all(|line| lines.next() == Some(line))
            }
        }
    }

    fn is_older(&self, path: &Path) -> bool {
        let changed = std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
        let age = changed.and_then(|changed| changed.duration_since(UNIX_EPOCH).ok());
        age.and_then(|age| i64::try_from(age.as_millis()).ok()).is_some_and(|changed| changed <= self.millis)
    }
}

/// Line breaks and the one at the end are spelled differently by clients.
fn plain(text: &str) -> String {
    text.replace("\r\n", "\n").trim_end_matches('\n').to_owned()
}

/// A file that a call showed.
struct ShownFile {
    path: String,
    text: Option<String>,
    first: usize,
    /// `None`: as much as was known before.
    extent: Option<ReadExtent>,
}

impl ToolContext {
    /// Notes the files that calls of the past showed, in place of those that are known.
    pub(crate) fn restore(&self, calls: &[PastCall]) {
        self.read_files.forget_all();
        for call in &calls[calls.len().saturating_sub(MAX_CALLS)..] {
            self.observe(call);
        }
    }

    /// Notes the file that a call showed, if any.
    pub(crate) fn observe(&self, call: &PastCall) {
        let Some(shown) = shown(call) else { return };
        let path = match (shown.path.strip_prefix("~/"), self.workspace.home()) {
            (Some(below), Some(home)) => home.join(below),
            _ => call.cwd.join(&shown.path),
        };
        let Ok(resolved) = resolve(&Disk, self.workspace.working(), &path) else { return };
        if is_refused(&resolved) {
            return;
        }
        let real = resolved.real;
        let extent = shown.extent.or_else(|| self.read_files.extent_of(&real)).unwrap_or(ReadExtent::Part);
        let recorded = |millis| RecordedFile { text: shown.text, first: shown.first, millis };
        match call.millis {
            Some(millis) => self.read_files.record(&real, recorded(millis), extent),
            None => {
                // It has just been shown: what is there now is what was read.
                if !std::fs::metadata(&real).is_ok_and(|file| file.is_file() && file.len() <= MAX_BYTES) {
                    return;
                }
                let Ok(Some(bytes)) = self.look(&real) else { return };
                let is_whole = extent == ReadExtent::Whole
                    && recorded(i64::MIN).matches(&real, &bytes, ReadExtent::Whole);
                let extent = if is_whole { ReadExtent::Whole } else { ReadExtent::Part };
                self.read_files.note(&real, Fingerprint::of(&bytes), extent);
            }
        }
    }
}

/// Returns the file that a call showed.
fn shown(call: &PastCall) -> Option<ShownFile> {
    let input = Value::parse(&call.input).ok();
    let kept = Value::parse(&call.kept).ok();
    match call.tool.as_str() {
        "Read" => read(input, kept),
        "Write" => {
            let from = kept.filter(|kept| kept.get("filePath").is_some());
            let path = text(from, "filePath").or_else(|| text(input, "file_path"))?;
            let content = text(from, "content").or_else(|| text(input, "content"));
            Some(ShownFile { path, text: content, first: 1, extent: Some(ReadExtent::Whole) })
        }
        "Edit" | "MultiEdit" => {
            let path = text(kept, "filePath").or_else(|| text(input, "file_path"))?;
            Some(ShownFile { path, text: edited(kept), first: 1, extent: None })
        }
        "NotebookEdit" => {
            let path = text(kept, "notebook_path").or_else(|| text(input, "notebook_path"))?;
            Some(ShownFile { path, text: None, first: 1, extent: None })
        }
        "Bash" => printed(input, kept?),
        _ => None,
    }
}

fn read(input: Option<Value<'_>>, kept: Option<Value<'_>>) -> Option<ShownFile> {
    let is_asked = ["offset", "limit"].iter().any(|key| input.is_some_and(|input| input.get(key).is_some()));
    let part = is_asked.then_some(ReadExtent::Part);
    let Some(file) = kept.and_then(|kept| kept.get("file")) else {
        // Other programs keep no result: the time has to do.
        let path = kept.is_none().then(|| text(input, "file_path")).flatten()?;
        return Some(ShownFile { path, text: None, first: 1, extent: part.or(Some(ReadExtent::Whole)) });
    };
    let (path, kind) = (text(Some(file), "filePath")?, text(kept, "type")?);
    if kind == "notebook" {
        return Some(ShownFile { path, text: None, first: 1, extent: Some(ReadExtent::Whole) });
    }
    let content = text(Some(file), "content").filter(|_| kind == "text")?;
    let count =
        |key: &str| file.get(key).and_then(Value::count).and_then(|count| usize::try_from(count).ok());
    let first = count("startLine").unwrap_or(1).max(1);
    let is_cut = content.split('\n').any(|line| line.chars().count() == LONG_LINE);
    let is_whole = first == 1 && !is_cut && count("numLines")? >= count("totalLines")?;
    // Without having asked for a part, the model may not know that there is more.
    let extent = if is_whole { ReadExtent::Whole } else { part.filter(|_| !is_cut)? };
    Some(ShownFile { path, text: Some(content), first, extent: Some(extent) })
}

/// Returns the text after an edit, if the session has the one before it.
fn edited(kept: Option<Value<'_>>) -> Option<String> {
    let (original, old) = (text(kept, "originalFile")?, text(kept, "oldString")?);
    let new = text(kept, "newString")?;
    let is_all = kept.and_then(|kept| kept.get("replaceAll")).and_then(Value::boolean) == Some(true);
    match old.as_str() {
        "" => Some(new),
        // Quotes may have been matched loosely: then the time has to do.
        old if !original.contains(old) => None,
        old if is_all => Some(original.replace(old, &new)),
        old => Some(original.replacen(old, &new, 1)),
    }
}

/// Returns the file that a command printed.
fn printed(input: Option<Value<'_>>, kept: Value<'_>) -> Option<ShownFile> {
    let output = text(Some(kept), "stdout").filter(|output| !output.trim().is_empty())?;
    let (path, part) = shell::printed_file(&text(input, "command")?)?;
    // Only the beginning of a long output is kept.
    let is_long = kept.get("persistedOutputPath").is_some() || kept.get("backgroundTaskId").is_some();
    let (text, extent) = match part {
        PrintedPart::Whole if !is_long => (Some(output), ReadExtent::Whole),
        PrintedPart::Beginning if !is_long => (Some(output), ReadExtent::Part),
        _ => (None, ReadExtent::Part),
    };
    Some(ShownFile { path, text, first: 1, extent: Some(extent) })
}

fn text(value: Option<Value<'_>>, key: &str) -> Option<String> {
    value?.get(key)?.text().map(|text| text.decode().into_owned())
}
