//! Pages over a team's sessions: each reader sees what their token lets them read.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use annals_index::MessageKind;
use annals_index::search::{Query, SessionCard, SessionHits, SessionLimits, SessionResults};
use annals_store::project_path::{Evidence, ProjectPath};
use annals_store::source::Clock as _;
use annals_store::{DataDir, Summary};
use annals_team::access::TokenChecker;
use annals_team::query::{
    NewestSession, ReadRight, Scope, SessionFacts, TokenKind, TokenOwner, facts_of_sessions, newest_sessions,
    owners, search, tool_calls, usage, usage_of_sessions,
};
use annals_team::{Engine, EngineError};
use annals_transcript::price::Prices;
use annals_transcript::title::TitleSource;
use annals_transcript::usage::{FileIndex, UsageItem};
use annals_vault::UnpackDir;
use annals_web::{
    Library, Reader, ReaderAccess, ReaderRefusal, RemoteError, RemoteFiles, RemoteListing, RemoteSession,
    RemoteSessions, RemoteUsage, Theme, ToolCount,
};
use jiff::tz::TimeZone;

use super::copies::{SessionCopies, failure};
use super::copy_cleaner::CopyCleaner;
use crate::source::SystemSource;
use crate::team::with_right;

/// The most sessions of a list.
const MAX_LISTED: usize = 2000;
/// Sessions that are asked about at once: their names are sent with the question.
const AT_ONCE: usize = 500;
/// How old the figures of a page may be.
const MAX_AGE: Duration = Duration::from_secs(10);

/// Knows the readers of a team.
pub(super) struct TeamReaders {
    pub(super) tokens: Arc<TokenChecker>,
    pub(super) engine: Engine,
    pub(super) folder: Arc<UnpackDir>,
    pub(super) prices: Prices,
    pub(super) zone: TimeZone,
    pub(super) theme: Theme,
    pub(super) source: SystemSource,
    pub(super) count: AtomicU64,
    pub(super) cleaner: Arc<CopyCleaner>,
}

impl ReaderAccess for TeamReaders {
    fn reader(&self, token: &str, sender: IpAddr) -> Result<Reader, ReaderRefusal> {
        let is_reader = |owner: &TokenOwner| owner.kind != TokenKind::Machine;
        let owner = self.tokens.owner(Some(token), &sender.to_string(), self.source.now(), is_reader);
        let owner = owner.map_err(|error| {
            let reason = match error.status {
                401 => "This token cannot read sessions.".to_owned(),
                429 => "Too many attempts. Wait a moment.".to_owned(),
                _ => format!("Login is not possible now: {}.", error.reason),
            };
            ReaderRefusal { status: error.status, reason }
        })?;
        let key = [owner.tenant.as_str(), owner.kind.name(), owner.name.as_str()].join("\0");
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let (folder, root) = (self.folder.path().join(format!("reader-{number}")), Arc::clone(&self.folder));
        let (engine, right) = (self.engine.for_tenant(&owner.tenant), owner.reads());
        let (prices, zone, theme, source) = (self.prices.clone(), self.zone.clone(), self.theme, self.source);
        let cleaner = Arc::clone(&self.cleaner);
        let library = move || {
            let data = DataDir::new(folder.join("data"));
            let copies = Arc::new(Mutex::new(SessionCopies::new(folder)));
            cleaner.add(engine.clone(), &copies);
            let sessions =
                TeamSessions { engine, right, copies, known_usage: Mutex::default(), _folder: root };
            let library = Library::new(Vec::new(), data, prices, zone, Arc::new(source));
            library.with_remote(sessions).with_theme(theme)
        };
        Ok(Reader { key, library: Box::new(library) })
    }
}

/// The sessions that one reader may read. Rights are looked up with each query.
#[derive(Debug)]
struct TeamSessions {
    engine: Engine,
    right: ReadRight,
    copies: Arc<Mutex<SessionCopies>>,
    known_usage: Mutex<Option<(Instant, Arc<RemoteUsage>)>>,
    /// Copies are below it.
    _folder: Arc<UnpackDir>,
}

impl TeamSessions {
    fn engine(&self) -> Result<Engine, EngineError> {
        with_right(self.engine.clone(), &self.right)
    }

    fn newest(&self) -> Result<RemoteListing, EngineError> {
        let (engine, scope) = (self.engine()?, Scope::default());
        let (newest, total) = newest_sessions(&engine, MAX_LISTED)?;
        let people = owners(&engine)?;
        let mut listing = RemoteListing { left_out: total - newest.len() as u64, ..RemoteListing::default() };
        for some in newest.chunks(AT_ONCE) {
            let ids: Vec<String> = some.iter().map(|session| session.session.clone()).collect();
            let mut facts = facts_of_sessions(&engine, &scope, &ids)?;
            for session in some {
                let facts = facts.remove(&session.session).unwrap_or_default();
                let owner = people.get(&facts.machine).map(|owner| owner.person.clone());
                let person = owner.filter(|person| !person.is_empty());
                let sub_agents = usize::try_from(session.agents).unwrap_or(usize::MAX);
                listing.sessions.push(RemoteSession { summary: summary(session, facts), sub_agents, person });
            }
        }
        Ok(listing)
    }

