//! Standard error, for messages besides the output; the only place that writes to it. If its reader is gone, messages
//! are dropped and the work continues.

use std::io::{self, Write};

use annals_ui::TerminalText;

/// Prints a line.
pub(crate) fn say(line: impl Into<TerminalText>) {
    say_to(&mut io::stderr().lock(), line);
}

/// Prints a question, and leaves the cursor behind it.
pub(crate) fn ask(question: impl Into<TerminalText>) -> io::Result<()> {
    let mut error = io::stderr().lock();
    error.write_all((question.into() + " ").as_str().as_bytes())?;
    error.flush()
}

/// Replaces the line under the cursor, which must be a terminal's.
pub(crate) fn replace_line(line: impl Into<TerminalText>) {
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
    fn a_message_is_one_harmless_line() {
        let mut written = Vec::new();
        say_to(&mut written, "bad rule \"\x1b[2J\x1b]52;c;AA==\x07x\r\nannals: all is well\"");
        assert_eq!(String::from_utf8(written).unwrap(), "bad rule \"x annals: all is well\"\n");
    }
}
