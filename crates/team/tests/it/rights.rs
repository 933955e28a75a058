//! Who reads what: tokens, what is left for somebody who may not read everything, and row policies.

use std::ffi::OsStr;

use annals_collect::Sink;
use annals_team::query::{
    FileChoice, ReadRight, Scope, TokenKind, add_token, assign, audit, files, machines_assigned, owners,
    revoke_token, search, token_owner, tokens, usage,
};
use annals_team::rights::{is_under_policies, rights_statements};
use annals_team::views::VIEWS;
use annals_team::{Engine, EngineError};
use annals_testkit::engine::TestEngine;
use annals_testkit::temp::TempDir;

use crate::support::{batches, demo, open, sink, usage_of_engine, with_tables};

const MACHINES: [&str; 3] = ["machine-of-ann", "machine-of-ben", "machine-of-cem"];

/// Everything from three machines: those of Ann and Ben, who are in one team, and Cem's.
fn fill(engine: &TestEngine, database: &str) -> Engine {
    let opened = with_tables(engine, database);
    let (_home, sent) = demo();
    let items: Vec<_> = sent.iter().flat_map(|batch| batch.items.clone()).take(400).collect();
    for machine in MACHINES {
        for mut batch in batches(&items, &sent[0], 5000) {
            machine.clone_into(&mut batch.machine);
            sink(engine, database).deliver(&batch).unwrap();
        }
    }
    for (machine, person, team) in [(0, "ann", "shop"), (1, "cem", ""), (1, "ben", "shop"), (2, "cem", "lab")]
        .map(|(at, person, team)| (MACHINES[at], person, team))
    {
        let version = 1 + audit(&opened, 9).unwrap().len() as i64;
        assign(&opened, machine, person, team, version).unwrap();
    }
    opened
}

/// The machines whose files somebody sees.
fn seen(engine: &Engine) -> Vec<String> {
    let mut machines: Vec<String> = files(engine, &Scope::default(), &FileChoice::All)
        .unwrap()
        .into_iter()
        .map(|file| file.machine)
        .collect();
    machines.dedup();
    machines
}

#[test]
fn who_may_not_read_everything_gets_the_rows_of_some_machines_by_every_question() {
    let Some(engine) =
        TestEngine::start("who_may_not_read_everything_gets_the_rows_of_some_machines_by_every_question")
    else {
        return;
    };
    let all = fill(&engine, "some");
    assert_eq!(seen(&all), MACHINES);
    let person = |name: &str| Scope { person: Some(name.to_owned()), ..Scope::default() };
    // The machine that was Cem's for a while is Ben's.
    assert_eq!(machines_assigned(&all, &person("ben")).unwrap(), [MACHINES[1]]);
    assert_eq!(machines_assigned(&all, &person("cem")).unwrap(), [MACHINES[2]]);

    let of_ben = all.restricted_to(&[MACHINES[1].to_owned()]);
    assert_eq!(seen(&of_ben), [MACHINES[1]]);
    assert_eq!(owners(&of_ben).unwrap().into_keys().collect::<Vec<_>>(), [MACHINES[1]]);
    let query = annals_index::search::Query::parse("the").unwrap();
    let found = search(&of_ben, &Scope::default(), &query, 50, 0).unwrap();
    assert!(found.machines.len() > 5 && found.machines.iter().all(|machine| machine == MACHINES[1]));
    let counted = usage(&of_ben, &Scope::default()).unwrap();
    assert!(counted.machines.iter().all(|machine| machine == MACHINES[1]) && !counted.machines.is_empty());
    // Copies are Ann's if all is seen, and Ben's own where nothing else is.
    assert_eq!(usage_of_engine(&of_ben).len(), usage_of_engine(&all).len());
    assert_eq!(usage(&all, &person("ben")).unwrap().items, []);
    // Nothing widens it, and statements that could are not run.
    assert_eq!(usage(&of_ben, &person("ann")).unwrap().items, []);
    assert!(matches!(of_ben.select_statement("SELECT 1"), Err(EngineError::Denied(_))));
    assert!(matches!(of_ben.execute("SELECT 1", &[]), Err(EngineError::Denied(_))));
    let of_nobody = all.restricted_to(&[]);
    assert_eq!((seen(&of_nobody), usage_of_engine(&of_nobody)), (Vec::new(), Vec::new()));
    // More machines than an address has room for.
    let mut many: Vec<String> = (0..6000).map(|at| format!("machine-{at}-of-somebody")).collect();
    many.push(MACHINES[1].to_owned());
    assert_eq!(seen(&all.restricted_to(&many)), [MACHINES[1]]);
    let hostile = all.restricted_to(&["') OR (1=1".to_owned()]);
    assert_eq!(seen(&hostile), Vec::<String>::new());
}

