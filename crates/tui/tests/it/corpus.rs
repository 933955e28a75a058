//! Every session of the corpus opens, scrolls, folds and is searched without a panic.

use annals_testkit::corpus;

use crate::fixture::{app, conversation, frame, open, press, type_text};

#[test]
fn every_session_opens_without_a_panic() {
    let Some(corpus) = corpus::or_skip("every_session_opens_without_a_panic") else { return };
    for path in corpus.sample() {
        let bytes = std::fs::read(&path).unwrap();
        let size = if bytes.len() % 2 == 0 { (80, 24) } else { (40, 12) };
        let mut app = app(size);
        open(&mut app, conversation(&bytes));
        for keys in ["ctrl-d", "G", "T", "o", "b", "[", "enter", "o", "g", "v", "enter", "y"] {
            press(&mut app, keys);
            let seen = frame(&app, size);
            assert_eq!(seen.lines().count(), usize::from(size.1) + 1, "{}", corpus.name_of(&path));
        }
        press(&mut app, "/");
        type_text(&mut app, "the");
        press(&mut app, "enter n N");
        frame(&app, size);
    }
}
