//! Messages are found in every kind of file, and by parts of names.

use std::path::PathBuf;

use annals_index::search::{ExactFile, Filter, MAX_COUNTED, Query, SearchResults, SessionLimits, find_exact};
use annals_index::{Index, IndexedFileRole, MessageKind};
use annals_store::{DataDir, SessionEntry, Store};
use annals_testkit::builder::Session;
use annals_testkit::home::Home;
use annals_transcript::price::Prices;

use crate::refreshed;

const NOW: i64 = 1_800_000_000_000;

fn exact_file(path: PathBuf, slug: &str) -> ExactFile {
    ExactFile { path, slug: slug.to_owned(), role: IndexedFileRole::Session, owners: Vec::new() }
}

fn store() -> Home {
    let home = Home::new();
    let first = Session::new()
        .id("11111111-0000-4000-8000-000000000000")
        .prompt("Please repair the zebraCrossing parser in src/lexer.rs")
        .response(|response| {
            response.thinking("Perhaps a hippopotamus hides here").text("I shall look at it")
        })
        .tool_use("Bash", r#"{"command":"cat snake_case_name.txt"}"#)
        .tool_result("error: unexpected giraffe at line 7\nnothing else")
        .compaction("Summary: the zebra was repaired")
        .prompt("Thanks, 日本語 works too")
        .reply("The repair is done: say \"hello\"")
        .into_bytes();
    let second = Session::new()
        .id("22222222-0000-4000-8000-000000000000")
        .folder("/elsewhere")
        .prompt("Another talk about a giraffe")
        .tool_use("Read", r#"{"file_path":"/w/src/main.rs"}"#)
        .tool_result("fn main() {}")
        .into_bytes();
    home.write("projects/-w/11111111-0000-4000-8000-000000000000.jsonl", first);
    home.write("projects/-v/22222222-0000-4000-8000-000000000000.jsonl", second);
    home.write("projects/-w/11111111-0000-4000-8000-000000000000/tool-results/x.txt", "a lone rhinoceros");
    home
}

fn search(index: &Index, query: &str) -> SearchResults {
    index.search(&Query::parse(query).unwrap(), 20, NOW, &mut |_, _| None).unwrap()
}

#[test]
fn words_are_found_wherever_they_were_said() {
    let home = store();
    let (index, _) = refreshed(&home.config_dir(), &home.data_dir());
    for (query, expected) in [
        ("hippopotamus", 1),
        ("giraffe", 2),
        ("giraffe -talk", 1),
        ("\"unexpected giraffe\"", 1),
        ("\"giraffe unexpected\"", 0),
        ("zeb*", 2),
        ("crossing", 1),
        ("zebraCrossing", 1),
        ("snake_case_name", 1),
        ("case", 1),
        ("日本", 1),
        ("本語", 1),
        ("rhinoceros", 1),
        ("hippopotamus OR rhinoceros", 2),
        ("giraffe role:user", 1),
        ("giraffe tool:Bash", 1),
        ("giraffe -tool:Bash", 1),
        ("giraffe -file:main.rs", 2),
        ("fn file:main.rs", 1),
        ("giraffe in:prompts", 1),
        ("in:thinking hippopotamus", 1),
        ("in:prompts hippopotamus", 0),
        ("giraffe project:elsewhere", 1),
        ("file:src/main.rs", 2),
        ("tool:Read", 2),
        ("giraffe session:2222", 1),
        ("zebra before:2020-01-01", 0),
    ] {
        let found = search(&index, query);
        assert_eq!((found.total, found.hits.len()), (expected, expected as usize), "{query}: {found:#?}");
    }
}

#[test]
fn names_are_found_by_any_of_their_parts_in_a_row() {
    let home = Home::new();
    let long = format!("k{}", "x7".repeat(50));
    let session = Session::new()
        .id("11111111-0000-4000-8000-000000000000")
        .prompt("calls getUserId first and then getUserName of it")
        .prompt("parseHTTPResponse and getXRay")
        .prompt(&format!("token {long} end"))
        .prompt(&format!("{} the Café was closed", "filler words ".repeat(40)))
        .into_bytes();
    home.write("projects/-w/11111111-0000-4000-8000-000000000000.jsonl", session);
    let (index, _) = refreshed(&home.config_dir(), &home.data_dir());
    for (query, marked) in [
        ("userName", "getUserName"),
        ("userN*", "getUserName"),
        ("getUser*", "getUserId"),
        ("HTTPResponse", "parseHTTPResponse"),
        ("httpResponse", "parseHTTPResponse"),
        ("xRay", "getXRay"),
        (long.as_str(), long.as_str()),
        ("cafe", "Café"),
        ("CAFÉ", "Café"),
    ] {
        let found = search(&index, query);
        assert_eq!(found.total, 1, "{query}: {found:#?}");
        let snippet = &found.hits[0].snippet;
        let first = snippet.marks.first().map(|mark| &snippet.text[mark.clone()]);
        assert_eq!(first, Some(marked), "{query}: {snippet:?}");
    }
    assert_eq!(search(&index, "nameUser").total, 0);
}

#[test]
fn what_people_said_comes_first_with_the_words_around_it() {
    let home = store();
    let (index, _) = refreshed(&home.config_dir(), &home.data_dir());
    let found = search(&index, "giraffe");
    assert_eq!(
        found.hits.iter().map(|hit| hit.kind).collect::<Vec<_>>(),
        [MessageKind::Prompt, MessageKind::ToolResult]
    );
    for hit in &found.hits {
        let marked: Vec<_> = hit.snippet.marks.iter().map(|mark| &hit.snippet.text[mark.clone()]).collect();
        assert_eq!(marked, ["giraffe"], "{hit:?}");
    }
    assert_eq!(found.hits[1].snippet.text, "error: unexpected giraffe at line 7 nothing else");
    assert_eq!(found.hits[1].tool.as_deref(), Some("Bash"));
    assert_eq!(found.hits[0].uuid.as_ref().unwrap().len(), 36);
}

#[test]
fn exact_text_is_found_letter_for_letter() {
    let home = store();
    let path = home.config_dir().join("projects/-w/11111111-0000-4000-8000-000000000000.jsonl");
    let count = |text: &str| {
        let file = exact_file(path.clone(), "-w");
        find_exact(&[file], text, usize::MAX, &[]).into_iter().map(|hits| hits.unwrap().len()).sum::<usize>()
    };
    for (text, expected) in [
        ("say \"hello\"", 1),
        ("braCros", 1),
        ("bracros", 0),
        ("line 7\nnothing", 1),
        ("日本語", 1),
        ("parentUuid", 0),
        ("snake_case_name.txt", 1),
    ] {
        assert_eq!(count(text), expected, "{text}");
    }
}

#[test]
fn filters_mean_the_same_to_exact_text() {
    let home = Home::new();
    let name = "projects/-work-My-Shop/11111111-0000-4000-8000-000000000000.jsonl";
    let session = Session::new()
        .id("11111111-0000-4000-8000-000000000000")
        .folder("/work/My Shop")
        .prompt("find the apple")
        .tool_use("Bash", r#"{"command":"cat apple.txt"}"#)
        .tool_result("apple pie")
        .tool_use("Read", r#"{"file_path":"/w/apple.md"}"#)
        .tool_result("apple tart")
        .into_bytes();
    let path = home.write(name, session);
    let (index, _) = refreshed(&home.config_dir(), &home.data_dir());
    let file = exact_file(path, "-work-My-Shop");
    for (filter, expected) in [
        (Filter::Tool("Bash".into()), 2),
        (Filter::Tool("read".into()), 2),
        (Filter::Tool("Edit".into()), 0),
        (Filter::Project("shop".into()), 5),
        (Filter::Project("My Shop".into()), 5),
        (Filter::Project("work/my".into()), 5),
        (Filter::Project("k.my_shop".into()), 5),
        (Filter::Project("your shop".into()), 0),
    ] {
        let query = Query { filters: vec![filter.clone()], ..Query::parse("apple").unwrap() };
        let by_words = index.search(&query, 20, NOW, &mut |_, _| None).unwrap().total;
        let exactly = find_exact(std::slice::from_ref(&file), "apple", 20, std::slice::from_ref(&filter));
        assert_eq!(
            (by_words, exactly[0].as_ref().unwrap().len()),
            (expected, expected as usize),
            "{filter:?}"
        );
    }
}

#[test]
fn what_is_gone_is_still_found() {
    let home = store();
    drop(refreshed(&home.config_dir(), &home.data_dir()));
    std::fs::remove_file(home.config_dir().join("projects/-v/22222222-0000-4000-8000-000000000000.jsonl"))
        .unwrap();
    let (index, done) = refreshed(&home.config_dir(), &home.data_dir());
    assert_eq!(done.gone, 1);
    let found = search(&index, "giraffe talk");
    assert_eq!(found.total, 1);
    assert!(!found.hits[0].is_there);
    assert_eq!(found.hits[0].snippet.text, "");
}

#[test]
fn copies_that_lie_elsewhere_are_taken_in_and_read_there() {
    let (home, copies) = (store(), Home::new());
    let name = "projects/-v/22222222-0000-4000-8000-000000000000.jsonl";
    let copy = copies.write(name, std::fs::read(home.config_dir().join(name)).unwrap());
    std::fs::remove_file(home.config_dir().join(name)).unwrap();
    let (mut index, _) = refreshed(&home.config_dir(), &home.data_dir());
    assert_eq!(search(&index, "giraffe talk").total, 0);
    let elsewhere = Store::open(copies.config_dir()).discover();
    let take_in = |index: &mut Index| {
        index.add_gone(&elsewhere, &DataDir::new(home.data_dir()), &Prices::embedded()).unwrap()
    };
    assert_eq!((take_in(&mut index), take_in(&mut index)), (1, 0));
    let query = Query::parse("giraffe talk").unwrap();
    let found = index.search(&query, 20, NOW, &mut |_, _| Some(copy.clone())).unwrap();
    assert!(!found.hits[0].is_there);
    assert_eq!(found.hits[0].snippet.text, "Another talk about a giraffe");
    let (_, again) = refreshed(&home.config_dir(), &home.data_dir());
    assert!(again.is_unchanged(), "{again:?}");
}

#[test]
fn what_a_file_was_before_an_edit_is_found() {
    let home = Home::new();
    let line = r#"{"type":"user","uuid":"u","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"done"}]},"toolUseResult":{"filePath":"/w/a","oldString":"x","newString":"y","originalFile":"a forgotten walrus"}}"#;
    home.write("projects/-w/33333333-0000-4000-8000-000000000000.jsonl", format!("{line}\n"));
    let (index, _) = refreshed(&home.config_dir(), &home.data_dir());
    let found = search(&index, "walrus");
    assert_eq!((found.total, found.hits[0].kind), (1, MessageKind::ToolResult));
    assert_eq!(found.hits[0].snippet.text, "done a forgotten walrus");
}

#[test]
fn many_titles_take_no_place_from_passages() {
    let home = Home::new();
    let mut lines: String = (0..8)
        .map(|at| format!("{{\"type\":\"custom-title\",\"customTitle\":\"heron {}\",\"sessionId\":\"55555552-0000-4000-8000-000000000000\"}}\n", "x".repeat(at)))
        .collect();
    lines += "{\"type\":\"user\",\"uuid\":\"a\",\"timestamp\":\"2020-01-01T00:00:00.000Z\",\"message\":{\"role\":\"user\",\"content\":\"an old heron\"}}\n";
    home.write("projects/-w/55555552-0000-4000-8000-000000000000.jsonl", lines);
    let (index, _) = refreshed(&home.config_dir(), &home.data_dir());
    let limits = SessionLimits { sessions: 20, passages: 3 };
    let found =
        index.search_sessions(&Query::parse("heron").unwrap(), limits, NOW, &mut |_, _| None).unwrap();
    assert_eq!((found.sessions.len(), found.sessions[0].hits.len()), (1, 1));
    assert!(found.sessions[0].title_hit.is_some());
}

#[test]
fn a_long_session_does_not_hide_the_others() {
    let home = Home::new();
    let prompt = |line: usize| {
        format!(
            "{{\"type\":\"user\",\"uuid\":\"{line}\",\"message\":{{\"role\":\"user\",\"content\":\"a heron {line}\"}}}}\n"
        )
    };
    home.write("projects/-w/55555550-0000-4000-8000-000000000000.jsonl", prompt(0));
    drop(refreshed(&home.config_dir(), &home.data_dir()));
    let long: String = (1..2000).map(prompt).collect();
    home.write("projects/-w/55555551-0000-4000-8000-000000000000.jsonl", long);
    let (index, _) = refreshed(&home.config_dir(), &home.data_dir());
    let limits = SessionLimits { sessions: 20, passages: 3 };
    let query = Query::parse("heron").unwrap();
    let found = index.search_sessions(&query, limits, NOW, &mut |_, _| None).unwrap();
    let counts: Vec<u64> = found.sessions.iter().map(|session| session.count).collect();
    assert_eq!((found.total, found.is_more, counts), (2000, false, vec![1999, 1]));
}

#[test]
fn a_flood_is_counted_so_far_and_no_further() {
    let home = Home::new();
    for file in 0..3 {
        let lines: String = (0..MAX_COUNTED)
            .map(|line| {
                let year = if line % 2 == 0 { 2020 } else { 2026 };
                format!("{{\"type\":\"user\",\"uuid\":\"{file}-{line}\",\"timestamp\":\"{year}-01-01T00:00:00.000Z\",\"message\":{{\"role\":\"user\",\"content\":\"flood {line}\"}}}}\n")
            })
            .collect();
        home.write(format!("projects/-w/4444444{file}-0000-4000-8000-000000000000.jsonl"), lines);
    }
    let (index, _) = refreshed(&home.config_dir(), &home.data_dir());
    let found = search(&index, "flood");
    assert_eq!((found.total, found.is_more, found.hits.len()), (MAX_COUNTED as u64, true, 20));
    let found = search(&index, "flood 7");
    assert_eq!((found.total, found.is_more), (3, false));
    let all = index.search(&Query::parse("flood").unwrap(), 20_000, NOW, &mut |_, _| None).unwrap();
    assert_eq!((all.total, all.is_more, all.hits.len()), (3 * MAX_COUNTED as u64, false, 3 * MAX_COUNTED));
    let all = index.search(&Query::parse("flood").unwrap(), usize::MAX, NOW, &mut |_, _| None).unwrap();
    assert_eq!(all.hits.len(), 3 * MAX_COUNTED);

    let discovery = Store::open(home.config_dir()).discover();
    let file = |session: &SessionEntry| exact_file(session.path.clone(), session.slug.as_str());
    let files: Vec<_> = discovery.sessions.iter().map(file).collect();
    let counts = |most| -> Vec<usize> {
        let found = find_exact(&files, "flood", most, &[Filter::After(1_700_000_000_000)]);
        found.into_iter().map(|hits| hits.unwrap().len()).collect()
    };
    assert_eq!(counts(usize::MAX), [MAX_COUNTED / 2; 3]);
    // Two may have been started at once, but the first is always there.
    assert_eq!((counts(1)[0], counts(0)), (MAX_COUNTED / 2, vec![0; 3]));
}

#[test]
fn a_summary_in_another_file_of_the_project_is_the_title() {
    let home = Home::new();
    let prompt = |id: &str, uuid: &str, text: &str| {
        format!(
            r#"{{"type":"user","uuid":"{uuid}","sessionId":"{id}","timestamp":"2025-07-01T10:00:00Z","message":{{"role":"user","content":"{text}"}}}}"#
        )
    };
    let summary =
        |leaf: &str, title: &str| format!(r#"{{"type":"summary","summary":"{title}","leafUuid":"{leaf}"}}"#);
    let ids = [1, 2, 3].map(|at: u8| format!("{at}0000000-0000-4000-8000-000000000000"));
    let leaves = [1, 2].map(|at: u8| format!("a{at}000000-0000-4000-8000-000000000000"));
    let first = prompt(&ids[0], &leaves[0], "the giraffe of the first")
        + "\n"
        + &prompt(&ids[0], &leaves[1], "and more")
        + "\n";
    let second =
        format!("{}\n{}\n", summary(&leaves[0], "Older"), summary(&leaves[1], "Giraffes, first part"))
            + &prompt(&ids[1], "b", "the giraffe of the second");
    let elsewhere =
        summary(&leaves[1], "Of another project") + "\n" + &prompt(&ids[2], "c", "the giraffe elsewhere");
    home.write(format!("projects/-w/{}.jsonl", ids[0]), first);
    home.write(format!("projects/-w/{}.jsonl", ids[1]), second);
    home.write(format!("projects/-v/{}.jsonl", ids[2]), elsewhere);
    let (index, _) = refreshed(&home.config_dir(), &home.data_dir());
    let title = |id: &str| index.session_card(id).unwrap().unwrap().title().map(str::to_owned);
    assert_eq!(title(&ids[0]).as_deref(), Some("Giraffes, first part"));
    assert_eq!(title(&ids[1]).as_deref(), Some("the giraffe of the second"));
    assert_eq!(title(&ids[2]).as_deref(), Some("the giraffe elsewhere"));
}

#[test]
fn a_summary_that_names_a_record_without_blocks_is_the_title() {
    let home = Home::new();
    let [own, other] = [1, 2].map(|at: u8| format!("{at}1000000-0000-4000-8000-000000000000"));
    let leaf = "b1000000-0000-4000-8000-000000000000";
    let prompt = format!(
        r#"{{"type":"user","uuid":"a","sessionId":"{own}","timestamp":"2025-07-01T10:00:00Z","message":{{"role":"user","content":"the tapir asks"}}}}"#
    );
    let empty = format!(
        r#"{{"type":"assistant","uuid":"{leaf}","sessionId":"{own}","timestamp":"2025-07-01T10:00:01Z","message":{{"role":"assistant","content":[]}}}}"#
    );
    let summary = format!(r#"{{"type":"summary","summary":"Tapirs at night","leafUuid":"{leaf}"}}"#);
    home.write(format!("projects/-w/{own}.jsonl"), format!("{prompt}\n{empty}\n"));
    home.write(format!("projects/-w/{other}.jsonl"), format!("{summary}\n"));
    let (index, _) = refreshed(&home.config_dir(), &home.data_dir());
    let card = index.session_card(&own).unwrap().unwrap();
    assert_eq!(card.title(), Some("Tapirs at night"));
}

#[test]
fn a_title_in_a_file_of_its_own_is_found_and_names_the_session() {
    let home = Home::new();
    let id = "40000000-0000-4000-8000-000000000000";
    let prompt = format!(
        r#"{{"type":"user","uuid":"a","sessionId":"{id}","timestamp":"2025-07-01T10:00:00Z","message":{{"role":"user","content":"the okapi asks for something"}}}}"#
    );
    let beside = format!("projects/-w/{id}/custom-title.json");
    home.write(format!("projects/-w/{id}.jsonl"), format!("{prompt}\n"));
    home.write(&beside, r#"{"customTitle":"Stripes and \"hooves\""}"#);
    let (mut index, _) = refreshed(&home.config_dir(), &home.data_dir());
    let title = |index: &Index| index.session_card(id).unwrap().unwrap().title().map(str::to_owned);
    assert_eq!(title(&index).as_deref(), Some("Stripes and \"hooves\""));
    let limits = SessionLimits { sessions: 20, passages: 3 };
    let query = Query::parse("hooves").unwrap();
    let found = index.search_sessions(&query, limits, NOW, &mut |_, _| None).unwrap();
    let [session] = found.sessions.as_slice() else { panic!("{found:?}") };
    assert_eq!((session.session.as_str(), session.hits.len()), (id, 0));
    let hit = session.title_hit.as_ref().unwrap();
    assert_eq!((hit.kind, hit.snippet.text.as_str()), (MessageKind::Title, "Stripes and \"hooves\""));

    let file = exact_file(home.config_dir().join(&beside), "-w");
    let file = ExactFile { role: IndexedFileRole::CustomTitle, ..file };
    let exact = |text: &str| find_exact(std::slice::from_ref(&file), text, 9, &[]).remove(0).unwrap();
    assert_eq!(exact("and \"hooves")[0].kind, MessageKind::Title);
    assert!(exact("customTitle").is_empty(), "the name of the field is no title");

    // A record of the session comes first.
    let own = r#"{"type":"custom-title","customTitle":"Its own"}"#;
    home.write(format!("projects/-w/{id}.jsonl"), format!("{prompt}\n{own}\n"));
    (index, _) = refreshed(&home.config_dir(), &home.data_dir());
    assert_eq!(title(&index).as_deref(), Some("Its own"));
}
