//! Opens a session for the viewer: its files are read once, with their long texts cut, to know what is in them; what is shown is
//! read from the files, page by page.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annals_store::ShortenedFile;
use annals_store::overflow::with_outputs;
use annals_store::partial_read::{read_first_lines, read_parts};
use annals_transcript::transcript::Transcript;
use annals_tui::{NestedConversation, OpenSession, PageSource, PagedConversation, branch_name};
use annals_ui::view::{
    BranchDetail, Conversation, ConversationMap, ConversationPlanner, Item, ItemBody, RecordSpan, ViewOptions,
};

use crate::error::Fault;
use crate::session::{ResolvedSession, SessionWithAgents};

/// How much of a large session is its beginning.
const BEGINNING_BYTES: usize = 256 << 10;
/// The maximum nesting of sub-agents; deeper ones come at the end.
const MAX_DEPTH: usize = 24;

/// Reads the beginning of a session, without its sub-agents.
pub(super) fn open_beginning(path: &Path) -> Option<OpenSession> {
    let bytes = with_outputs(read_first_lines(path, BEGINNING_BYTES).ok()?, path);
    let transcript = Transcript::parse(&bytes);
    let conversation = Conversation::build(&transcript, &[], ViewOptions { branches: BranchDetail::Full });
    let is_empty = conversation.items.is_empty();
    let read = OpenSession { conversation: conversation.into(), bytes: 0, is_beginning: true };
    Some(read).filter(|_| !is_empty)
}

/// Reads a session with its sub-agents and its branches.
pub(super) fn open(path: &Path) -> Result<OpenSession, Fault> {
    let target = ResolvedSession::of_path(path);
    let main = ShortenedFile::read(&target.path)?;
    let mut cut: HashMap<PathBuf, ShortenedFile> = HashMap::new();
    let files = target.agents_by(&mut |path| {
        let mut file = ShortenedFile::read(path)?;
        let bytes = std::mem::take(&mut file.bytes);
        cut.insert(path.to_path_buf(), file);
        Ok(bytes)
    });
    let family = SessionWithAgents::new(&main.bytes, &files);
    let mut threads = Threads { family: &family, files: &cut, by_call: HashMap::new(), is_taken: Vec::new() };
    threads.is_taken.resize(family.agents.len(), false);
    for (at, (_, _, link)) in family.agents.iter().enumerate() {
        if let Some((_, spawn)) = family.spawn_of(link) {
            threads.by_call.entry(&spawn.tool_use).or_default().push(at);
        }
    }
    let mut conversation = threads.of_file(&target.path, &main, &family.main, 0);
    for at in 0..family.agents.len() {
        if let Some((name, label, agent)) = threads.take(at, 0) {
            conversation.attach_at_end(name, label, agent);
        }
    }
    Ok(OpenSession { conversation, bytes: main.file_bytes, is_beginning: false })
}

/// The conversations of a session's files, each sub-agent given to the call that started it, once.
struct Threads<'f> {
    family: &'f SessionWithAgents<'f>,
    files: &'f HashMap<PathBuf, ShortenedFile>,
    by_call: HashMap<&'f str, Vec<usize>>,
    is_taken: Vec<bool>,
}

impl Threads<'_> {
    fn take(&mut self, at: usize, depth: usize) -> Option<(String, String, PagedConversation)> {
        let family = self.family;
        let (file, transcript, _) = family.agents.get(at)?;
        if std::mem::replace(&mut self.is_taken[at], true) {
            return None;
        }
        let cut = self.files.get(&file.entry.path)?;
        let conversation = self.of_file(&file.entry.path, cut, transcript, depth);
        Some((file.entry.key.to_string(), file.label().unwrap_or_default(), conversation))
    }

    /// The conversation of a file, with its branches and the sub-agents that it started.
    fn of_file(
        &mut self,
        path: &Path,
        file: &ShortenedFile,
        transcript: &Transcript<'_>,
        depth: usize,
    ) -> PagedConversation {
        let planner = ConversationPlanner::new(transcript);
        let mut branches: Vec<(usize, usize, String)> = Vec::new();
        let mut main = self.paged(path, file, depth, &mut |see| Some(planner.main(see)), &mut branches);
        for (item, line, label) in branches {
            let plan = &mut |see: &mut SeeItem<'_>| planner.branch(line, see);
            let conversation = self.paged(path, file, depth, plan, &mut Vec::new());
            let name = branch_name(line);
            main.attach(NestedConversation { item, name, label, is_agent: false, conversation });
        }
        main
    }

    /// What a map is about, and the branches that begin there: item, line and how each begins.
    fn paged(
        &mut self,
        path: &Path,
        file: &ShortenedFile,
        depth: usize,
        plan: &mut dyn FnMut(&mut SeeItem<'_>) -> Option<ConversationMap>,
        branches: &mut Vec<(usize, usize, String)>,
    ) -> PagedConversation {
        let mut paged = PagedConversation::default();
        let mut agents = Vec::new();
        let map = plan(&mut |item, place| {
            let at = paged.len();
            paged.add(item, place.window);
            match &item.body {
                ItemBody::ToolCall(call) => {
                    let started = self.by_call.get(call.id.as_str()).into_iter().flatten();
                    agents.extend(started.map(|agent| (at, *agent)));
                }
                ItemBody::Branch(branch) => {
                    branches.extend(branch.ways.iter().map(|way| (at, way.line, way.opening.clone())));
                }
                _ => {}
            }
        });
        let pages = FilePages::new(path, file, map.unwrap_or_default());
        for (item, agent) in agents.into_iter().filter(|_| depth < MAX_DEPTH) {
            if let Some((name, label, conversation)) = self.take(agent, depth + 1) {
                paged.attach(NestedConversation { item, name, label, is_agent: true, conversation });
            }
        }
        paged.with_source(Arc::new(pages))
    }
}

/// Gets every item, and where it is.
type SeeItem<'s> = dyn FnMut(&Item, annals_ui::view::ItemPlace) + 's;

/// The pages of a conversation: windows of its file.
#[derive(Debug)]
struct FilePages {
    path: PathBuf,
    map: ConversationMap,
}

impl FilePages {
    /// The pages of a map that was made of a shortened file.
    fn new(path: &Path, file: &ShortenedFile, mut map: ConversationMap) -> Self {
        map.relocate(|record| {
            let (offset, length) = file.span_in_file(record.offset, u64::from(record.length));
            RecordSpan { offset, length: u32::try_from(length).unwrap_or(u32::MAX), ..record }
        });
        Self { path: path.to_path_buf(), map }
    }
}

impl PageSource for FilePages {
    fn page(&self, number: usize) -> Result<Vec<Item>, String> {
        let Some(plan) = self.map.windows.get(number) else { return Ok(Vec::new()) };
        let parts = plan.records.iter().map(|record| (record.offset, record.length));
        let records = read_parts(&self.path, parts).map_err(|error| error.to_string())?;
        let records: Vec<_> = records.into_iter().map(|record| with_outputs(record, &self.path)).collect();
        Ok(self.map.window(plan, &records).items)
    }
}

#[cfg(test)]
mod tests;
