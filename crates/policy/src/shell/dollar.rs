//! What begins with `$`: parameters, substitutions, arithmetic, `$'…'`.

use super::output::prints_patterns;
use super::parser::{ParseResult, Parser};
use super::quotes::ExpansionContext;
use super::word::{OutputUse, Word, WordCount, WordPart};
use super::{Hazard, ShellSyntaxError};

/// How long a name is that begins here.
pub(super) fn name_length(text: &str) -> usize {
    let letters = text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    if text.starts_with(|first: char| first.is_ascii_digit()) { 0 } else { letters }
}

impl Parser<'_> {
    /// An expansion, or a `$` that is only itself.
    pub(super) fn dollar(&mut self, word: &mut Word, count: WordCount) -> ParseResult<()> {
        self.at += 1;
        let rest = &self.text[self.at..];
        let unquoted = count == WordCount::Any;
        match rest.bytes().next() {
            Some(b'(') if rest.starts_with("((") => {
                self.at += 2;
                self.arithmetic()?;
                // A number is one word.
                word.parts.push(WordPart::Unknown(WordCount::One));
            }
            // It may be arithmetic then.
            Some(b'(') if rest.starts_with("(\\\n") => {
                return Err(ShellSyntaxError::Unsupported("a line continuation after `$(`"));
            }
            Some(b'(') => {
                self.at += 1;
                let (from, start) = (self.script.commands.len(), self.at);
                self.substitution()?;
                if prints_patterns(&self.script.commands[from..], &self.text[start..self.at - 1]) {
                    word.push_output(count);
                }
                word.parts.push(WordPart::Unknown(count));
            }
            Some(b'{') => self.braced(word, count)?,
            Some(b'[') => return Err(ShellSyntaxError::Unsupported("`$[…]`")),
            Some(b'\'') if unquoted => self.ansi(word)?,
            Some(b'"') if unquoted => {
                self.at += 1;
                self.double(word)?;
                // A translation can be any text.
                word.parts.push(WordPart::Unknown(WordCount::One));
            }
            Some(b'\\') if rest.starts_with("\\\n") => {
                return Err(ShellSyntaxError::Unsupported("a line continuation after `$`"));
            }
            Some(b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!' | b'0'..=b'9') => {
                // `"$@"` is as many words as there are, quoted or not.
                if rest.starts_with(['@', '*', '1', '2', '3', '4', '5', '6', '7', '8', '9']) {
                    word.push_output(count);
                }
                let count = if rest.starts_with('@') { WordCount::Any } else { count };
                self.at += 1;
                word.parts.push(WordPart::Unknown(count));
            }
            _ => {
                let length = name_length(rest);
                if length > 0 && rest[length..].starts_with("\\\n") {
                    return Err(ShellSyntaxError::Unsupported("a line continuation after a variable"));
                }
                if length == 0 {
                    word.push_text("$");
                } else {
                    self.at += length;
                    self.uses(word, &rest[..length]);
                    word.push_variable(&rest[..length], count);
                }
            }
        }
        Ok(())
    }

    /// `${…}`, from its brace on.
    fn braced(&mut self, word: &mut Word, count: WordCount) -> ParseResult<()> {
        let rest = &self.text[self.at + 1..];
        let length = name_length(rest);
        if length > 0 && rest[length..].starts_with('}') {
            self.at += length + 2;
            self.uses(word, &rest[..length]);
            word.push_variable(&rest[..length], count);
            return Ok(());
        }
        self.at += 1;
        let mut many = false;
        if self.starts("!") {
            self.script.hazards.push(Hazard::Indirection);
            self.at += 1;
        } else if self.starts("#") && !self.starts("#}") {
            self.at += 1;
        }
        let rest = &self.text[self.at..];
        let length = name_length(rest);
        if length > 0 && rest[length..].starts_with("\\\n") {
            return Err(ShellSyntaxError::Unsupported("a line continuation inside `${`"));
        }
        if length > 0 {
            self.uses(word, &rest[..length]);
            if rest[length..].trim_start_matches(':').starts_with('=') || rest[length..].starts_with('[') {
                self.script.assigned.push(rest[..length].to_owned());
            }
            self.at += length;
        } else if self.starts("\\") {
            return Err(ShellSyntaxError::Unsupported("a line continuation inside `${`"));
        } else {
            // A special parameter or a number; bash rejects anything else too.
            let digits = self.text[self.at..].bytes().take_while(u8::is_ascii_digit).count();
            many |= self.starts("@") || self.starts("*");
            self.at += digits.max(1);
            if self.at >= self.text.len() || !self.text.is_char_boundary(self.at) {
                return Err(ShellSyntaxError::Unclosed("`${`"));
            }
        }
        many |= self.subscript()?;
        let start = self.at;
        self.operator()?;
        self.rest_of_braces(word, count)?;
        // The text of `${x:-*}` and `${x/a/*}` can become part of the word.
        let text = &self.text[start..self.at];
        let adds = text.trim_start_matches(':').starts_with(['-', '=', '+', '/']);
        if length == 0 || (adds && text.contains(['*', '?', '['])) {
            word.push_output(count);
        }
        word.parts.push(WordPart::Unknown(if many { WordCount::Any } else { count }));
        Ok(())
    }

    /// `[@]`, `[*]` and numbers are plain; any other subscript is arithmetic. Returns whether it expands to several words.
    fn subscript(&mut self) -> ParseResult<bool> {
        if !self.starts("[") {
            return Ok(false);
        }
        for all in ["[@]", "[*]"] {
            if self.take(all) {
                return Ok(true);
            }
        }
        let digits = self.text[self.at + 1..].bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 && self.text[self.at + 1 + digits..].starts_with(']') {
            self.at += digits + 2;
        } else {
            self.script.hazards.push(Hazard::Arithmetic);
        }
        Ok(false)
    }

    /// Records what an operator evaluates; [`Self::rest_of_braces`] parses the text after it.
    fn operator(&mut self) -> ParseResult<()> {
        let rest = &self.text[self.at..];
        if rest.starts_with('@') && !rest.starts_with("@Q}") {
            self.script.hazards.push(Hazard::Indirection);
        }
        if let Some(offset) = rest.strip_prefix(':').filter(|rest| !rest.starts_with(['-', '=', '?', '+'])) {
            let end = offset.find('}').unwrap_or(offset.len());
            if !offset[..end].bytes().all(|byte| byte.is_ascii_digit() || byte == b':' || byte == b' ') {
                self.script.hazards.push(Hazard::Arithmetic);
            }
        }
        Ok(())
    }

    /// Everything up to the closing brace, with the expansions that it holds.
    fn rest_of_braces(&mut self, word: &mut Word, count: WordCount) -> ParseResult<()> {
        self.deeper(|parser| {
            let mut ignored = Word::default();
            loop {
                match parser.peek().ok_or(ShellSyntaxError::Unclosed("`${`"))? {
                    b'}' => {
                        parser.at += 1;
                        word.variables.append(&mut ignored.variables);
                        word.unset.append(&mut ignored.unset);
                        if ignored.output != OutputUse::None {
                            word.push_output(count);
                        }
                        return Ok(());
                    }
                    b'\'' | b'"' if parser.starts("'") => {
                        // Quoting here depends on the quotes around it and on the operator.
                        return Err(ShellSyntaxError::Unsupported("a single quote inside `${…}`"));
                    }
                    b'"' => {
                        parser.at += 1;
                        parser.double(&mut ignored)?;
                    }
                    b'\\' => {
                        parser.at += 1;
                        let next = parser.text[parser.at..].chars().next();
                        parser.at += next.ok_or(ShellSyntaxError::Unclosed("an escape"))?.len_utf8();
                    }
                    b'<' | b'>' if parser.text[parser.at + 1..].starts_with('(') => {
                        return Err(ShellSyntaxError::Unsupported("a process substitution inside `${…}`"));
                    }
                    b'$' if parser.starts("$'") || parser.starts("$\"") => {
                        return Err(ShellSyntaxError::Unsupported("a quoted string inside `${…}`"));
                    }
                    _ => parser.expanding(&mut ignored, ExpansionContext::Quotes)?,
                }
            }
        })
    }

    /// `$'…'`, from its quote on.
    fn ansi(&mut self, word: &mut Word) -> ParseResult<()> {
        self.at += 1;
        let mut out = Some(String::new());
        loop {
            let rest = &self.text[self.at..];
            let mut letters = rest.chars();
            let letter = letters.next().ok_or(ShellSyntaxError::Unclosed("`$'`"))?;
            self.at += letter.len_utf8();
            match letter {
                '\'' => break,
                '\\' => {
                    let escaped = letters.next().ok_or(ShellSyntaxError::Unclosed("`$'`"))?;
                    let (decoded, size) = ansi_escape(&self.text[self.at..], escaped);
                    self.at += size;
                    out = out.zip(decoded).map(|(out, letter)| out + letter.encode_utf8(&mut [0; 4]));
                }
                _ => out.iter_mut().for_each(|out| out.push(letter)),
            }
        }
        match out {
            Some(text) => word.push_text(&text),
            None => word.parts.push(WordPart::Unknown(WordCount::One)),
        }
        Ok(())
    }
}

/// What an escape of `$'…'` means and how many bytes it takes; rare ones are read and not known.
fn ansi_escape(rest: &str, escaped: char) -> (Option<char>, usize) {
    let digits = |radix: u32, skip: usize, most: usize| {
        let count = rest[skip..].chars().take(most).take_while(|letter| letter.is_digit(radix)).count();
        let value = u32::from_str_radix(&rest[skip..skip + count], radix).ok();
        // Bytes beyond ASCII may be half a character, and zero ends the string.
        (value.filter(|value| (1..128).contains(value)).and_then(char::from_u32), skip + count)
    };
    match escaped {
        'n' => (Some('\n'), 1),
        't' => (Some('\t'), 1),
        '\\' | '\'' | '"' | '?' => (Some(escaped), 1),
        'x' => digits(16, 1, 2),
        'u' => digits(16, 1, 4),
        '0'..='7' => digits(8, 0, 3),
        _ => (None, escaped.len_utf8()),
    }
}