    fn copies(&self) -> MutexGuard<'_, SessionCopies> {
        self.copies.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RemoteSessions for TeamSessions {
    fn sessions(&self) -> Result<RemoteListing, RemoteError> {
        self.newest().map_err(failure)
    }

    fn open(&self, session: &str, slug: Option<&str>) -> Result<Option<RemoteFiles>, RemoteError> {
        self.copies().open(session, slug, || self.engine().map_err(failure))
    }

    fn search(&self, query: &Query, limits: SessionLimits, now: i64) -> Result<SessionResults, RemoteError> {
        let limit = limits.sessions.saturating_mul(limits.passages + 1);
        let asked = self.engine().and_then(|engine| search(&engine, &Scope::default(), query, limit, now));
        let found = asked.map_err(failure)?;
        let mut all = SessionResults {
            total: found.results.total,
            total_sessions: found.total_sessions,
            is_more: found.results.is_more,
            sessions: Vec::new(),
        };
        for hit in found.results.hits {
            let at = all.sessions.iter().position(|known| known.session == hit.session);
            let at = at.unwrap_or_else(|| {
                let card = found.sessions.get(&hit.session).map(|facts| facts.card.clone());
                let unknown = || SessionCard { slug: hit.slug.clone(), ..SessionCard::default() };
                all.sessions.push(SessionHits {
                    session: hit.session.clone(),
                    card: card.unwrap_or_else(unknown),
                    count: hit.session_hits,
                    ..SessionHits::default()
                });
                all.sessions.len() - 1
            });
            let session = &mut all.sessions[at];
            match hit.kind {
                MessageKind::Title => session.title_hit = session.title_hit.take().or(Some(hit)),
                _ if session.hits.len() < limits.passages => session.hits.push(hit),
                _ => {}
            }
        }
        all.sessions.truncate(limits.sessions);
        Ok(all)
    }

    fn usage_of(&self, sessions: &[String]) -> Result<RemoteUsage, RemoteError> {
        let engine = self.engine().map_err(failure)?;
        let (mut sources, mut items) = (Vec::new(), Vec::new());
        for some in sessions.chunks(AT_ONCE) {
            let used = usage_of_sessions(&engine, some).map_err(failure)?;
            let before = sources.len();
            sources.extend(used.sources);
            let moved =
                |item: UsageItem| UsageItem { file: FileIndex::new(item.file.get() + before), ..item };
            items.extend(used.items.into_iter().map(moved));
        }
        Ok((sources, items))
    }

    fn usage(&self) -> Result<Arc<RemoteUsage>, RemoteError> {
        let mut known = self.known_usage.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, usage)) = known.as_ref().filter(|(at, _)| at.elapsed() < MAX_AGE) {
            return Ok(Arc::clone(usage));
        }
        let asked = self.engine().and_then(|engine| usage(&engine, &Scope::default())).map_err(failure)?;
        let found = Arc::new((asked.sources, asked.items));
        *known = Some((Instant::now(), Arc::clone(&found)));
        Ok(found)
    }

    fn tool_counts(&self) -> Result<Vec<ToolCount>, RemoteError> {
        let asked = self.engine().and_then(|engine| tool_calls(&engine)).map_err(failure)?;
        let count = |of: annals_team::query::ToolCalls| ToolCount {
            tool: of.tool,
            calls: of.calls,
            failures: of.failures,
        };
        Ok(asked.into_iter().map(count).collect())
    }
}

/// What a list shows of a session.
fn summary(session: &NewestSession, facts: SessionFacts) -> Summary {
    let SessionFacts { card, forked_from, created, .. } = facts;
    let mut summary = Summary::new(session.session.as_str().into(), card.slug.into(), PathBuf::new());
    let titles = [
        (TitleSource::Custom, card.custom_title),
        (TitleSource::Ai, card.ai_title),
        (TitleSource::Summary, card.summary_title),
    ];
    let given = titles.into_iter().filter_map(|(source, title)| Some((source, title?)));
    summary.title = given.into_iter().find(|(_, title)| !title.trim().is_empty());
    summary.bytes = session.bytes;
    summary.project = card.cwd.map(|path| ProjectPath { path, evidence: Evidence::MostCommonCwd });
    summary.first_prompt = card.first_prompt;
    summary.last_prompt = card.last_prompt;
    summary.created_millis = created;
    summary.active_millis = session.active.or(card.active);
    summary.git_branch = card.branch;
    summary.forked_from = forked_from.map(|origin| origin.as_str().into());
    summary
}
