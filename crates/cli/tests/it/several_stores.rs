//! Several stores at once: how they are named, what reads them all, and that a change is of one.

use std::fs;
use std::path::{Path, PathBuf};

use annals_testkit::builder::Session;
use annals_testkit::home::{CommandOutput, Home};
use annals_testkit::tree::{copy, exact_tree};

use crate::schemas::keep_schema;

const APPLES: &str = "aaaa0000-1111-4222-8333-444444444444";
const BEETS: &str = "bbbb0000-1111-4222-8333-444444444444";

/// Two stores with a session each; the second is not the home's.
struct TwoStores {
    home: Home,
    first: PathBuf,
    second: PathBuf,
}

impl TwoStores {
    fn new() -> Self {
        let home = Home::new();
        let (first, second) = (home.config_dir(), home.path().join("second, or third"));
        for (store, id, plant) in [(&first, APPLES, "apples"), (&second, BEETS, "beets")] {
            let session = Session::new().id(id).folder("/w").prompt(&format!("Water the {plant}"));
            let session = session.reply(&format!("The {plant} are wet."));
            let text = String::from_utf8(session.into_bytes()).unwrap();
            // No two stores share a response, unless somebody copied one.
            let text = text.replace("msg_", &format!("msg_{plant}")).replace("req_", &format!("req_{plant}"));
            write(&store.join(format!("projects/-w/{id}.jsonl")), &text);
            write(&store.join(format!("plans/{plant}.md")), &format!("# Plan for {plant}\n"));
            write(
                &store.join(format!("todos/{id}-agent-{id}.json")),
                &format!(r#"[{{"content":"dig {plant}","status":"pending","activeForm":"digging"}}]"#),
            );
            let prompt = format!(
                r#"{{"display":"Water the {plant}","pastedContents":{{}},"timestamp":1760000000000,"project":"/w","sessionId":"{id}"}}"#
            );
            write(&store.join("history.jsonl"), &format!("{prompt}\n"));
        }
        Self { home, first, second }
    }

    fn run(&self, arguments: &[&str], code: i32) -> CommandOutput {
        let stores = [self.first.to_str().unwrap(), self.second.to_str().unwrap()];
        let mut all = vec!["--config-dir", stores[0], "--config-dir", stores[1]];
        all.extend(arguments);
        let answer = self.home.run(env!("CARGO_BIN_EXE_annals"), &all);
        assert_eq!(answer.code, Some(code), "{arguments:?}\n{}{}", answer.out, answer.error);
        answer
    }

    /// Runs it with other variables.
    fn run_with(&self, variables: &[(&str, Option<&str>)], arguments: &[&str]) -> CommandOutput {
        let mut command = self.home.command(env!("CARGO_BIN_EXE_annals"));
        for (name, value) in variables {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.args(arguments);
        self.home.finish(&mut command)
    }
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    fs::File::options().write(true).open(path).unwrap().set_modified(old).unwrap();
}

#[test]
fn every_reading_command_reads_all_stores_and_names_them() {
    let stores = TwoStores::new();
    // Without an index, with it, and again.
    for _ in 0..2 {
        for (schema, arguments, code) in [
            ("ls", &["ls", "--json"][..], 0),
            ("search", &["search", "water", "--json"], 0),
            ("search", &["search", "--exact", "Water", "--json"], 0),
            ("sql", &["sql", "SELECT id FROM sessions", "--json"], 0),
            ("history", &["history", "--json"], 0),
            ("todos", &["todos", "--json"], 0),
            ("plans", &["plans", "--json"], 0),
            ("check", &["check", "--all", "--json"], 0),
            ("index", &["index", "--json"], 0),
        ] {
            let out = stores.run(arguments, code).out;
            let lines: Vec<&[u8]> = out.lines().map(str::as_bytes).collect();
            keep_schema(schema, &lines, &arguments.join(" "));
            for store in [&stores.first, &stores.second] {
                let named = format!(r#""store":"{}""#, store.display());
                assert_eq!(out.matches(&named).count(), out.matches("\"store\":\"").count() / 2, "{out}");
                assert!(out.contains(&named), "{arguments:?}: {out}");
            }
        }
        for (schema, arguments) in [
            ("overview", &["--json"][..]),
            ("usage", &["usage", "--json"]),
            ("usage", &["usage", "--by", "session", "--json"]),
            ("usage", &["usage", "--by", "tool", "--no-index", "--json"]),
            ("stats", &["stats", "--json"]),
            ("usage-statusline", &["usage", "--statusline", "--json"]),
        ] {
            let out = stores.run(arguments, if arguments.contains(&"tool") { 1 } else { 0 }).out;
            keep_schema(schema, &[out.trim_end().as_bytes()], &arguments.join(" "));
        }
        let overview = stores.run(&["--json"], 0).out;
        assert!(overview.contains(r#""sessions":2"#) && overview.contains(r#""stores":["#), "{overview}");
        let usage = stores.run(&["usage", "--by", "session", "--json"], 0).out;
        assert!(usage.contains(APPLES) && usage.contains(BEETS), "{usage}");
        assert!(stores.run(&["stats", "--json"], 0).out.contains(r#""sessions":2"#));
    }
}

#[test]
fn people_see_the_store_where_there_are_several() {
    let stores = TwoStores::new();
    for arguments in
        [&["ls"][..], &["ls", "--long"], &[], &["history"], &["plans"], &["todos"], &["search", "water"]]
    {
        let out = stores.run(arguments, 0).out;
        assert!(out.contains("~/.claude") && out.contains("second, or third"), "{arguments:?}\n{out}");
    }
    let [first, second] = [&stores.first, &stores.second].map(|store| store.to_str().unwrap());
    for columns in ["40", "60", "80", "100"] {
        for arguments in [&["ls"][..], &["ls", "--long"], &[], &["history"], &["search", "water"]] {
            let both = ["--config-dir", first, "--config-dir", second];
            let run = stores.run_with(&[("COLUMNS", Some(columns))], &[&both, arguments].concat());
            assert_eq!(run.code, Some(0), "{columns} {arguments:?}: {}", run.error);
        }
    }
    let one = stores.home.run(env!("CARGO_BIN_EXE_annals"), ["ls"]);
    assert!(!one.out.contains("store") && !one.out.contains(".claude"), "{}", one.out);
}

#[test]
fn a_session_is_found_in_any_store_and_changed_where_it_is() {
    let stores = TwoStores::new();
    assert!(stores.run(&["show", "bbbb"], 0).out.contains("beets"));
    assert!(stores.run(&["show", "aaaa", "--as", "api"], 0).out.contains("apples"));
    assert!(stores.run(&["check", "aaaa", "bbbb"], 0).out.contains("resumes"));
    assert!(stores.run(&["todos", "bbbb"], 0).out.contains("dig beets"));
    let before = [exact_tree(&stores.first), exact_tree(&stores.second)];
    for arguments in [
        &["rename", "bbbb", "Roots", "--yes"][..],
        &["tag", "bbbb", "garden", "--yes"],
        &["clone", "bbbb", "--yes"],
        &["trash", "bbbb", "--yes"],
        &["redact", "bbbb", "--pattern", "beets", "--yes"],
        &["todos", "set", "bbbb", "--yes"],
    ] {
        let mut command = stores.home.command(env!("CARGO_BIN_EXE_annals"));
        command.args(["--config-dir", stores.first.to_str().unwrap(), "--config-dir"]).arg(&stores.second);
        command.args(arguments);
        if arguments[0] == "todos" {
            let input = stores.home.path().join("todo.json");
            fs::write(&input, r#"[{"content":"sow","status":"pending","activeForm":"sowing"}]"#).unwrap();
            command.stdin(fs::File::open(input).unwrap());
        }
        let done = stores.home.finish(&mut command);
        assert_eq!(done.code, Some(0), "{arguments:?}\n{}{}", done.out, done.error);
        assert_eq!(exact_tree(&stores.first), before[0], "{arguments:?} touched the other store");
        assert_ne!(exact_tree(&stores.second), before[1], "{arguments:?}");
        // What is undone is named by its id, wherever it is.
        let list = stores.run(&["undo", "--list", "--json"], 0).out;
        let id = list.split("\"undo\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
        stores.run(&["undo", &id, "--yes"], 0);
        assert_eq!(exact_tree(&stores.second), before[1], "{arguments:?} undone");
    }
}

#[test]
fn a_trashed_session_comes_back_to_its_store() {
    let stores = TwoStores::new();
    let before = exact_tree(&stores.second);
    stores.run(&["trash", "bbbb", "--yes"], 0);
    assert!(stores.run(&["trash", "--list", "--json"], 0).out.contains(BEETS));
    assert!(stores.run(&["restore", "--json"], 0).out.contains(BEETS));
    stores.run(&["restore", "bbbb", "--yes"], 0);
    assert_eq!(exact_tree(&stores.second), before);
    // The vault keeps the deleted ones of both.
    for store in [&stores.first, &stores.second] {
        let kept = stores
            .home
            .run(env!("CARGO_BIN_EXE_annals"), ["--config-dir", store.to_str().unwrap(), "archive", "--all"]);
        assert_eq!(kept.code, Some(0), "{}", kept.error);
    }
    fs::remove_file(stores.second.join(format!("projects/-w/{BEETS}.jsonl"))).unwrap();
    assert!(stores.run(&["ls", "--json"], 0).out.contains(BEETS));
    assert!(stores.run(&["show", "bbbb"], 0).out.contains("beets"));
    stores.run(&["restore", "bbbb", "--yes"], 0);
    assert_eq!(exact_tree(&stores.second), before);
}

#[test]
fn a_copy_in_another_store_is_ambiguous() {
    let stores = TwoStores::new();
    let third = stores.home.path().join("third");
    copy(&stores.first, &third);
    let all = [stores.first.to_str().unwrap(), third.to_str().unwrap()];
    let run = |arguments: &[&str]| {
        let mut all = vec!["--config-dir", all[0], "--config-dir", all[1]];
        all.extend(arguments);
        stores.home.run(env!("CARGO_BIN_EXE_annals"), &all)
    };
    for arguments in [&["show", APPLES][..], &["rename", "aaaa", "x", "--yes"], &["tail", "aaaa"]] {
        let refused = run(arguments);
        assert_eq!(refused.code, Some(2), "{arguments:?}: {}", refused.error);
        for store in all {
            assert!(refused.error.contains(&format!("--config-dir {store}")), "{}", refused.error);
        }
    }
    // What was paid once counts once.
    let usage = run(&["usage", "--json"]).out;
    let once = stores.home.run(env!("CARGO_BIN_EXE_annals"), ["usage", "--json"]).out;
    let total =
        |out: &str| out.split("\"total\":").nth(1).unwrap().split("\"models\"").next().unwrap().to_owned();
    assert_eq!(total(&usage), total(&once));
}

#[test]
fn a_change_without_a_session_needs_one_store() {
    let stores = TwoStores::new();
    stores.run(&["rename", "bbbb", "Roots", "--yes"], 0);
    let before = [exact_tree(&stores.first), exact_tree(&stores.second)];
    for arguments in [
        &["undo", "--yes"][..],
        &["gc"],
        &["gc", "--apply", "--yes"],
        &["trash", "--empty", "--yes"],
        &["move-project", "/w", "/v", "--yes"],
        &["reset-project", "/w", "--yes"],
        &["archive", "--all"],
        &["collect", "--to", "-"],
        &["usage", "--compare"],
    ] {
        let refused = stores.run(arguments, 2);
        for store in [&stores.first, &stores.second] {
            assert!(
                refused.error.contains(&format!("--config-dir {}", store.display())),
                "{}",
                refused.error
            );
        }
    }
    for arguments in [&["trash", "aaaa", "bbbb", "--yes"][..], &["merge", "aaaa", "bbbb", "--yes"]] {
        assert!(stores.run(arguments, 2).error.contains("different stores"), "{arguments:?}");
    }
    assert_eq!([exact_tree(&stores.first), exact_tree(&stores.second)], before);
    // What only adds goes to the store that was named first.
    let new = stores.run(&["new", "--json"], 0).out;
    assert!(new.contains(&stores.first.display().to_string()), "{new}");
}

#[test]
fn the_variable_may_be_a_list() {
    let stores = TwoStores::new();
    let third = stores.home.path().join("third");
    copy(&stores.second, &third);
    let list = format!("{}, {},", stores.first.display(), third.display());
    let listed = stores.run_with(&[("CLAUDE_CONFIG_DIR", Some(&list))], &["ls", "--json"]);
    assert!(listed.out.contains(APPLES) && listed.out.contains(BEETS), "{}{}", listed.out, listed.error);
    // A folder whose name has a comma is itself.
    let second = stores.second.to_str().unwrap();
    let listed = stores.run_with(&[("CLAUDE_CONFIG_DIR", Some(second))], &["ls", "--json"]);
    assert!(
        listed.out.contains(BEETS) && !listed.out.contains("\"store\""),
        "{}{}",
        listed.out,
        listed.error
    );
    // An option wins.
    let listed =
        stores.run_with(&[("CLAUDE_CONFIG_DIR", Some(&list))], &["--config-dir", second, "ls", "--json"]);
    assert!(listed.out.contains(BEETS) && !listed.out.contains(APPLES), "{}", listed.out);
}

#[test]
fn a_named_store_must_exist() {
    let stores = TwoStores::new();
    let list = format!("{},/no/such/store", stores.first.display());
    let by_variable = stores.run_with(&[("CLAUDE_CONFIG_DIR", Some(&list))], &["ls"]);
    let by_option = stores.run(&["--config-dir", "/no/such/store", "ls"], 2);
    let behind = stores.run(&["ls", "--config-dir", "/no/such/store"], 2);
    for refused in [by_variable, by_option, behind] {
        assert_eq!(refused.code, Some(2), "{}", refused.error);
        assert!(refused.error.contains("/no/such/store"), "{}", refused.error);
    }
}

#[test]
fn a_store_that_is_named_twice_is_read_once() {
    let stores = TwoStores::new();
    let first = stores.first.to_str().unwrap();
    let mut names = vec![first.to_owned(), format!("{first}/"), format!("{first}/../.claude")];
    #[cfg(unix)]
    {
        let link = stores.home.path().join("link");
        std::os::unix::fs::symlink(&stores.first, &link).unwrap();
        names.push(link.display().to_string());
    }
    let mut arguments: Vec<&str> = names.iter().flat_map(|name| ["--config-dir", name.as_str()]).collect();
    arguments.extend(["ls", "--json"]);
    let listed = stores.home.run(env!("CARGO_BIN_EXE_annals"), &arguments);
    assert_eq!(
        listed.out.matches(&format!(r#""id":"{APPLES}""#)).count(),
        1,
        "{}{}",
        listed.out,
        listed.error
    );
    assert!(!listed.out.contains("\"store\""), "{}", listed.out);
}

#[test]
fn both_usual_places_are_read_if_clients_have_been_there() {
    let stores = TwoStores::new();
    let usual = stores.home.path().join("config/claude");
    let without = [("CLAUDE_CONFIG_DIR", None)];
    // A folder of another program is no store.
    fs::create_dir_all(&usual).unwrap();
    let listed = stores.run_with(&without, &["ls", "--json"]);
    assert!(listed.out.contains(APPLES) && !listed.out.contains("\"store\""), "{}", listed.out);
    copy(&stores.second, &usual);
    let listed = stores.run_with(&without, &["ls", "--json"]);
    assert!(listed.out.contains(APPLES) && listed.out.contains(BEETS), "{}", listed.out);
    // ~/.config is the default.
    let home_config = stores.home.path().join(".config/claude");
    copy(&stores.second, &home_config);
    for xdg in [None, Some("relative")] {
        let variables = [("CLAUDE_CONFIG_DIR", None), ("XDG_CONFIG_HOME", xdg)];
        let listed = stores.run_with(&variables, &["ls", "--json"]);
        assert!(listed.out.contains(home_config.to_str().unwrap()), "{}", listed.out);
    }
}

#[test]
fn rows_of_usage_by_session_name_their_store() {
    let stores = TwoStores::new();
    let answer = stores.run(&["usage", "--by", "session", "--json"], 0).out;
    for (id, store) in [(APPLES, &stores.first), (BEETS, &stores.second)] {
        let row =
            answer.split(r#"{"key":"#).find(|row| row.contains(id)).unwrap_or_else(|| panic!("{answer}"));
        assert!(row.contains(&format!(r#""store":"{}""#, store.display())), "{row}");
    }
}

#[test]
fn a_response_that_two_stores_have_under_different_ids_is_counted_once() {
    let stores = TwoStores::new();
    let responses = |answer: &str| {
        let (_, total) = answer.split_once(r#""total":"#).unwrap_or_else(|| panic!("{answer}"));
        let (_, count) = total.split_once(r#""responses":"#).unwrap();
        count.split([',', '}']).next().unwrap().to_owned()
    };
    let once = responses(&stores.run(&["usage", "--json"], 0).out);
    let original = fs::read_to_string(stores.first.join(format!("projects/-w/{APPLES}.jsonl"))).unwrap();
    let elsewhere = "cccc0000-1111-4222-8333-444444444444";
    write(
        &stores.second.join(format!("projects/-w/{elsewhere}.jsonl")),
        &original.replace(APPLES, elsewhere),
    );
    for arguments in [&["usage", "--json"][..], &["usage", "--json", "--no-index"]] {
        assert_eq!(responses(&stores.run(arguments, 0).out), once, "{arguments:?}");
    }
}

#[test]
fn the_warning_before_a_deletion_is_by_the_settings_of_each_store() {
    let stores = TwoStores::new();
    let month_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(28 * 24 * 3600);
    for (store, id) in [(&stores.first, APPLES), (&stores.second, BEETS)] {
        let file = fs::File::options().append(true).open(store.join(format!("projects/-w/{id}.jsonl")));
        file.unwrap().set_modified(month_ago).unwrap();
    }
    write(&stores.first.join("settings.json"), r#"{"cleanupPeriodDays": 99999}"#);
    let lists = stores.run(&["ls", "--all"], 0);
    let told = lists.out + &lists.error;
    let warnings: Vec<_> = told.lines().filter(|line| line.contains("not archived")).collect();
    let command = format!("annals archive --all --config-dir '{}'", stores.second.display());
    assert!(warnings.len() == 1 && warnings[0].contains(&command), "{told}");
    let overview = stores.run(&["--json"], 0).out;
    assert!(
        overview.contains(r#""deletions":{"cleanupPeriodDays":30,"sessions":1,"overdue":0}"#),
        "{overview}"
    );
}
