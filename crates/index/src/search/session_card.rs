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
    /// The cost of it and its sub-agents, in dollars; a card that is read alone lacks it.
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
            cost_usd: None,
            slug: file.slug,
        }))
    }

    /// The same with what the session cost.
    pub(super) fn priced_session_card(&self, session: &str) -> Result<Option<SessionCard>, IndexError> {
        let Some(card) = self.session_card(session)? else { return Ok(None) };
        let mut statement = self.connection.prepare_cached(COST)?;
        let cost_usd = statement.query_row([session], |row| row.get(0)).optional()?.flatten();
        Ok(Some(SessionCard { cost_usd, ..card }))
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]

    use std::fs;
    use std::ops::ControlFlow;

    use annals_store::{DataDir, Store};
    use annals_testkit::home::Home;
    use annals_transcript::price::Prices;

    use super::*;

    const ID: &str = "11111111-0000-4000-8000-000000000000";
    const OTHER: &str = "22222222-0000-4000-8000-000000000000";

    /// A prompt as a line, with a uuid that ends with `number`.
    fn prompt(number: u32, cwd: &str, branch: &str) -> String {
        format!(
            "{{\"type\":\"user\",\"uuid\":\"{}\",\"parentUuid\":null,\"sessionId\":\"{ID}\",\"cwd\":\"{cwd}\",\
             \"gitBranch\":\"{branch}\",\"timestamp\":\"2026-01-01T00:00:0{number}.000Z\",\
             \"message\":{{\"role\":\"user\",\"content\":\"prompt {number}\"}}}}\n",
            uuid(number)
        )
    }

    fn uuid(number: u32) -> String {
        format!("00000000-0000-4000-8000-{number:012}")
    }

    fn summary(number: u32, title: &str) -> String {
        format!("{{\"type\":\"summary\",\"summary\":\"{title}\",\"leafUuid\":\"{}\"}}\n", uuid(number))
    }

    fn custom_title(title: &str) -> String {
        format!("{{\"type\":\"custom-title\",\"customTitle\":\"{title}\",\"sessionId\":\"{ID}\"}}\n")
    }

    fn ai_title(title: &str) -> String {
        format!("{{\"type\":\"ai-title\",\"aiTitle\":\"{title}\",\"sessionId\":\"{ID}\"}}\n")
    }

    fn index(home: &Home) -> Index {
        let (store, data) = (Store::open(home.config_dir()), DataDir::new(home.data_dir()));
        let (mut index, _) = Index::open(store.config_dir(), &data).unwrap();
        let progress = |_| ControlFlow::Continue(());
        index.refresh(&store.discover(), &data, &Prices::embedded(), progress).unwrap();
        index
    }

    fn card(home: &Home) -> SessionCard {
        index(home).session_card(ID).unwrap().unwrap()
    }

    /// A store with the session, in the project `-w`.
    fn home(session: &str) -> Home {
        let home = Home::new();
        home.write(format!("projects/-w/{ID}.jsonl"), session);
        home
    }

    #[test]
    fn a_session_without_titles_is_called_after_its_first_prompt() {
        let home = home(&(prompt(1, "/w", "main") + &prompt(2, "/w", "main")));
        let card = card(&home);
        assert_eq!(card.file, Some(home.config_dir().join(format!("projects/-w/{ID}.jsonl"))));
        assert_eq!((card.is_there, card.slug.as_str()), (true, "-w"));
        assert_eq!((&card.custom_title, &card.ai_title, &card.summary_title), (&None, &None, &None));
        assert_eq!(card.first_prompt.as_deref(), Some("prompt 1"));
        assert_eq!(card.title(), Some("prompt 1"));
        assert_eq!(card.active, Some(1_767_225_602_000));
        assert_eq!(index(&home).session_card(OTHER).unwrap(), None);
    }

    #[test]
    fn the_last_custom_title_of_the_file_comes_before_all_others() {
        let lines = [
            summary(1, "of a summary"),
            prompt(1, "/w", "main"),
            ai_title("of the client"),
            custom_title("the first"),
            custom_title("the last"),
        ];
        let home = home(&lines.concat());
        home.write(format!("projects/-w/{ID}/custom-title.json"), r#"{"customTitle":"beside"}"#);
        let card = card(&home);
        assert_eq!(card.custom_title.as_deref(), Some("the last"));
        assert_eq!(card.ai_title.as_deref(), Some("of the client"));
        // Nobody looks for it then.
        assert_eq!(card.summary_title, None);
        assert_eq!(card.title(), Some("the last"));
    }

    #[test]
    fn a_title_beside_the_session_counts_where_its_file_has_none() {
        let home = home(&(prompt(1, "/w", "main") + &ai_title("of the client") + &custom_title("")));
        home.write(format!("projects/-w/{ID}/custom-title.json"), r#"{"customTitle":"beside"}"#);
        home.write(format!("projects/-w/{OTHER}/custom-title.json"), r#"{"customTitle":"another"}"#);
        home.write(format!("projects/-v/{ID}/custom-title.json"), r#"{"customTitle":"elsewhere"}"#);
        let card = card(&home);
        assert_eq!(card.custom_title.as_deref(), Some("beside"));
        assert_eq!(card.title(), Some("beside"));
    }

    #[test]
    fn the_title_of_the_client_comes_before_that_of_a_summary() {
        let lines =
            [prompt(1, "/w", "main"), ai_title("older"), ai_title("newer"), summary(1, "of a summary")];
        let card = card(&home(&lines.concat()));
        assert_eq!(card.ai_title.as_deref(), Some("newer"));
        assert_eq!((card.summary_title.as_deref(), card.title()), (None, Some("newer")));
    }

    #[test]
    fn a_summary_names_the_session_whose_line_it_cites() {
        let home = home(&(prompt(1, "/w", "main") + &prompt(2, "/w", "main")));
        home.write(format!("projects/-w/{OTHER}.jsonl"), summary(2, "of another file") + &summary(9, "lost"));
        assert_eq!(card(&home).summary_title.as_deref(), Some("of another file"));
        assert_eq!(card(&home).title(), Some("of another file"));
        let own = prompt(1, "/w", "main") + &prompt(2, "/w", "main") + &summary(1, "of its own file");
        home.write(format!("projects/-w/{ID}.jsonl"), own);
        assert_eq!(card(&home).title(), Some("of its own file"));
    }

    #[test]
    fn the_folder_is_where_most_lines_are_and_the_branch_that_of_the_last() {
        let lines = [("/a", "main"), ("/b", "topic"), ("/b", "topic"), ("/c", "main"), ("/c", "fix")];
        let lines = lines.into_iter().zip(1..).map(|((cwd, branch), number)| prompt(number, cwd, branch));
        let home = home(&lines.collect::<String>());
        let card = card(&home);
        // Of two folders with as many lines, the first.
        assert_eq!((card.cwd.as_deref(), card.branch.as_deref()), (Some("/b"), Some("fix")));
        let text = fs::read_to_string(card.file.unwrap()).unwrap() + &prompt(6, "/c", "topic");
        home.write(format!("projects/-w/{ID}.jsonl"), text);
        let card = index(&home).session_card(ID).unwrap().unwrap();
        assert_eq!((card.cwd.as_deref(), card.branch.as_deref()), (Some("/c"), Some("topic")));
    }

    #[test]
    fn a_session_whose_file_is_gone_keeps_its_card_until_there_is_another_file() {
        let home = home(&(prompt(1, "/w", "main") + &prompt(2, "/w", "topic")));
        let title = home.write(format!("projects/-w/{ID}/custom-title.json"), r#"{"customTitle":"beside"}"#);
        let before = card(&home);
        assert!(before.is_there);
        fs::remove_file(before.file.as_ref().unwrap()).unwrap();
        fs::remove_file(title).unwrap();
        assert_eq!(card(&home), SessionCard { is_there: false, ..before });
        home.write(format!("projects/-v/{ID}.jsonl"), prompt(3, "/v", "main"));
        let card = card(&home);
        assert_eq!((card.is_there, card.slug.as_str(), card.title()), (true, "-v", Some("prompt 3")));
    }
}
