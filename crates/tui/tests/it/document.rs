//! Folds that survive a file that is read again, branches, and sessions without anything in them.

use annals_testkit::builder::Session;

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
    let first = Session::new().prompt("Plant beans.");
    let root = first.last_uuid().unwrap().to_owned();
    let bytes = first
        .reply("Where?")
        .prompt("In the north.")
        .reply("Done in the north.")
        .parent(Some(&root))
        .reply("Where then?")
        .prompt("In the south.")
        .reply("Done in the south.")
        .into_bytes();
    let bytes = String::from_utf8(bytes).unwrap().into_bytes();
    let mut app = app(SIZE);
    open(&mut app, conversation(&bytes));
    press(&mut app, "v");
    let tree = frame(&app, SIZE);
    if tree.contains("branch") {
        press(&mut app, "j enter enter");
    }
    let seen = frame(&app, SIZE);
    assert!(seen.contains("south"), "{seen}");
}

#[test]
fn an_empty_session_can_be_looked_at() {
    let mut app = app(SIZE);
    open(&mut app, conversation(b""));
    assert!(frame(&app, SIZE).contains("nothing was said"));
    press(&mut app, "j k G g ] [ enter o T v j enter / a enter n N y f");
    frame(&app, SIZE);
}
