//! Arithmetic: its end is found, the commands inside are read, and variables make it a hazard.

use super::parser::{ParseResult, Parser};
use super::quotes::ExpansionContext;
use super::word::Word;
use super::{Hazard, ShellSyntaxError};

impl Parser<'_> {
    /// Parses after `((`, through `))`.
    pub(super) fn arithmetic(&mut self) -> ParseResult<()> {
        self.deeper(|parser| {
            let mut inside = Word::default();
            let mut open = 0_usize;
            let start = parser.at;
            loop {
                match parser.peek().ok_or(ShellSyntaxError::Unclosed("`((`"))? {
                    b'(' => {
                        open += 1;
                        parser.at += 1;
                    }
                    b')' if open > 0 => {
                        open -= 1;
                        parser.at += 1;
                    }
                    b')' if parser.starts("))") => break,
                    // `( (…) )` in disguise: bash reads it as groups then.
                    b')' => return Err(ShellSyntaxError::Unsupported("`((` that is not arithmetic")),
                    b'\'' | b'#' | b';' | b'\n' if !parser.in_for() => {
                        return Err(ShellSyntaxError::Unsupported("such text inside arithmetic"));
                    }
                    b'"' => {
                        parser.at += 1;
                        parser.double(&mut inside)?;
                    }
                    _ => parser.expanding(&mut inside, ExpansionContext::Quotes)?,
                }
            }
            let plain = |byte: u8| byte.is_ascii_digit() || b" \t+-*/%()<>=!&|^~?:,;".contains(&byte);
            if !parser.text[start..parser.at].bytes().all(plain) {
                parser.script.hazards.push(Hazard::Arithmetic);
            }
            parser.at += 2;
            Ok(())
        })
    }

    /// `for ((…; …; …))` is the only place where `;` is allowed in arithmetic.
    fn in_for(&self) -> bool {
        self.starts(";")
    }
}
