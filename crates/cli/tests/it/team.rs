//! A team's engine behind the commands: the same answers as the files, forgetting, and what is refused.

use annals_demo::Plan;
use annals_testkit::engine::TestEngine;
use annals_testkit::home::Home;

use crate::annals;
use crate::schemas::keep_schema;

fn ok(home: &Home, arguments: &[&str]) -> String {
    let answer = annals(home, arguments);
    assert!(matches!(answer.code, Some(0 | 3)), "annals {}: {}", arguments.join(" "), answer.error);
    answer.out
}

/// A home whose sessions are in an engine.
fn sent(test: &str) -> Option<(TestEngine, String, Home)> {
    let engine = TestEngine::start(test)?;
    let at = engine.at("team");
    let home = Home::new();
    home.fill_sample(&Plan::default());
    ok(&home, &["team", "init", "--at", &at, "--apply"]);
    ok(&home, &["collect", "--to", &at]);
    Some((engine, at, home))
}

/// The id of the only machine.
fn machine(home: &Home, at: &str) -> String {
    let listed = ok(home, &["team", "machines", "--at", at, "--json"]);
    listed.split("\"machine\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
}

#[test]
fn people_see_what_their_machines_sent_and_forms_keep_their_schemas() {
    let test = "people_see_what_their_machines_sent_and_forms_keep_their_schemas";
    let Some((_engine, at, home)) = sent(test) else { return };
    let machine = machine(&home, &at);
    ok(&home, &["team", "assign", &machine[..8], "ann", "shop", "--at", &at]);
    let local = ok(&home, &["usage", "--by", "model", "--json"]);
    assert_eq!(ok(&home, &["usage", "--by", "model", "--at", &at, "--json"]), local);
    assert_eq!(ok(&home, &["usage", "--by", "model", "--at", &at, "--person", "ann", "--json"]), local);
    assert_eq!(annals(&home, &["usage", "--at", &at, "--person", "ben"]).code, Some(1));
    let by_person = ok(&home, &["usage", "--by", "person", "--at", &at]);
    assert!(by_person.contains("ann"), "{by_person}");
    for (schema, line) in [
        ("usage", "usage --by person"),
        ("usage", "usage --by session"),
        ("search", "search the"),
        ("ls", "ls --all"),
        ("stats", "stats"),
        ("team-init", "team init"),
        ("team-machines", "team machines"),
        ("team-check", "team check"),
        ("team-forget", "team forget --person ann"),
        ("team-retention", "team retention 30"),
        ("team-init", "team init --rights"),
        ("team-token-add", "team token add person ann"),
        ("team-token-add", "team token add team shop"),
        ("team-token-list", "team token list"),
        ("team-token-revoke", "team token revoke --name shop"),
        ("team-token-list", "team token list --all"),
        ("team-audit", "team audit"),
        ("team-rebuild", "team rebuild"),
        ("team-rebuild", "team rebuild --apply"),
    ] {
        let arguments: Vec<&str> = line.split(' ').chain(["--at", &at, "--json"]).collect();
        let said = ok(&home, &arguments);
        keep_schema(schema, &[said.trim_end().as_bytes()], line);
    }
    let assigned = ok(&home, &["team", "assign", &machine, "ben", "--at", &at, "--json"]);
    keep_schema("team-assign", &[assigned.trim_end().as_bytes()], "team assign");
    let tokens = ok(&home, &["team", "token", "list", "--at", &at]);
    assert!(tokens.contains("person") && tokens.contains("ann") && !tokens.contains("shop"), "{tokens}");
    let noted = ok(&home, &["team", "audit", "--at", &at]);
    for action in ["assign", "token add", "token revoke"] {
        assert!(noted.contains(action), "{action}: {noted}");
    }
    let refused = annals(&home, &["team", "token", "add", "machine", "190c51f0", "--at", &at]);
    assert!(refused.code == Some(2) && refused.error.contains("whole id"), "{}", refused.error);
    // Nobody's rows are closed to this login.
    let refused = annals(&home, &["sql", "SELECT 1", "--at", &at]);
    assert!(refused.code == Some(2) && refused.error.contains("row policy"), "{}", refused.error);
}

#[test]
fn sql_runs_as_a_login_under_row_policies() {
    let test = "sql_runs_as_a_login_under_row_policies";
    let home = Home::new();
    home.fill_sample(&Plan::default());
    let file = home.path().join("policies.json");
    std::fs::write(&file, "{\"team.policy_check\":\"0\",\"team.files\":\"role != 'history'\"}").unwrap();
    let options = ["--policies".as_ref(), file.as_os_str()];
    let Some(engine) = TestEngine::start_with(test, &options) else { return };
    let at = engine.at("team");
    ok(&home, &["team", "init", "--at", &at, "--apply"]);
    ok(&home, &["collect", "--to", &at]);
    let said = ok(&home, &["sql", "SELECT * FROM sessions", "--at", &at, "--json"]);
    keep_schema("sql", &[said.trim_end().as_bytes()], "sql --at");
    assert_eq!(
        annals(&home, &["sql", "SELECT * FROM newest_files WHERE role = 'history'", "--at", &at]).code,
        Some(1)
    );
    for bad in ["SELECT * FROM nothing", "DROP TABLE lines", "INSERT INTO lines SELECT * FROM lines"] {
        assert_eq!(annals(&home, &["sql", bad, "--at", &at]).code, Some(2), "{bad}");
    }
    // The example of the help, and an older name of a view that a table has, too.
    ok(&home, &["sql", "SELECT id, cost_usd FROM sessions ORDER BY 2 DESC LIMIT 5", "--at", &at]);
    ok(&home, &["sql", "SELECT tool, duration_ms FROM calls", "--at", &at]);
    // What only the local index has is said, and why.
    for (question, said) in [
        (
            "SELECT id, versions FROM sessions",
            "a team has no sessions.versions: no row has the version of a client",
        ),
        ("SELECT b.parent_uuid FROM said AS b", "a team has no blocks.parent_uuid"),
        (
            "SELECT count(*) FROM problems",
            "a team has no problems: lines are checked where they were written",
        ),
    ] {
        let answer = annals(&home, &["sql", question, "--at", &at]);
        assert_eq!(answer.code, Some(2), "{question}: {}", answer.error);
        assert!(answer.error.contains(said), "{question}: {}", answer.error);
    }
}

#[test]
fn what_was_forgotten_is_gone_and_does_not_come_back() {
    let Some((_engine, at, home)) = sent("what_was_forgotten_is_gone_and_does_not_come_back") else { return };
    let found = ok(&home, &["search", "the", "--at", &at, "--json"]);
    let session = found.split("\"session\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    ok(&home, &["show", &session, "--at", &at]);
    let count = ok(&home, &["team", "forget", "--session", &session, "--at", &at]);
    assert!(count.contains("lines") && count.contains("to forget"), "{count}");
    ok(&home, &["team", "forget", "--session", &session, "--apply", "--at", &at]);
    assert_eq!(annals(&home, &["show", &session, "--at", &at]).code, Some(1));
    // The same machine with a lost state sends everything again.
    let id = std::fs::read(home.data_dir().join("collect/machine")).unwrap();
    std::fs::remove_dir_all(home.data_dir().join("collect")).unwrap();
    std::fs::create_dir(home.data_dir().join("collect")).unwrap();
    std::fs::write(home.data_dir().join("collect/machine"), id).unwrap();
    let again = annals(&home, &["collect", "--to", &at]);
    assert_eq!(again.code, Some(3));
    assert!(again.error.contains("not stored"), "{}", again.error);
    assert_eq!(annals(&home, &["show", &session, "--at", &at]).code, Some(1));
    let left = annals(&home, &["search", &format!("the session:{session}"), "--at", &at, "--json"]);
    assert_eq!(left.code, Some(1), "{}", left.error);
    assert!(left.out.contains("\"total\":0"), "{}", left.out);
}

#[test]
fn a_session_of_the_team_is_cloned_into_my_store_and_says_that_it_is_redacted() {
    let test = "a_session_of_the_team_is_cloned_into_my_store_and_says_that_it_is_redacted";
    let Some((_engine, at, home)) = sent(test) else { return };
    let found = ok(&home, &["ls", "--json", "--at", &at]);
    let session = found.split("\"id\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let mine = Home::new();
    std::fs::create_dir_all(mine.config_dir()).unwrap();
    let dry = annals(&mine, &["clone", &session, "--at", &at, "--dry-run"]);
    assert_eq!(dry.code, Some(0), "{}", dry.error);
    assert_eq!(annals(&mine, &["ls"]).code, Some(1));
    let cloned = annals(&mine, &["clone", &session[..8], "--at", &at, "--yes", "--json"]);
    assert_eq!(cloned.code, Some(0), "{}", cloned.error);
    assert!(cloned.error.contains("this session is redacted"), "{}", cloned.error);
    keep_schema("change", &[cloned.out.trim_end().as_bytes()], "clone --at");
    let listed = ok(&mine, &["ls", "--json"]);
    let id = listed.split("\"id\":\"").nth(1).unwrap().split('"').next().unwrap();
    let texts = |home: &Home, id: &str| ok(home, &["show", id, "--as", "messages", "--json"]).lines().count();
    assert_eq!(texts(&mine, id), texts(&home, &session));
    // It is mine now, in the project of the folder that I am in, and can be undone.
    let slug =
        std::fs::read_dir(mine.config_dir().join("projects")).unwrap().next().unwrap().unwrap().file_name();
    assert!(found.find(&*slug.to_string_lossy()).is_none(), "{slug:?}");
    ok(&mine, &["undo", "--yes"]);
    assert_eq!(annals(&mine, &["ls"]).code, Some(1));
    let missing = annals(&mine, &["clone", "99999999-0000-4000-8000-000000000000", "--at", &at]);
    assert!(missing.code == Some(1) && missing.error.contains("has no session"), "{}", missing.error);
    assert_eq!(annals(&mine, &["clone", "x", "--person", "ann"]).code, Some(2));
}

#[test]
fn what_was_withheld_or_not_sent_is_marked() {
    let Some(engine) = TestEngine::start("what_was_withheld_or_not_sent_is_marked") else { return };
    let (at, home) = (engine.at("team"), Home::new());
    let session = "0d0d0d0d-0000-4000-8000-000000000001";
    let line = |uuid: &str, more: &str, content: &str| {
        format!(
            r#"{{"type":"user","uuid":"{uuid}","parentUuid":null,"sessionId":"{session}","cwd":"/w","timestamp":"2026-01-01T00:00:00.000Z"{more},"message":{{"role":"user","content":{content}}}}}"#
        )
    };
    let result = r#"[{"type":"tool_result","tool_use_id":"toolu_1","content":"a preview"}]"#;
    let named = r#","toolUseResult":{"persistedOutputPath":"/elsewhere/tool-results/b.txt"}"#;
    let lines = [
        line("0d0d0d0d-0000-4000-8000-000000000002", "", "\"hello\""),
        line(
            concat!("ghp_", "a8Kq2LmN4pRs6TuV8wXy1ZbC3dEf5GhJ7kQ9"),
            "",
            "\"its id has the shape of a secret\"",
        ),
        line("0d0d0d0d-0000-4000-8000-000000000003", named, result),
    ];
    home.write(format!("projects/-w/{session}.jsonl"), lines.map(|line| line + "\n").concat());
    ok(&home, &["team", "init", "--at", &at, "--apply"]);
    ok(&home, &["collect", "--to", &at]);
    let records = ok(&home, &["show", session, "--as", "records", "--json", "--at", &at]);
    let marked: Vec<bool> = records.lines().map(|line| line.contains("\"redacted\":true")).collect();
    assert_eq!(marked, [false, true, false], "{records}");
    records
        .lines()
        .for_each(|line| keep_schema("show-records", &[line.as_bytes()], "show --as records --at"));
    let up_to = ["--up-to", "0d0d0d0d-0000-4000-8000-000000000003"];
    let show = ["show", session, "--as", "messages", "--json", "--at", &at];
    let messages = ok(&home, &[&show[..], &up_to].concat());
    assert!(messages.contains("a preview") && messages.contains("\"notCollected\":true"), "{messages}");
    messages
        .lines()
        .for_each(|line| keep_schema("show-messages", &[line.as_bytes()], "show --as messages --at"));
    // A copy names the output of the session that it was copied from, which was sent with that one.
    let (origin, copy) = ("0d0d0d0d-0000-4000-8000-00000000000a", "0d0d0d0d-0000-4000-8000-00000000000b");
    home.write(format!("projects/-w/{origin}.jsonl"), line(origin, "", "\"first\"") + "\n");
    home.write(format!("projects/-w/{origin}/tool-results/c.txt"), "all of it");
    let named =
        format!(r#","toolUseResult":{{"persistedOutputPath":"/c/projects/-w/{origin}/tool-results/c.txt"}}"#);
    home.write(format!("projects/-w/{copy}.jsonl"), line(copy, &named, result).replace(session, copy) + "\n");
    ok(&home, &["collect", "--to", &at, "--include", "tool-results"]);
    let copied = ok(&home, &["show", copy, "--as", "messages", "--json", "--at", &at]);
    assert!(copied.contains("a preview") && !copied.contains("notCollected"), "{copied}");
    // The files themselves have neither mark.
    let local = ok(&home, &["show", session, "--as", "records", "--json"])
        + &ok(&home, &[&show[..5], &up_to].concat());
    assert!(!local.contains("\"redacted\"") && !local.contains("notCollected"), "{local}");
}

#[test]
fn an_engine_that_cannot_be_used_is_explained() {
    let home = Home::new();
    home.fill_sample(&Plan::default());
    let cases = [
        ("usage --at https://db.example.org", 2, "a token is needed"),
        ("usage --at http://db.example.org", 2, "plain http would expose the answers"),
        ("usage --at https://me:word@db.example.org", 2, "visible in the process list"),
        ("usage --statusline --at https://db.example.org", 2, "does not apply"),
        ("sql SELECT --at https://db.example.org", 2, "not an address such as clickhouse+https"),
        ("sql SELECT --token-file f --at clickhouse+http://127.0.0.1:1", 2, "does not apply to sql"),
        ("sql SELECT --person ann --at clickhouse+http://127.0.0.1:1", 2, "do not apply to sql"),
        ("team audit --at https://db.example.org", 2, "not an address such as clickhouse+https"),
        ("receive --to clickhouse+http://127.0.0.1:1", 74, "cannot connect"),
        ("serve --from clickhouse+http://127.0.0.1:1", 74, "cannot connect"),
        ("serve --tenant x", 2, "need --from"),
        ("usage --at clickhouse+http://db.example.org", 2, "for an engine on this machine only"),
        ("usage --at clickhouse+https://me:word@db.example.org", 2, "visible in the process list"),
        ("usage --at clickhouse+http://127.0.0.1:1", 74, "cannot connect"),
        ("usage --person ann", 2, "--person needs --at URL"),
        ("usage --by person", 2, "--by person needs --at URL"),
        ("collect --to clickhouse+http://127.0.0.1:1 --attempts 1", 74, "cannot connect"),
        ("search x --exact --at clickhouse+http://127.0.0.1:1", 74, "cannot connect"),
        ("team forget --at clickhouse+http://127.0.0.1:1", 2, "--person"),
    ];
    for (line, code, said) in cases {
        let answer = annals(&home, &line.split(' ').collect::<Vec<_>>());
        assert_eq!(answer.code, Some(code), "{line}: {}", answer.error);
        assert!(answer.error.contains(said), "{line}: {}", answer.error);
        assert!(!answer.error.contains("word@"), "{line}: {}", answer.error);
    }
    let Some(engine) = TestEngine::start("an_engine_that_cannot_be_used_is_explained") else { return };
    let at = engine.at("nothing");
    let answer = annals(&home, &["usage", "--at", &at]);
    assert_eq!(answer.code, Some(2), "{}", answer.error);
    assert!(answer.error.contains("annals team init"), "{}", answer.error);
}
