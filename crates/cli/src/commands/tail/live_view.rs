//! Text output: the page of `annals show`, printed line by line as the session is written.

use std::io;

use annals_store::follow::FollowEvent;
use annals_ui::TerminalText;
use annals_ui::terminal::{LivePage, RenderOptions};
use annals_ui::view::{Conversation, Item, ItemBody, LiveSession, Note, NoteKind, Position};
use jiff::tz::TimeZone;

use crate::context::Context;
use crate::output::Output;
use crate::words;

/// Prints new records below the earlier ones.
pub(super) struct LiveView {
    live: LiveSession,
    roll: LivePage,
    zone: TimeZone,
}

impl LiveView {
    pub(super) fn new(context: &Context) -> Self {
        Self { live: LiveSession::new(), roll: LivePage::default(), zone: context.zone.clone() }
    }

    pub(super) fn show(&mut self, event: FollowEvent<'_>, out: &mut Output) -> io::Result<()> {
        let conversation = match event {
            FollowEvent::Line(line) => self.live.add_line(&line),
            FollowEvent::Truncated => notice("the file was cut or rewritten"),
            FollowEvent::Replaced => notice("the file was replaced by another"),
            FollowEvent::Gone => notice("the file is gone"),
            FollowEvent::Back => notice("the file is back"),
            _ => return Ok(()),
        };
        let minutes = |millis: i64| words::minutes_from_utc(millis, &self.zone);
        let look = RenderOptions {
            color: out.color,
            unicode: out.unicode,
            zone: &minutes,
            ..RenderOptions::plain(out.width)
        };
        let mut text = TerminalText::default();
        self.roll.draw(&conversation, &look, &mut text);
        out.text(text)
    }
}

/// A line beside the conversation.
fn notice(text: &str) -> Conversation {
    let note = Note { kind: NoteKind::Notice, label: None, text: text.to_owned() };
    Conversation { items: vec![Item { position: Position::default(), body: ItemBody::Note(note) }] }
}
