//! The views of `annals sql --at`: what the local views have and these have not, each with its reason. A test compares both.

/// Views for people, as the local `annals sql` names them; `calls` is one for who asks, since a table has that name.
pub const VIEWS: [&str; 13] = [
    "sessions",
    "threads",
    "projects",
    "blocks",
    "tool_calls",
    "usage",
    "todos",
    "prompts",
    "plans",
    "pull_requests",
    "outputs",
    "said",
    "calls",
];

/// Views that the others are made of.
pub(crate) const INNER_VIEWS: [&str; 4] = ["people", "newest_files", "working_directories", "charges"];

/// Begins a statement of a person: `calls` is the view, whatever table has that name.
pub(crate) const CALLS: &str = "WITH calls AS (SELECT * FROM {db}.tool_calls) ";

/// A view, or a column of one, that only the local index has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalOnly {
    pub view: &'static str,
    /// The column; `None` if the whole view is not there.
    pub column: Option<&'static str>,
    /// Why, and what to ask instead.
    pub why: &'static str,
}

const fn view(view: &'static str, why: &'static str) -> LocalOnly {
    LocalOnly { view, column: None, why }
}

const fn column(view: &'static str, column: &'static str, why: &'static str) -> LocalOnly {
    LocalOnly { view, column: Some(column), why }
}

const IRREGULAR: &str = "lines are checked where they were written: annals check";
const NO_PLAN: &str = "no row says which session named a plan";
const SHIFTED: &str = "redaction moves what is inside of a file";
const TOKENS: &str = "they are in usage, by machine, file and line";

/// All of them; docs/team.md lists them, too.
pub const LOCAL_ONLY: [LocalOnly; 12] = [
    view("file_versions", "every snapshot lists all copies of files again, and no row is made of them"),
    view("problems", IRREGULAR),
    view("irregular", IRREGULAR),
    column("sessions", "versions", "no row has the version of a client"),
    column("blocks", "parent_uuid", "no row has the record before its own"),
    column("blocks", "tokens_in", TOKENS),
    column("blocks", "tokens_out", TOKENS),
    column("usage", "offset", "it is in blocks, by machine, file and line"),
    column("plans", "session", NO_PLAN),
    column("plans", "project", NO_PLAN),
    column("todos", "offset", SHIFTED),
    column("todos", "length", SHIFTED),
];

impl std::fmt::Display for LocalOnly {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.view)?;
        self.column.map_or(Ok(()), |column| write!(formatter, ".{column}"))
    }
}

/// What a statement asks for that only the local index has, by the failure of the engine.
pub fn local_only(statement: &str, failure: &str) -> Option<LocalOnly> {
    let name = unknown_name(failure)?;
    let last = name.rsplit('.').next().unwrap_or(name);
    let is_asked = |view: &str| {
        let mut words = statement.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        // An older name of the view stands for it.
        words.any(|word| word == view || (word == "said" && view == "blocks"))
    };
    LOCAL_ONLY.into_iter().find(|one| match one.column {
        None => one.view == last,
        Some(column) => column == last && is_asked(one.view),
    })
}

/// The name that the engine does not know.
fn unknown_name(failure: &str) -> Option<&str> {
    let (_, rest) = failure.split_once("dentifier ")?;
    let quote = rest.chars().next().filter(|letter| ['`', '\''].contains(letter))?;
    rest[1..].split(quote).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_engine_does_not_know_is_explained_if_the_local_views_have_it() {
        let of = |statement, failure| local_only(statement, failure).map(|found| found.to_string());
        let column = "db/annals: Code: 47. DB::Exception: Unknown expression identifier `versions` in scope SELECT versions FROM sessions.";
        assert_eq!(of("SELECT versions FROM sessions", column).as_deref(), Some("sessions.versions"));
        // Of another view, it is no column anywhere.
        assert_eq!(of("SELECT versions FROM usage", column), None);
        let named = "Code: 47. DB::Exception: Identifier 's.versions' cannot be resolved from table with name s. In scope x.";
        assert_eq!(of("SELECT s.versions FROM sessions AS s", named).as_deref(), Some("sessions.versions"));
        let parent = "Code: 47. DB::Exception: Unknown expression identifier 'parent_uuid' in scope";
        assert_eq!(of("SELECT parent_uuid FROM said", parent).as_deref(), Some("blocks.parent_uuid"));
        let table = "Code: 60. DB::Exception: Unknown table expression identifier 'problems' in scope";
        assert_eq!(of("SELECT * FROM problems", table).as_deref(), Some("problems"));
        for other in [
            "",
            "Identifier",
            "Code: 60. DB::Exception: Unknown table expression identifier 'nothing' in scope",
        ] {
            assert_eq!(of("SELECT * FROM nothing", other), None, "{other}");
        }
    }

    #[test]
    fn the_page_lists_what_only_the_local_index_has() {
        let page = annals_testkit::workspace_root().join("docs/team.md");
        let page = std::fs::read_to_string(page).unwrap();
        for one in LOCAL_ONLY {
            assert!(page.contains(&format!("`{one}`")), "docs/team.md does not list {one}");
        }
    }
}
