//! The form for people: the page of `annals show`, drawn line by line as the session is written.

use std::io::{self, Write};

use annals_store::follow::Event;
use annals_ui::terminal::{Color, Look, Roll};
use annals_ui::view::{Body, Conversation, Item, Live, Note, NoteKind, Place};
use jiff::tz::TimeZone;

use crate::context::Context;
use crate::output::Output;
use crate::words;

/// Draws what comes below what was there.
pub(super) struct People {
    live: Live,
    roll: Roll,
    zone: TimeZone,
}

impl People {
    pub(super) fn new(context: &Context) -> Self {
        Self { live: Live::new(), roll: Roll::default(), zone: context.zone.clone() }
    }

    pub(super) fn show(&mut self, event: Event<'_>, out: &mut Output) -> io::Result<()> {
        let conversation = match event {
            Event::Line(line) => self.live.tell(&line),
            Event::Truncated => notice("the file was cut or rewritten"),
            Event::Replaced => notice("the file was replaced by another"),
            Event::Gone => notice("the file is gone"),
            Event::Back => notice("the file is there again"),
        };
        let minutes = |millis: i64| words::minutes_from_utc(millis, &self.zone);
        let look = Look {
            color: if out.color { Color::Ansi } else { Color::Plain },
            unicode: out.unicode,
            zone: &minutes,
            ..Look::plain(out.width)
        };
        let mut text = String::new();
        self.roll.draw(&conversation, &look, &mut text);
        out.write_all(text.as_bytes())
    }
}

/// A line beside the conversation.
fn notice(text: &str) -> Conversation {
    let note = Note { kind: NoteKind::Notice, label: None, text: text.to_owned() };
    Conversation { items: vec![Item { place: Place::default(), body: Body::Note(note) }] }
}
