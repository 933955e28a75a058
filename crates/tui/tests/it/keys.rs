//! What keys and answers do to the app, and which effects they have.

use annals_tui::{Answer, Change, Client, Effect, Event, Mouse, SessionRow};

use crate::fixture::{
    NOW, answer, app, conversation, frame, garden, open, press, report, rows, show, type_text,
};

const SIZE: (u16, u16) = (80, 24);

#[test]
fn a_session_is_opened_and_left() {
    let mut app = app(SIZE);
    let effects = press(&mut app, "j enter");
    assert_eq!(effects, [Effect::Open("/store/2222.jsonl".into())]);
    assert!(frame(&app, SIZE).contains("reading 76.7 KB …"));
    assert_eq!(press(&mut app, "q"), [Effect::List], "the list may be old by now");
    show(&mut app, "/store/2222.jsonl".as_ref(), conversation(&garden()));
    assert!(frame(&app, SIZE).contains("3 sessions"), "what comes too late is not shown");
    assert_eq!(press(&mut app, "q"), [Effect::Quit]);
}

#[test]
fn a_session_that_cannot_be_read_says_why() {
    let mut app = app(SIZE);
    press(&mut app, "enter");
    let error = Err("permission denied".to_owned());
    answer(&mut app, Answer::Opened("/store/1111.jsonl".into(), error));
    assert!(frame(&app, SIZE).contains("permission denied"));
    press(&mut app, "j G ] n v enter");
}

#[test]
fn the_filter_is_live_and_escape_takes_it_back() {
    let mut app = app(SIZE);
    press(&mut app, "/");
    type_text(&mut app, "sync con");
    assert!(frame(&app, SIZE).contains("2 of 3 sessions"));
    app.update(Event::Paste("\u{1b}[2Jnothing\nlike it".to_owned()));
    assert!(frame(&app, SIZE).contains("no session matches"));
    press(&mut app, "esc");
    assert!(frame(&app, SIZE).contains("annals  3 sessions"));
    press(&mut app, "/");
    type_text(&mut app, "rounding");
    press(&mut app, "enter");
    assert!(frame(&app, SIZE).contains("1 of 3 sessions"));
    press(&mut app, "esc");
    assert!(frame(&app, SIZE).contains("annals  3 sessions"));
}

#[test]
fn a_search_opens_the_session_at_its_passage() {
    let mut app = app(SIZE);
    press(&mut app, "s");
    type_text(&mut app, "pots");
    assert_eq!(press(&mut app, "enter"), [Effect::Search("pots".to_owned())]);
    let hit = annals_tui::SearchHit {
        session: rows()[1].id.clone(),
        line: Some(7),
        snippet: "And pots?".to_owned(),
        count: 1,
    };
    answer(&mut app, Answer::Hits("pots".to_owned(), Ok(vec![hit])));
    open(&mut app, conversation(&garden()));
    let seen = frame(&app, SIZE);
    assert!(seen.contains("▶▌ you") && seen.contains("2/3"), "{seen}");
    press(&mut app, "q s");
    assert!(press(&mut app, "ctrl-u enter").is_empty());
    assert!(frame(&app, SIZE).contains("annals  3 sessions"));
}

#[test]
fn turns_are_jumped_to() {
    let mut app = app(SIZE);
    open(&mut app, conversation(&garden()));
    for (keys, turn) in [("]", "2/3"), ("]", "3/3"), ("[", "2/3"), ("g", "1/3"), ("G", "3/3")] {
        press(&mut app, keys);
        assert!(frame(&app, SIZE).contains(turn), "after {keys} not {turn}:\n{}", frame(&app, SIZE));
    }
    assert!(frame(&app, SIZE).contains("100%"));
}

