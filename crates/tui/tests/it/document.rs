//! Folds that survive a file that is read again, branches, and sessions without anything in them.

use annals_testkit::builder::Session;
use annals_tui::App;
use annals_ui::view::ItemBody;

use crate::fixture::{app, conversation, frame, garden, open, press, rows, show};

const SIZE: (u16, u16) = (80, 24);

#[test]
fn what_is_open_stays_open_when_the_file_is_read_again() {
    let mut app = app(SIZE);
    open(&mut app, conversation(&garden()));
    press(&mut app, "j j j enter");
    let before = frame(&app, SIZE);
    assert!(before.contains("│ The file has a line for each"));
    show(&mut app, &rows()[0].path, conversation(&garden()));
    assert_eq!(frame(&app, SIZE), before);
}

#[test]
fn an_abandoned_branch_opens_in_its_place() {
    let opening = Session::new().prompt("Plant beans.").reply("Where?");
    let question = opening.last_uuid().unwrap().to_owned();
    let bytes = opening
        .prompt("In the north.")
        .reply("It is cold there.")
        .parent(Some(&question))
        .prompt("In the south.")
        .reply("Done in the south.")
        .into_bytes();
    let talk = conversation(&bytes);
    assert!(talk.items.iter().any(|item| matches!(item.body, ItemBody::Branch(_))), "{talk:?}");
    let mut app = app(SIZE);
    open(&mut app, talk);
    press(&mut app, "g");
    let folded = frame(&app, SIZE);
    assert!(folded.contains("In the north.") && folded.contains("Done in the south."), "{folded}");
    assert!(!folded.contains("It is cold there."), "{folded}");
    let is_selected = |app: &App| {
        let is_branch = |line: &str| line.starts_with(['▶', '│']) && line.contains("branch In the north.");
        frame(app, SIZE).lines().any(is_branch)
    };
    for _ in 0..20 {
        if !is_selected(&app) {
            press(&mut app, "j");
        }
    }
    assert!(is_selected(&app), "{}", frame(&app, SIZE));
    press(&mut app, "enter");
    let opened = frame(&app, SIZE);
    let at = |text: &str| opened.find(text).unwrap_or_else(|| panic!("no {text:?}:\n{opened}"));
    assert!(at("Where?") < at("It is cold there.") && at("It is cold there.") < at("In the south."));
    press(&mut app, "enter");
    assert!(!frame(&app, SIZE).contains("It is cold there."));
}

#[test]
fn an_empty_session_can_be_looked_at() {
    let mut app = app(SIZE);
    open(&mut app, conversation(b""));
    assert!(frame(&app, SIZE).contains("nothing was said"));
    press(&mut app, "j k G g ] [ enter o T v j enter / a enter n N y f");
    frame(&app, SIZE);
}
