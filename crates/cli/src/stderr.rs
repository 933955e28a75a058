//! Standard error: the one way on which something is said beside the answers. Where nobody reads it any more, nothing is
//! said, and what is being done goes on.

use std::fmt::Display;
use std::io::{self, Write};

/// Says a line.
pub(crate) fn say(line: impl Display) {
    say_to(&mut io::stderr().lock(), line);
}

/// A line goes out whole, or not at all: `eprintln!` would panic where it cannot.
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
        say_to(&mut writer, "nobody reads this");
        let mut heard = Vec::new();
        say_to(&mut heard, 7);
        assert_eq!(heard, b"7\n");
    }
}