#[test]
fn folds_open_and_close_under_the_cursor() {
    let mut app = app(SIZE);
    open(&mut app, conversation(&garden()));
    let closed = frame(&app, SIZE);
    assert!(closed.contains("▸ thinking") && !closed.contains("│ The file has a line for each"));
    press(&mut app, "j j j");
    press(&mut app, "enter");
    let open = frame(&app, SIZE);
    assert!(open.contains("│ The file has a line for each."), "{open}");
    press(&mut app, "enter g");
    assert_eq!(frame(&app, SIZE), closed);
}

#[test]
fn text_is_found_in_what_is_closed_and_matches_are_gone_through() {
    let mut app = app(SIZE);
    open(&mut app, conversation(&garden()));
    press(&mut app, "/");
    type_text(&mut app, "bed 17");
    press(&mut app, "enter");
    assert!(frame(&app, SIZE).contains("▶  │ bed 17: tomatoes"), "{}", frame(&app, SIZE));
    press(&mut app, "/");
    type_text(&mut app, "tomatoes");
    press(&mut app, "enter n n N");
    assert!(frame(&app, SIZE).contains("▶  │ bed 18: tomatoes"), "{}", frame(&app, SIZE));
    press(&mut app, "/");
    type_text(&mut app, "cucumbers");
    press(&mut app, "enter");
    assert!(frame(&app, SIZE).contains("nothing found for \"cucumbers\""));
    press(&mut app, "/");
    type_text(&mut app, "how many");
    press(&mut app, "enter");
    assert!(frame(&app, SIZE).contains("1/3"), "it goes on at the start");
}

#[test]
fn a_session_that_grows_is_followed_at_its_end_only() {
    let mut app = app(SIZE);
    open(&mut app, conversation(&garden()));
    let path = rows()[0].path.clone();
    let tick = |app: &mut annals_tui::App, after: i64| app.update(Event::Tick(NOW + after));
    assert_eq!(tick(&mut app, 100), []);
    assert_eq!(tick(&mut app, 1000), [Effect::Follow(path.clone(), 1)]);
    assert_eq!(tick(&mut app, 9000), [], "one question at a time");
    let grown = || {
        let more = String::from_utf8(garden()).unwrap().lines().last().unwrap().to_owned();
        let more = more.replace("You are welcome.", "One more thing.").replace("\"uuid\":\"", "\"uuid\":\"f");
        conversation(&[garden(), more.into_bytes()].concat())
    };
    show(&mut app, &path, grown());
    assert!(frame(&app, SIZE).contains("1/3"), "the reader stays where it is");
    press(&mut app, "G");
    show(&mut app, &path, conversation(&garden()));
    show(&mut app, &path, grown());
    let seen = frame(&app, SIZE);
    assert!(seen.contains("One more thing.") && seen.contains("100%"), "{seen}");
}

#[test]
fn a_change_is_planned_and_done_only_after_a_yes() {
    let mut app = app(SIZE);
    let path = rows()[0].path.clone();
    press(&mut app, "t ctrl-u");
    type_text(&mut app, "New title");
    let change = Change::Rename { session: path.clone(), title: "New title".to_owned() };
    assert_eq!(press(&mut app, "enter"), [Effect::Plan(change.clone())]);
    answer(&mut app, Answer::Plan(change.clone(), Ok(vec!["would rename".to_owned()])));
    assert!(press(&mut app, "enter x space j").is_empty(), "an accidental key is no answer");
    assert!(frame(&app, SIZE).contains("would rename"));
    assert!(press(&mut app, "n").is_empty());
    assert!(frame(&app, SIZE).contains("nothing was changed"));
    answer(&mut app, Answer::Plan(change.clone(), Ok(vec!["would rename".to_owned()])));
    assert_eq!(press(&mut app, "y"), [Effect::Apply(change.clone())]);
    let effects = answer(&mut app, Answer::Applied(change, Ok(vec!["renamed it".to_owned()])));
    assert_eq!(effects, [Effect::List, Effect::Count]);
    assert!(frame(&app, SIZE).contains("renamed it; u undoes it"));
    assert_eq!(press(&mut app, "d"), [Effect::Plan(Change::Trash { session: path })]);
    assert_eq!(press(&mut app, "u"), [Effect::Plan(Change::Undo)]);
}

