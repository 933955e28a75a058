//! Finds exact substrings by searching the files themselves, without the index: the same files that the index has.

mod calls;
mod project;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use annals_json::{Value, write_string};
use annals_store::parallel;
use annals_store::read::{ReadError, read_file};
use annals_transcript::line::lines;
use annals_transcript::record_lines::LineFinder;
use memchr::memmem::Finder;

use self::calls::Calls;
use self::project::is_of_project;
use super::highlight::HighlightedText;
use super::query::Filter;
use crate::cursor::FileStamp;
use crate::extract::{IndexedFileRole, LineBlocks, MessageKind, MessageRole, text_of_block};

/// A file to search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExactFile {
    pub path: PathBuf,
    /// The folder of its project.
    pub slug: String,
    /// What it is; files of one text are searched as they are.
    pub role: IndexedFileRole,
    /// For an output: the files whose results may name it, those of its session.
    pub owners: Vec<PathBuf>,
}

/// A block that contains the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExactHit {
    /// The file's path.
    pub file: PathBuf,
    /// The line, counted from 1.
    pub line: u64,
    /// The offset of the line in the file.
    pub offset: u64,
    /// The number of the block in its line, from 0.
    pub block: u32,
    /// Who produced the message.
    pub role: MessageRole,
    /// The kind of the message.
    pub kind: MessageKind,
    /// The tool that was called or answered.
    pub tool: Option<String>,
    pub is_error: bool,
    /// When, in milliseconds since 1970.
    pub millis: Option<i64>,
    /// The record's uuid.
    pub uuid: Option<String>,
    /// The call that an output file belongs to; its tool and the record of its result are those of the hit.
    pub call: Option<String>,
    /// The session that a prompt of `history.jsonl` names.
    pub session: Option<String>,
    /// The text around the match.
    pub snippet: HighlightedText,
}

impl ExactHit {
    /// Whether a filter accepts it. Filters that a single block cannot decide accept everything.
    fn passes(&self, filter: &Filter) -> bool {
        match filter {
            Filter::MessageRole(role) => self.role == *role,
            Filter::Kinds(kinds) => kinds.contains(&self.kind),
            Filter::Tool(tool) => self.tool.as_ref().is_some_and(|name| name.eq_ignore_ascii_case(tool)),
            Filter::Before(millis) => self.millis.is_some_and(|time| time < *millis),
            Filter::After(millis) => self.millis.is_some_and(|time| time >= *millis),
            Filter::Error(is_error) => self.is_error == *is_error,
            Filter::Project(_) | Filter::Session(_) | Filter::File(_) => true,
        }
    }
}

/// Finds the messages that contain the text literally and pass the filters; filters by session and by path of a call are up
/// to the caller's choice of files. Results are in the order of `files`. After `most` hits no further file is read.
pub fn find_exact(
    files: &[ExactFile],
    text: &str,
    most: usize,
    filters: &[Filter],
) -> Vec<Result<Vec<ExactHit>, ReadError>> {
    let needles = spellings(text);
    let finders: Vec<Finder<'_>> = needles.iter().map(Finder::new).collect();
    // Files are started in order, so every file that was read comes before every file that was not.
    let found = AtomicUsize::new(0);
    parallel::map(files, |file| {
        if found.load(Ordering::Relaxed) >= most {
            return Ok(Vec::new());
        }
        let bytes = read_file(&file.path)?;
        let mut hits = match file.role {
            IndexedFileRole::Session | IndexedFileRole::Agent => in_file(&file.path, &bytes, text, &finders),
            IndexedFileRole::History => in_history(&file.path, &bytes, text, &finders),
            IndexedFileRole::CustomTitle => {
                let title = text_of_block(file.role, &bytes, 0).unwrap_or_default();
                in_text(file, title.as_bytes(), text)
            }
            _ => in_text(file, &bytes, text),
        };
        hits.retain(|hit| filters.iter().all(|filter| hit.passes(filter)));
        let is_elsewhere = |filter: &Filter| match filter {
            Filter::Project(project) => !is_of_project(&file.slug, &bytes, project),
            _ => false,
        };
        if !hits.is_empty() && filters.iter().any(is_elsewhere) {
            hits.clear();
        }
        found.fetch_add(hits.len(), Ordering::Relaxed);
        Ok(hits)
    })
}

