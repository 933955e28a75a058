//! What is run over the hostile store: every command, and every form that it has.

use annals_testkit::hostile::{HOSTILE, HOSTILE_NAME, HOSTILE_SESSION};

/// How a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// By itself.
    Alone,
    /// Never: it is ended once it has written.
    Never,
}

/// A command over the store.
#[derive(Clone, Debug)]
pub(super) struct Case {
    /// Commands that are run first.
    pub(super) before: Vec<Vec<String>>,
    pub(super) arguments: Vec<String>,
    /// What is written to standard input.
    pub(super) input: String,
    pub(super) ending: Ending,
    /// Whether it changes the store, and so needs one of its own.
    pub(super) is_changing: bool,
}

impl Case {
    fn new(line: &str) -> Self {
        Self {
            before: Vec::new(),
            arguments: words(line),
            input: String::new(),
            ending: Ending::Alone,
            is_changing: false,
        }
    }

    fn changing(self) -> Self {
        Self { is_changing: true, ..self }
    }

    fn after(mut self, line: &str) -> Self {
        self.before.push(words(line));
        self.changing()
    }

    fn input(self, input: String) -> Self {
        Self { input, ..self }
    }

    fn never_ends(self) -> Self {
        Self { ending: Ending::Never, ..self }
    }

    /// The name of the command; empty for the overview.
    pub(super) fn command(&self) -> &str {
        self.arguments.first().map_or("", String::as_str)
    }
}

/// Splits a line at spaces; `S` is the session, `N` the hostile name, `T` the hostile text.
fn words(line: &str) -> Vec<String> {
    let word = |word: &str| match word {
        "S" => HOSTILE_SESSION.to_owned(),
        "N" => HOSTILE_NAME.to_owned(),
        "T" => HOSTILE.replace('\0', ""),
        other => other.to_owned(),
    };
    line.split_whitespace().map(word).collect()
}

/// The values of options that decide what is printed; a test holds them against the program.
pub(super) const FORMS: [(&str, &str, &[&str]); 6] = [
    (
        "show",
        "--as",
        &[
            "transcript",
            "raw",
            "records",
            "messages",
            "api",
            "turns",
            "tools",
            "agents",
            "tree",
            "usage",
            "counts",
            "markdown",
            "html",
        ],
    ),
    ("export", "--as", &["html", "markdown", "json", "text", "bundle"]),
    ("export", "--detail", &["full", "no-tools", "prompts"]),
    (
        "usage",
        "--by",
        &[
            "day", "week", "month", "hour", "session", "project", "model", "tool", "agent", "block",
            "person", "team",
        ],
    ),
    ("search", "--in", &["prompts", "replies", "thinking", "tools", "all"]),
    ("ls", "--sort", &["modified", "created", "size", "cost", "tokens", "turns", "title"]),
];

/// Commands that have cases of their own: `chat` in this test, `tui`, which draws with escape sequences of its own, in its crate.
pub(super) const ELSEWHERE: [&str; 2] = ["chat", "tui"];

