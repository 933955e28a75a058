//! Exact text, found in the files themselves.

use annals_index::IndexedFileRole;
use annals_index::search::{ExactFile, Hit, MAX_COUNTED, SearchResults, find_exact};
use annals_store::{Discovery, FileRole, SessionEntry, SessionKey, SideFile};

use super::filters;
use crate::args::SearchArgs;
use crate::context::Context;
use crate::error::Fault;

pub(super) fn find(args: &SearchArgs, context: &mut Context) -> Result<SearchResults, Fault> {
    let text = args.query.join(" ");
    if text.is_empty() {
        return Err(Fault::usage("the query is empty"));
    }
    let filters = filters(args, context)?;
    let discovery = context.discover();
    // Newest first: those are the likeliest hits.
    let mut files: Vec<_> = discovery.sessions.iter().map(SearchedFile::of).collect();
    files.extend(discovery.agents.iter().map(|agent| SearchedFile {
        agent: Some(agent.key.to_string()),
        session: agent.session.as_ref().map(ToString::to_string).unwrap_or_default(),
        role: IndexedFileRole::Agent,
        ..SearchedFile::of(&agent.as_session())
    }));
    files.extend(discovery.side_files.iter().filter_map(SearchedFile::of_side_file));
    files.sort_by(|left, right| right.modified.cmp(&left.modified).then_with(|| left.path.cmp(&right.path)));
    let looked: Vec<_> = files.iter().map(|file| file.to_search(&discovery)).collect();
    let mut found = SearchResults::default();
    let most = MAX_COUNTED.max(args.limit);
    for (file, hits) in files.iter().zip(find_exact(&looked, &text, most, &filters)) {
        let hits = match hits {
            Ok(hits) => hits,
            Err(error) => {
                context.note_unread([error.problem()]);
                continue;
            }
        };
        for hit in hits {
            found.total += 1;
            if found.hits.len() < args.limit {
                found.hits.push(Hit {
                    session: file.session.clone(),
                    agent: file.agent.clone(),
                    slug: file.slug.clone(),
                    is_there: true,
                    score: 1.0,
                    is_cut: false,
                    file: hit.file,
                    line: hit.line,
                    offset: hit.offset,
                    block: hit.block,
                    uuid: hit.uuid,
                    role: hit.role,
                    kind: hit.kind,
                    tool: hit.tool,
                    call: hit.call,
                    millis: hit.millis,
                    snippet: hit.snippet,
                });
            }
        }
    }
    // Files are searched in parallel, so the exact number beyond the limit is not known.
    found.is_more = found.total >= most as u64;
    found.total = found.total.min(most as u64);
    Ok(found)
}

/// A file with the session that it belongs to.
struct SearchedFile {
    path: std::path::PathBuf,
    session: String,
    slug: String,
    agent: Option<String>,
    modified: Option<i64>,
    role: IndexedFileRole,
}

impl SearchedFile {
    fn of(entry: &SessionEntry) -> Self {
        Self {
            path: entry.path.clone(),
            session: entry.key.to_string(),
            slug: entry.slug.to_string(),
            agent: None,
            modified: entry.modified,
            role: IndexedFileRole::Session,
        }
    }

    /// The other files that the index has the words of.
    fn of_side_file(file: &SideFile) -> Option<Self> {
        let role = match file.role {
            FileRole::ToolResult { .. } => IndexedFileRole::Output,
            FileRole::Plan { .. } => IndexedFileRole::Plan,
            FileRole::Memory { .. } => IndexedFileRole::Memory,
            FileRole::PasteCache { .. } => IndexedFileRole::Paste,
            FileRole::History => IndexedFileRole::History,
            _ => return None,
        };
        let name = |key: Option<&str>| key.unwrap_or_default().to_owned();
        Some(Self {
            path: file.path.clone(),
            session: name(file.role.session().map(|session| session.as_str())),
            slug: name(file.role.slug().map(|slug| slug.as_str())),
            agent: None,
            modified: file.modified,
            role,
        })
    }

    fn to_search(&self, discovery: &Discovery) -> ExactFile {
        let mut owners = Vec::new();
        if self.role == IndexedFileRole::Output {
            let key = SessionKey::new(self.session.as_str());
            owners.extend(discovery.sessions_named(&key).map(|session| session.path.clone()));
            owners.extend(discovery.agents_of(&key).map(|agent| agent.path.clone()));
        }
        ExactFile { path: self.path.clone(), slug: self.slug.clone(), role: self.role, owners }
    }
}
