//! The pages of a session, read one by one, hold what the whole file holds.

use annals_testkit::builder::Session;
use annals_testkit::corpus;
use annals_testkit::temp::TempDir;
use annals_ui::view::Branch;

use super::*;

fn all_pages(pages: &FilePages) -> Vec<Item> {
    (0..pages.map.windows.len()).flat_map(|number| pages.page(number).unwrap()).collect()
}

/// Compares the pages of a file with its whole conversation; returns how many pages it has.
fn check(path: &Path) -> usize {
    let short = ShortenedFile::read(path).unwrap();
    let transcript = Transcript::parse(&short.bytes);
    let planner = ConversationPlanner::new(&transcript);
    let main = FilePages::new(path, &short, planner.main(&mut |_, _| ()));
    let bytes = with_outputs(std::fs::read(path).unwrap(), path);
    let whole = Transcript::parse(&bytes);
    let branches = ViewOptions { branches: BranchDetail::Full };
    let mut expected = Conversation::build(&whole, &[], branches).items;
    for item in &mut expected {
        let ItemBody::Branch(Branch { ways }) = &mut item.body else { continue };
        for way in ways {
            let map = planner.branch(way.line, &mut |_, _| ()).unwrap();
            let found = all_pages(&FilePages::new(path, &short, map));
            assert_eq!(
                found,
                way.conversation.take().unwrap().items,
                "{}: line {}",
                path.display(),
                way.line
            );
        }
    }
    let found = all_pages(&main);
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found, expected, "{}", path.display());
    }
    assert_eq!(found.len(), expected.len(), "{}", path.display());
    main.map.windows.len()
}

#[test]
fn the_pages_of_every_session_are_the_whole_conversation() {
    let Some(corpus) = corpus::or_skip("the_pages_of_every_session_are_the_whole_conversation") else {
        return;
    };
    let pages = corpus.sample().iter().map(|path| check(path)).max();
    assert!(pages.unwrap_or_default() > 3, "no session has several pages");
}

#[test]
fn long_texts_branches_and_outputs_are_those_of_the_file() {
    let temp = TempDir::new("pages");
    let long = "a long line of output that is cut from the outline\n".repeat(400);
    let mut session = Session::new().prompt(&format!("first {long}")).reply(&format!("one {long}"));
    let fork = session.last_uuid().unwrap().to_owned();
    for number in 0..60 {
        session = session.prompt(&format!("left {number}")).tool_use("Bash", r#"{"command":"ls"}"#);
        session = session.tool_result(&long).reply("done");
    }
    let session = session.parent(Some(&fork)).prompt("right").reply(&long);
    let path = temp.write("session.jsonl", session.into_bytes());
    check(&path);
}

#[test]
fn a_file_that_shrank_says_so() {
    let temp = TempDir::new("pages");
    let path = temp.write("session.jsonl", Session::new().prompt("go").reply("done").into_bytes());
    let short = ShortenedFile::read(&path).unwrap();
    let transcript = Transcript::parse(&short.bytes);
    let map = ConversationPlanner::new(&transcript).main(&mut |_, _| ());
    let pages = FilePages::new(&path, &short, map);
    std::fs::write(&path, "").unwrap();
    assert!(pages.page(0).is_err());
}