/// The spellings of a text in JSON: the usual one, and with all non-ASCII characters escaped.
fn spellings(text: &str) -> Vec<Vec<u8>> {
    let mut quoted = Vec::new();
    write_string(&mut quoted, text);
    let usual = quoted[1..quoted.len() - 1].to_vec();
    let mut all = vec![usual];
    if !text.is_ascii() {
        let mut escaped = String::new();
        for letter in String::from_utf8_lossy(&all[0]).chars() {
            match letter.is_ascii() {
                true => escaped.push(letter),
                false => letter
                    .encode_utf16(&mut [0; 2])
                    .iter()
                    .for_each(|unit| escaped.push_str(&format!("\\u{unit:04x}"))),
            }
        }
        all.push(escaped.into_bytes());
    }
    all
}

fn in_file(path: &Path, bytes: &[u8], text: &str, finders: &[Finder<'_>]) -> Vec<ExactHit> {
    let (mut hits, mut blocks, mut calls) = (Vec::new(), LineBlocks::new(), Calls::of(bytes));
    let (mut at, mut lines) = (0, LineFinder::new(bytes));
    let (mut line, mut counted) = (1_u64, 0);
    while let Some(found) = finders.iter().filter_map(|finder| finder.find(&bytes[at..])).min() {
        let place = at + found;
        let Range { start, end } = lines.around(place);
        line += memchr::memchr_iter(b'\n', &bytes[counted..start]).count() as u64;
        counted = start;
        for block in blocks.of(&bytes[start..end]) {
            if let Some(place) = block.text.find(text) {
                hits.push(ExactHit {
                    file: path.to_path_buf(),
                    line,
                    offset: start as u64,
                    block: block.block,
                    role: block.role,
                    kind: block.kind,
                    tool: block.tool.or_else(|| calls.tool(block.call.as_deref()?)),
                    is_error: block.is_error,
                    millis: block.millis,
                    uuid: block.uuid.as_deref().map(super::hit::long_uuid),
                    call: None,
                    session: None,
                    snippet: around(&block.text, place, text.len()),
                });
            }
        }
        at = end;
    }
    hits
}

/// Prompts of `history.jsonl`.
fn in_history(path: &Path, bytes: &[u8], text: &str, finders: &[Finder<'_>]) -> Vec<ExactHit> {
    let mut hits = Vec::new();
    for line in lines(bytes).filter(|line| finders.iter().any(|finder| finder.find(line.body()).is_some())) {
        let Some(prompt) = text_of_block(IndexedFileRole::History, line.body(), 0) else { continue };
        let Some(place) = prompt.find(text) else { continue };
        let entry = Value::parse(line.body()).ok();
        let time = entry.and_then(|entry| entry.get("timestamp")?.number());
        let session = entry.and_then(|entry| Some(entry.get("sessionId")?.text()?.to_string()));
        hits.push(ExactHit {
            file: path.to_path_buf(),
            line: line.number as u64,
            offset: line.offset as u64,
            block: 0,
            role: MessageRole::Human,
            kind: MessageKind::Prompt,
            tool: None,
            is_error: false,
            millis: time.map(|millis| millis as i64),
            uuid: None,
            call: None,
            session,
            snippet: around(&prompt, place, text.len()),
        });
    }
    hits
}

/// A file of one text: one hit, at the line of the first match.
fn in_text(file: &ExactFile, bytes: &[u8], text: &str) -> Vec<ExactHit> {
    let whole = String::from_utf8_lossy(bytes);
    let Some(place) = whole.find(text) else { return Vec::new() };
    let start = whole[..place].rfind('\n').map_or(0, |newline| newline + 1);
    let (role, kind) = file.role.message();
    let owner = match file.role {
        IndexedFileRole::Output => calls::owner_of_output(file),
        _ => None,
    };
    let (call, tool, uuid) =
        owner.map_or((None, None, None), |owner| (Some(owner.call), owner.tool, owner.uuid));
    let modified = std::fs::metadata(&file.path).ok().map(|metadata| FileStamp::at(&metadata).modified);
    vec![ExactHit {
        file: file.path.clone(),
        line: memchr::memchr_iter(b'\n', &whole.as_bytes()[..start]).count() as u64 + 1,
        offset: start as u64,
        block: 0,
        role,
        kind,
        tool,
        is_error: false,
        millis: modified.map(|nanos| nanos / 1_000_000),
        uuid,
        call,
        session: None,
        snippet: around(&whole, place, text.len()),
    }]
}

/// The text around a match.
fn around(text: &str, place: usize, length: usize) -> HighlightedText {
    super::snippet::one_line_snippet(
        text,
        super::snippet::window(text, place),
        std::slice::from_ref(&(place..place + length)),
    )
}