#[test]
fn a_plan_that_arrives_while_something_is_typed_asks_nothing() {
    let mut app = app(SIZE);
    press(&mut app, "d /");
    let change = Change::Trash { session: rows()[0].path.clone() };
    answer(&mut app, Answer::Plan(change, Ok(vec!["would trash".to_owned()])));
    assert_eq!(press(&mut app, "y"), [], "a letter of the filter is no yes");
}

#[test]
fn a_fork_is_at_the_record_under_the_cursor() {
    let mut app = app(SIZE);
    open(&mut app, conversation(&garden()));
    let effects = press(&mut app, "] f");
    let [Effect::Plan(Change::Fork { at: Some(uuid), .. })] = effects.as_slice() else {
        panic!("{effects:?}")
    };
    let file = String::from_utf8(garden()).unwrap();
    let line = file.lines().find(|line| line.contains(&format!("\"uuid\":\"{uuid}\""))).unwrap();
    assert!(line.contains("And pots?"), "{line}");
}

#[test]
fn a_client_is_chosen_before_it_is_run() {
    let mut app = app(SIZE);
    assert!(press(&mut app, "r x").is_empty(), "any other key stays");
    let effects = press(&mut app, "r a");
    let is_row = |row: &SessionRow| row.id == rows()[0].id;
    assert!(
        matches!(effects.as_slice(), [Effect::Resume(Client::Annals, row)] if is_row(row)),
        "{effects:?}"
    );
    assert!(matches!(press(&mut app, "r c").as_slice(), [Effect::Resume(Client::Claude, _)]));
    answer(&mut app, Answer::Resumed(Err("cannot run claude: not found".to_owned())));
    assert!(frame(&app, SIZE).contains("cannot run claude"));
}

#[test]
fn copies_are_made_on_request_only() {
    let mut app = app(SIZE);
    assert_eq!(press(&mut app, "y"), [Effect::Copy(rows()[0].id.clone())]);
    open(&mut app, conversation(&garden()));
    assert_eq!(press(&mut app, "y"), [Effect::Copy("How many beds are there?".to_owned())]);
}

#[test]
fn the_mouse_selects_opens_and_scrolls() {
    let mut app = app(SIZE);
    let click = |app: &mut annals_tui::App, row| app.update(Event::Mouse(Mouse::Click { column: 5, row }));
    assert_eq!(click(&mut app, 2), []);
    assert_eq!(click(&mut app, 2), [Effect::Open("/store/2222.jsonl".into())]);
    show(&mut app, "/store/2222.jsonl".as_ref(), conversation(&garden()));
    let before = frame(&app, SIZE);
    app.update(Event::Mouse(Mouse::ScrollDown));
    assert_ne!(frame(&app, SIZE), before);
    for row in 0..24 {
        click(&mut app, row);
    }
}

#[test]
fn usage_and_help_go_back_to_where_they_came_from() {
    let mut app = app(SIZE);
    open(&mut app, conversation(&garden()));
    assert_eq!(press(&mut app, "U"), [Effect::Usage]);
    answer(&mut app, Answer::Usage(Ok(report())));
    press(&mut app, "tab shift-tab ? q");
    assert!(frame(&app, SIZE).contains("2026-11-05"));
    press(&mut app, "q");
    assert!(frame(&app, SIZE).contains("How many beds"));
    press(&mut app, "U");
    answer(&mut app, Answer::Usage(Err("no price file".to_owned())));
    assert!(frame(&app, SIZE).contains("no price file"));
}

