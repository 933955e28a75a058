//! Pictures of a conversation: they scroll off behind their blocks.

use annals_tui::chat::ScreenLayout;
use annals_tui::editor::Prompt;
use annals_tui::picture::{Picture, PictureFrame, PicturePixels, PictureProtocol};

use crate::chat_fixture::{Chat, frame_text};

fn picture(height: u32) -> Picture {
    let frame = PictureFrame::new(PictureProtocol::Kitty, None, (60, 40)).unwrap();
    frame.picture(&PicturePixels { width: 20, height, rgb: &[], png: b"png" }).unwrap()
}

#[test]
fn pictures_scroll_off_behind_their_blocks_and_are_nowhere_else() {
    let read = r#"{"file_path":"a.png"}"#;
    let mut chat = Chat::new(ScreenLayout::Inline, (60, 20));
    chat.screen.prompt(&Prompt::of_line("look [Image #1]"));
    chat.screen.add_pictures(vec![picture(40)]);
    chat.screen.start_work("working", chat.now);
    chat.start_call("c1", "Read", read);
    chat.start_call("c2", "Read", read);
    chat.finish_call("c2", "Read", read, "second");
    chat.screen.add_call_pictures("c2", vec![picture(16)]);
    let off = chat.screen.scroll_off();
    assert_eq!(off.pictures, [(1, picture(40))]);
    assert_eq!(frame_text(&off.cells), "> look [Image #1]\n\n\n\n");
    assert!(chat.frame().contains("second"), "what waits for another call is drawn without its picture");
    // The transcript has what came between.
    chat.press("ctrl-o");
    chat.frame();
    chat.finish_call("c1", "Read", read, "first");
    chat.screen.add_call_pictures("c1", vec![picture(16), picture(32)]);
    let page = chat.frame();
    assert!(page.matches("second").count() == 1 && page.contains("first"), "{page}");
    chat.press("q");
    let off = chat.screen.scroll_off();
    let rows = frame_text(&off.cells);
    let lines: Vec<&str> = rows.lines().collect();
    let (first, second) = (off.pictures[0].0, off.pictures[2].0);
    assert_eq!(off.pictures, [(first, picture(16)), (first + 1, picture(32)), (second, picture(16))]);
    assert!(lines[usize::from(first) - 1].contains("first"), "{rows}");
    assert!(lines[usize::from(second) - 1].contains("second"), "{rows}");
    assert_eq!(chat.screen.scroll_off().pictures, []);
}

#[test]
fn pictures_that_no_longer_fit_are_left_out() {
    let mut chat = Chat::new(ScreenLayout::Inline, (60, 20));
    chat.screen.prompt(&Prompt::of_line("look"));
    chat.screen.add_pictures(vec![picture(16), picture(150)]);
    chat.screen.resize((60, 10));
    assert_eq!(chat.screen.scroll_off().pictures, [(1, picture(16))]);
}
