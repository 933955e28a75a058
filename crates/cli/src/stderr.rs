//! Standard error, for messages besides the output. If its reader is gone, messages are dropped and the work continues.

use std::fmt::Display;
use std::io::{self, Write};

/// Prints a line.
pub(crate) fn say(line: impl Display) {
    say_to(&mut io::stderr().lock(), line);
}

/// Writes a line in one piece; `eprintln!` would panic on an error.
fn say_to(out: &mut impl Write, line: impl Display) {
    let _ = out.write_all(format!("{line}\n").as_bytes());
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
        say_to(&mut written, 7);
        assert_eq!(written, b"7\n");
    }
}