#[test]
fn a_smaller_terminal_keeps_the_cursor_on_the_screen() {
    let mut app = app(SIZE);
    open(&mut app, conversation(&garden()));
    press(&mut app, "G");
    for size in [(40, 12), (200, 50), (20, 4), (80, 24)] {
        app.update(Event::Resize(size.0, size.1));
        assert!(frame(&app, size).contains('▶'), "{}", frame(&app, size));
    }
}

#[test]
fn the_list_follows_the_store_without_a_word_and_not_too_often() {
    let mut app = app(SIZE);
    press(&mut app, "j");
    assert_eq!(app.update(Event::Tick(NOW + 60_000)), [], "nothing has changed");
    answer(&mut app, Answer::Changed);
    let before = frame(&app, SIZE);
    assert_eq!(app.update(Event::Tick(NOW + 60_200)), [Effect::List, Effect::Count]);
    assert_eq!(frame(&app, SIZE), before, "nothing flickers");
    answer(&mut app, Answer::Changed);
    assert_eq!(app.update(Event::Tick(NOW + 90_000)), [], "it is being read");
    let mut newer = rows();
    newer.insert(
        0,
        SessionRow { path: "/store/9.jsonl".into(), title: "Brand new".into(), ..rows()[0].clone() },
    );
    answer(&mut app, Answer::Sessions(Ok(newer)));
    let after = frame(&app, SIZE);
    assert!(after.contains("Brand new") && after.contains("4 sessions"), "{after}");
    assert_eq!(press(&mut app, "enter"), [Effect::Open("/store/2222.jsonl".into())], "the selection stays");
    answer(&mut app, Answer::Changed);
    let effects = app.update(Event::Tick(NOW + 900_000));
    assert!(!effects.contains(&Effect::List), "an open session follows its file only: {effects:?}");
}

#[test]
fn keys_that_can_do_nothing_say_why() {
    let mut app = app(SIZE);
    press(&mut app, "/");
    type_text(&mut app, "nothing like it");
    press(&mut app, "enter");
    for key in ["r", "f", "t", "#", "x", "y", "d"] {
        assert!(press(&mut app, key).is_empty());
        assert!(frame(&app, SIZE).contains("no session is selected"), "{key}");
    }
    press(&mut app, "esc");
    open(&mut app, conversation(&garden()));
    for (keys, said) in [
        ("[", "no prompt above"),
        ("G ]", "no prompt below"),
        ("T", "thinking: open"),
        ("T", "thinking: closed"),
    ] {
        press(&mut app, keys);
        assert!(frame(&app, SIZE).contains(said), "{keys}: {}", frame(&app, SIZE));
    }
}

#[test]
fn a_long_message_and_a_long_plan_can_be_read_to_their_ends() {
    let size = (40, 12);
    let mut app = app(size);
    press(&mut app, "enter");
    let long = "the folder of this session is gone: /home/dev/a-rather-long-name/of-a-folder; move it back";
    answer(&mut app, Answer::Plan(Change::Undo, Err(long.to_owned())));
    let seen = frame(&app, size);
    assert!(seen.contains("the folder of this") && seen.contains("move it back"), "{seen}");
    let plan =
        (1..=5).map(|number| format!("create projects/-home-dev-a-rather-long-name/file {number}.jsonl"));
    answer(&mut app, Answer::Plan(Change::Undo, Ok(plan.collect())));
    assert!(!frame(&app, size).contains("file 5.jsonl"));
    press(&mut app, &["j"; 30].join(" "));
    assert!(frame(&app, size).contains("file 5.jsonl"), "{}", frame(&app, size));
    let end = frame(&app, size);
    press(&mut app, "k");
    assert_ne!(frame(&app, size), end, "one key back is one line back");
}

#[test]
fn the_help_scrolls_back_at_once() {
    let mut app = app(SIZE);
    press(&mut app, "? G");
    let end = frame(&app, SIZE);
    press(&mut app, "k");
    assert_ne!(frame(&app, SIZE), end);
}