pub(super) fn cases() -> Vec<Case> {
    let mut cases = vec![Case::new("")];
    for (command, option, values) in FORMS {
        let argument = match command {
            "show" => "S",
            "export" => "S --include-agents --to -",
            "search" => "UFdO",
            _ => "",
        };
        let line = |value: &&str| match *value {
            // It is not text.
            "bundle" => format!("{command} S --to N {option} {value}"),
            value => format!("{command} {argument} {option} {value}"),
        };
        cases.extend(values.iter().map(|value| Case::new(&line(value))));
    }
    let reading = "ls --all --long|show S --full|check S|check --all -v|todos|todos --all|plans|plans plan|plans N|drift|drift S|drift N|doctor|doctor S\
        |export --all --to N|export --all --redact --as markdown --to N\
        |history|files|files S|files T|files --changed|search UFdO -C 2|search T|search B --exact|search --exact .|stats|usage --compare|usage --statusline\
        |index|index --rebuild|collect --to -|collect --to - --dry-run|collect --to N|collect --to - --status|collect --to N --status --json|collect --to - --retry-refused|mcp list|mcp list --no-check|mcp get T|mcp get srv|mcp approve T --dry-run|mcp approve T|mcp login T|mcp login srv --no-browser|mcp logout T|mcp add T T --dry-run|mcp add-json srv T --dry-run|mcp remove T --dry-run|mcp serve|mcp serve --project N|mcp serve --http --project T|mcp install --dry-run|mcp install cursor|hook session-start|hook stop|gc|gc --older-than 0d\
        |gc --kind debug,pastes,shell-snapshots --older-than 0d|redact S --scan|rewind S|undo --list|trash --list\
        |archive --list|archive --all|archive --verify|restore|help|help show|help T|man|completions bash\
        |completions zsh|completions fish|demo --out N|new --title T --tag T --cwd N --git-branch T|mock-api --script N|serve --password-file N\
        |team init --at T|team init --at clickhouse+http://127.0.0.1:1/t|team machines --at clickhouse+http://127.0.0.1:1 --login-file N\
        |team assign T T T --at clickhouse+http://127.0.0.1:1|team check --at clickhouse+http://127.0.0.1:1\
        |team forget --session T --at clickhouse+http://127.0.0.1:1|team retention --at clickhouse+http://127.0.0.1:1\
        |team init --rights --at clickhouse+http://127.0.0.1:1/t|team token add person T --at clickhouse+http://127.0.0.1:1|team token add T T --at T\
        |team token list --at clickhouse+http://127.0.0.1:1|team token revoke T --at clickhouse+http://127.0.0.1:1|team audit --at T|team rebuild --at T\
        |receive --to T|receive --to clickhouse+http://127.0.0.1:1/t --cert N --key N|serve --from T|serve --from clickhouse+http://127.0.0.1:1/t\
        |usage --at http://127.0.0.1:1/T --token-file N|search T --at https://T|show T --at http://127.0.0.1:1|ls --at http://T\
        |usage --at T|ls --at clickhouse+http://127.0.0.1:1/T|collect --to clickhouse+http://127.0.0.1:1 --attempts 1";
    cases.extend(reading.split('|').map(Case::new));
    for line in [
        "import N --new-id",
        "import N --new-id --project N --yes",
        "import N --yes",
        "import N --new-id --dry-run",
    ] {
        cases.push(Case::new(line).after("export S --as bundle --to N --force"));
    }
    cases.extend(["config path", "config get", "config get T", "import S", "config set T T"].map(Case::new));
    for line in ["config get", "config get pager", "config get stores --json"] {
        cases.push(Case::new(line).after("config set pager T").after("config set stores T N"));
    }
    for table in
        ["sessions", "threads", "projects", "blocks", "tool_calls", "usage", "todos", "prompts", "plans"]
    {
        let mut case = Case::new("sql");
        case.arguments.push(format!("SELECT * FROM {table}"));
        cases.push(case);
    }
    let changing = "rename S T|tag S T|clone S|clone S --into N|clone T --at clickhouse+http://127.0.0.1:1|fork S|fork S --turn 1|merge S 0e571e57-0000-4000-8000-000000000002 --anyway\
        |strip S --tools T|strip S --thinking|strip S --large-results 1|compress S --keep-turns 1|repair S|redact S\
        |rewind S --to 1 --force|rewind S --to 1 --code|move-project N /srv/x|move-project /w N|reset-project N|reset-project\
        |mcp add srv T|mcp install codex|mcp remove srv|mcp approve srv|trash S --history|gc --apply --older-than 0d|undo T|restore S|restore N";
    for line in changing.split('|') {
        // What would be done, what is asked, and what was done.
        cases.extend(["--dry-run", "", "--yes"].map(|how| Case::new(&format!("{line} {how}")).changing()));
    }
    let trashed = |line: &str| Case::new(line).after("trash S --history --yes");
    cases.extend(
        [
            "trash --list",
            "trash --empty --yes",
            "trash --empty",
            "restore",
            "restore S --yes",
            "undo --yes",
            "undo",
            "undo --list",
        ]
        .map(trashed),
    );
    let archived = |line: &str| Case::new(line).after("archive --all");
    cases.extend(
        [
            "archive --list",
            "archive --list S",
            "archive --verify",
            "archive --forget S --yes",
            "archive --forget S",
            "archive S",
            "restore",
            "restore S --replace --yes",
            "restore S --to N --yes",
        ]
        .map(archived),
    );
    cases.extend(
        ["show S", "restore", "search UFdO", "ls", "archive --list"]
            .map(|line| archived(line).after("trash S --history --yes").after("trash --empty --yes")),
    );
    let message = serde_free(&[("role", "user"), ("content", HOSTILE)]);
    cases.push(Case::new("append S").input(format!("{message}\n{HOSTILE}\n{{\"type\":\"x\"}}\n")));
    cases.push(Case::new("append T").input(message));
    let mut todos = String::from("[");
    todos.push_str(&json(HOSTILE));
    cases.push(Case::new("todos set S --yes").input(format!("{todos}]")));
    cases.push(Case::new("todos set S").input(format!("{todos}]")));
    cases.push(Case::new("todos set S --yes").input(HOSTILE.to_owned()));
    cases.extend(
        ["tail S", "index --watch", "archive --watch", "mock-api"].map(|line| Case::new(line).never_ends()),
    );
    cases
}

/// Each command with arguments that it does not understand: errors quote them.
pub(super) fn mistakes(commands: &[String]) -> Vec<Case> {
    let mistakes = |command: &String| {
        ["T", "N", "--no-such-T", "T T T T"].map(|mistake| Case::new(&format!("{command} {mistake}")))
    };
    let mut cases: Vec<Case> = commands.iter().filter(|name| *name != "chat").flat_map(mistakes).collect();
    for case in &mut cases {
        // A session has the hostile name, and is followed.
        if case.command() == "tail" {
            case.ending = Ending::Never;
        }
        for word in &mut case.arguments {
            *word = word.replace("--no-such-T", &format!("--no-such-{HOSTILE_NAME}"));
        }
    }
    let values = [
        "show S --as T",
        "ls --since T",
        "ls --sort T",
        "usage --tz T",
        "usage --by T",
        "sql T",
        "redact S --pattern [",
    ];
    cases.extend(values.map(Case::new));
    cases.extend(["--config-dir N ls", "--data-dir N index", "--prices N usage", "T"].map(Case::new));
    cases
}

fn json(text: &str) -> String {
    let mut out = Vec::new();
    annals_json::write_string(&mut out, text);
    String::from_utf8(out).unwrap()
}

fn serde_free(fields: &[(&str, &str)]) -> String {
    let fields: Vec<String> =
        fields.iter().map(|(key, value)| format!("{}:{}", json(key), json(value))).collect();
    format!("{{{}}}", fields.join(","))
}