#[test]
fn tokens_are_known_by_their_hashes_until_they_are_revoked() {
    let Some(engine) = TestEngine::start("tokens_are_known_by_their_hashes_until_they_are_revoked") else {
        return;
    };
    let opened = with_tables(&engine, "tokens");
    let other = opened.for_tenant("other");
    let added = add_token(&opened, "secret-1", TokenKind::Person, "ann", 1000).unwrap();
    add_token(&other, "secret-2", TokenKind::Team, "shop", 1000).unwrap();
    let owner = token_owner(&opened, "secret-1").unwrap().unwrap();
    assert_eq!((owner.tenant.as_str(), owner.kind, owner.name.as_str()), ("", TokenKind::Person, "ann"));
    assert_eq!(
        owner.reads(),
        ReadRight::Machines(Scope { person: Some("ann".to_owned()), ..Scope::default() })
    );
    // The token itself says which tenant.
    assert_eq!(token_owner(&opened, "secret-2").unwrap().unwrap().tenant, "other");
    assert_eq!(token_owner(&opened, "secret-3").unwrap(), None);
    let stored = opened.select("SELECT * FROM {db}.tokens", &[]).unwrap();
    assert!(
        stored
            .rows()
            .flat_map(|row| row.columns())
            .all(|(_, value)| !value.raw().windows(6).any(|part| part == b"secret"))
    );

    assert_eq!(tokens(&opened).unwrap(), std::slice::from_ref(&added));
    // In the same millisecond: the later change counts.
    revoke_token(&opened, &added, 1000).unwrap();
    assert_eq!(token_owner(&opened, "secret-1").unwrap(), None);
    assert_eq!(tokens(&opened).unwrap()[0].revoked, Some(1000));
    assert!(token_owner(&opened, "secret-2").unwrap().is_some());
    let noted: Vec<_> =
        audit(&opened, 10).unwrap().into_iter().map(|row| (row.action, row.subject)).collect();
    assert_eq!(
        noted,
        [("token add".to_owned(), "ann".to_owned()), ("token revoke".to_owned(), "ann".to_owned())]
    );
}

/// The condition of a policy for each table, as `annals team init --rights` makes it.
fn policies(database: &str, name: &str) -> String {
    let begin = format!("CREATE ROW POLICY OR REPLACE {database}_{name} ON ");
    let statements = rights_statements(database);
    let mut rows = vec![format!("\"{database}.policy_check\":\"0\"")];
    for statement in statements.iter().filter_map(|statement| statement.strip_prefix(&begin)) {
        let (table, rest) = statement.split_once(" USING ").unwrap();
        let (condition, _) = rest.rsplit_once(" TO ").unwrap();
        rows.push(format!("\"{table}\":\"{condition}\""));
    }
    rows.sort();
    rows.dedup_by(|left, right| left.split(':').next() == right.split(':').next());
    format!("{{{}}}", rows.join(","))
}

#[test]
fn row_policies_show_people_their_own_machines_or_those_of_their_team() {
    let test = "row_policies_show_people_their_own_machines_or_those_of_their_team";
    let folder = TempDir::new("policies");
    let tables = folder.path().join("engine");
    let Some(engine) = TestEngine::start_with(test, &[OsStr::new("--dir"), tables.as_os_str()]) else {
        return;
    };
    let all = fill(&engine, "team");
    // The library runs everything as this login, so it is called like the person.
    assign(&all, MACHINES[1], "default", "shop", 100).unwrap();
    assert!(!is_under_policies(&all).unwrap());
    let total = usage_of_engine(&all).len();
    drop(engine);
    for (name, expected) in
        [("own", &MACHINES[1..2]), ("team", &MACHINES[..2]), ("nobody", &[]), ("all", &MACHINES[..])]
    {
        let file = folder.path().join(format!("{name}.json"));
        std::fs::write(&file, policies("team", name)).unwrap();
        let options = [OsStr::new("--dir"), tables.as_os_str(), OsStr::new("--policies"), file.as_os_str()];
        let engine = TestEngine::start_with(test, &options).unwrap();
        let opened = open(&engine, "team");
        assert!(is_under_policies(&opened).unwrap(), "{name}");
        assert_eq!(seen(&opened), expected, "{name}");
        assert_eq!(usage_of_engine(&opened).len(), if expected.is_empty() { 0 } else { total }, "{name}");
        for view in VIEWS {
            let found = opened
                .select_statement(&format!("SELECT DISTINCT machine FROM {view} ORDER BY machine"))
                .unwrap();
            let machines: Vec<String> = found.rows().map(|row| row.text("machine")).collect();
            let is_all =
                ["sessions", "threads", "projects", "blocks", "said", "tool_calls", "calls"].contains(&view);
            match is_all {
                true => assert_eq!(machines, expected, "{name} {view}"),
                // A response that several have is counted where it was first, of those that are seen; not all have sent of everything.
                false => assert!(
                    machines.iter().all(|machine| expected.contains(&machine.as_str())),
                    "{name} {view}"
                ),
            }
        }
    }
}

#[test]
fn the_engine_reads_every_statement_of_the_rights() {
    let Some(engine) = TestEngine::start("the_engine_reads_every_statement_of_the_rights") else { return };
    let opened = open(&engine, "default");
    for statement in rights_statements("team").iter().map(String::as_str).chain(["GRANT NOTHING TO"]) {
        // The library has nowhere to keep roles, and says so once it has read a statement.
        let refused = opened.execute(statement, &[]).unwrap_err().to_string();
        assert_eq!(refused.contains("Code: 62."), statement == "GRANT NOTHING TO", "{statement}: {refused}");
    }
}
