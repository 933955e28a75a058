//! Standard error, for messages besides the output; the only place that writes to it. If its reader is gone, messages
//! are dropped and the work continues. A screen that has the terminal takes them over: written there, they would stand in its
//! frames, or where nobody sees them.

use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use annals_ui::TerminalText;

/// Messages that are kept for a screen which hides what was printed before it.
const MAX_EARLIER: usize = 50;

static MESSAGES: Mutex<Messages> = Mutex::new(Messages { screen: None, earlier: Vec::new() });

/// Where messages go.
struct Messages {
    /// Takes a message; returns whether there is still somebody to show it to.
    screen: Option<Box<dyn Fn(String) -> bool + Send>>,
    /// What was printed before.
    earlier: Vec<String>,
}

fn messages() -> MutexGuard<'static, Messages> {
    // A panic cannot leave them half changed.
    MESSAGES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// While it exists, messages go to a screen.
#[must_use]
pub(crate) struct ScreenMessages(());

impl ScreenMessages {
    /// Hands messages to a screen, which tells whether it still takes them; returns also what was printed before.
    pub(crate) fn take_over(screen: impl Fn(String) -> bool + Send + 'static) -> (Self, Vec<String>) {
        let mut messages = messages();
        messages.screen = Some(Box::new(screen));
        (Self(()), std::mem::take(&mut messages.earlier))
    }
}

impl Drop for ScreenMessages {
    fn drop(&mut self) {
        messages().screen = None;
    }
}

/// Prints a line, or hands it to the screen.
pub(crate) fn say(line: impl Into<TerminalText>) {
    let line = line.into();
    let mut messages = messages();
    if messages.screen.as_ref().is_some_and(|screen| screen(line.as_str().to_owned())) {
        return;
    }
    if messages.earlier.len() < MAX_EARLIER {
        messages.earlier.push(line.as_str().to_owned());
    }
    drop(messages);
    say_to(&mut io::stderr().lock(), line);
}

/// Prints a line, also while there is a screen: the program may end at once.
pub(crate) fn say_at_once(line: impl Into<TerminalText>) {
    say_to(&mut io::stderr().lock(), line);
}

/// Prints a question, and leaves the cursor behind it.
pub(crate) fn ask(question: impl Into<TerminalText>) -> io::Result<()> {
    let mut error = io::stderr().lock();
    error.write_all((question.into() + " ").as_str().as_bytes())?;
    error.flush()
}

/// Replaces the line under the cursor, which must be a terminal's. A screen has no such line.
pub(crate) fn replace_line(line: impl Into<TerminalText>) {
    if messages().screen.is_some() {
        return;
    }
    // If standard error is gone, the work continues.
    let _ = io::stderr().lock().write_all(format!("\r\x1b[K{}", line.into().as_str()).as_bytes());
}

/// Writes a line in one piece; `eprintln!` would panic on an error.
fn say_to(out: &mut impl Write, line: impl Into<TerminalText>) {
    let _ = out.write_all(format!("{}\n", line.into().as_str()).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_that_went_away_is_no_panic() {
        let (reader, mut writer) = io::pipe().unwrap();
        drop(reader);
        say_to(&mut writer, "dropped");
        let mut written = Vec::new();
        say_to(&mut written, "7");
        assert_eq!(written, b"7\n");
    }

    #[test]
    fn a_screen_takes_messages_as_long_as_it_is_there() {
        let (sender, taken) = std::sync::mpsc::channel();
        say("before");
        let (screen, earlier) = ScreenMessages::take_over(move |line| sender.send(line).is_ok());
        assert!(earlier.contains(&"before".to_owned()), "{earlier:?}");
        say("meanwhile \x1b[2J");
        assert_eq!(taken.try_recv().as_deref(), Ok("meanwhile "));
        drop(screen);
        say("afterwards");
        assert!(taken.try_recv().is_err());
        drop(ScreenMessages::take_over(|_| true));
    }

    #[test]
    fn a_message_is_one_harmless_line() {
        let mut written = Vec::new();
        say_to(&mut written, "bad rule \"\x1b[2J\x1b]52;c;AA==\x07x\r\nannals: all is well\"");
        assert_eq!(String::from_utf8(written).unwrap(), "bad rule \"x annals: all is well\"\n");
    }
}
