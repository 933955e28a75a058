//! What identifies a session to a person.

use std::cmp::Reverse;
use std::path::PathBuf;

use annals_transcript::title::display_title;
use rusqlite::{OptionalExtension, Row, params};

use crate::error::IndexError;
use crate::extract::FactKind;
use crate::open::Index;

/// What identifies a session to a person.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionCard {
    /// The file of the session.
    pub file: Option<PathBuf>,
    /// Whether the file still exists.
    pub is_there: bool,
    /// The folder of its project.
    pub slug: String,
    /// The working directory.
    pub cwd: Option<String>,
    /// The last git branch.
    pub branch: Option<String>,
    /// The title that somebody gave it.
    pub custom_title: Option<String>,
    /// The title that the client generated.
    pub ai_title: Option<String>,
    /// The title that a summary gives it, in its own file or in another of the project.
    pub summary_title: Option<String>,
    /// The first prompt; the first command if there is no other.
    pub first_prompt: Option<String>,
    pub last_prompt: Option<String>,
    /// When it was last active, in milliseconds since 1970.
    pub active: Option<i64>,
    /// The cost of it and its sub-agents, in dollars.
    pub cost_usd: Option<f64>,
}

impl SessionCard {
    /// The name that a person would give the session.
    pub fn title(&self) -> Option<&str> {
        let titles = [&self.custom_title, &self.ai_title, &self.summary_title];
        let given = titles.into_iter().flatten().find(|title| !title.trim().is_empty());
        display_title(given.map(String::as_str), self.first_prompt.as_deref(), self.last_prompt.as_deref())
    }
}

const FILES: &str = "SELECT id, path, state, slug FROM files WHERE session = ?1 AND role = 0";

/// Facts of the kinds up to the last that a card has.
const FACTS: &str = "SELECT kind, value, count, first, last FROM facts WHERE file = ?1 AND kind <= ?2";

/// The title that a file beside the session gives it.
const TITLE_FILE: &str = "SELECT value FROM files JOIN facts ON facts.file = files.id AND kind = 7
    WHERE session = ?1 AND slug = ?2 AND role = 10 AND state = ?3 AND value <> ''";

const COST: &str =
    "SELECT sum(nanos * 1.0) / 1e9 FROM files JOIN spent ON spent.file = files.id WHERE session = ?1";

struct SessionFile {
    id: i64,
    path: String,
    state: i64,
    slug: String,
}

fn session_file(row: &Row<'_>) -> rusqlite::Result<SessionFile> {
    Ok(SessionFile { id: row.get(0)?, path: row.get(1)?, state: row.get(2)?, slug: row.get(3)? })
}

/// A fact about a file, in the order of the table.
struct Fact {
    kind: FactKind,
    value: String,
    count: i64,
    first: i64,
    last: i64,
}

fn fact(row: &Row<'_>) -> rusqlite::Result<Option<Fact>> {
    let Some(kind) = FactKind::from_number(row.get(0)?).filter(|kind| is_on_card(*kind)) else {
        return Ok(None);
    };
    Ok(Some(Fact { kind, value: row.get(1)?, count: row.get(2)?, first: row.get(3)?, last: row.get(4)? }))
}

fn is_on_card(kind: FactKind) -> bool {
    use FactKind::{Active, AiTitle, CustomTitle, Cwd, FirstCommand, FirstPrompt, GitBranch, LastPrompt};
    matches!(kind, Cwd | GitBranch | CustomTitle | AiTitle | FirstPrompt | FirstCommand | LastPrompt | Active)
}

impl Index {
    /// What identifies a session; `None` if the index has no file of it.
    ///
    /// A search shows many cards, so these are small statements without sorting: SQLite makes a table for each that sorts.
    pub fn session_card(&self, session: &str) -> Result<Option<SessionCard>, IndexError> {
        let files = self.rows(FILES, [session], session_file)?;
        let Some(file) = files.into_iter().min_by_key(|file| (file.state, file.id)) else { return Ok(None) };
        let facts = self.rows(FACTS, params![file.id, FactKind::Active.number()], fact)?;
        let facts: Vec<Fact> = facts.into_iter().flatten().collect();
        let of = |kind| facts.iter().filter(move |fact| fact.kind == kind);
        let value = |kind| of(kind).map(|fact| fact.value.clone()).next();
        let title = |kind| value(kind).filter(|title| !title.is_empty());
        let custom_title = match title(FactKind::CustomTitle) {
            None => self.rows(TITLE_FILE, params![session, file.slug, file.state], |row| row.get(0))?.pop(),
            given => given,
        };
        let ai_title = title(FactKind::AiTitle);
        let is_named = custom_title.is_some() || ai_title.is_some();
        let cwd = of(FactKind::Cwd).min_by_key(|fact| (Reverse(fact.count), fact.first));
        let branch = of(FactKind::GitBranch).min_by_key(|fact| Reverse(fact.last));
        Ok(Some(SessionCard {
            file: Some(self.config.path().join(&file.path)),
            is_there: file.state == 0,
            cwd: cwd.map(|fact| fact.value.clone()),
            branch: branch.map(|fact| fact.value.clone()),
            custom_title,
            ai_title,
            summary_title: if is_named { None } else { self.summary_title(file.id)? },
            first_prompt: value(FactKind::FirstPrompt).or_else(|| value(FactKind::FirstCommand)),
            last_prompt: title(FactKind::LastPrompt),
            active: of(FactKind::Active).find_map(|fact| fact.value.parse().ok()),
            cost_usd: self
                .connection
                .prepare_cached(COST)?
                .query_row([session], |row| row.get(0))
                .optional()?
                .flatten(),
            slug: file.slug,
        }))
    }

    fn rows<T>(
        &self,
        sql: &str,
        values: impl rusqlite::Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, IndexError> {
        let mut statement = self.connection.prepare_cached(sql)?;
        Ok(statement.query_map(values, read)?.collect::<Result<_, _>>()?)
    }
}
