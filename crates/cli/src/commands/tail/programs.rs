//! The form for programs: the object of `show --as records` with the record itself; an object with `event` for the rest.

use std::io::{self, Write};
use std::path::Path;

use annals_store::follow::Event;

use super::super::show::records::{Detail, write_line};
use crate::output::Output;

/// Writes one JSON object a line.
pub(super) struct Programs {
    file: String,
    buffer: Vec<u8>,
}

impl Programs {
    pub(super) fn new(path: &Path) -> Self {
        Self { file: path.display().to_string(), buffer: Vec::new() }
    }

    pub(super) fn show(&mut self, event: Event<'_>, out: &mut Output) -> io::Result<()> {
        let name = match event {
            Event::Line(line) => {
                self.buffer.clear();
                write_line(&line, Detail::WithRecord, &mut self.buffer);
                return out.write_all(&self.buffer);
            }
            Event::Truncated => "truncated",
            Event::Replaced => "replaced",
            Event::Gone => "gone",
            Event::Back => "back",
        };
        out.json(|object| {
            object.string("event", name).string("file", &self.file);
        })
    }
}
