//! Words as they are written: quotes, escapes, globs, braces, tildes, backticks.

use super::ShellSyntaxError;
use super::output::prints_patterns;
use super::parser::{ListEnd, ParseResult, Parser};
use super::simple::assigned;
use super::word::{OutputUse, Word, WordCount, WordPart};

/// What ends a word when it is not quoted.
pub(super) fn is_meta(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'|' | b'&' | b';' | b'(' | b')' | b'<' | b'>')
}

/// What surrounds text that is expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExpansionContext {
    /// Double quotes.
    Quotes,
    /// A here-document, where a quote is literal.
    Document,
}

impl Parser<'_> {
    /// The word that begins exactly here, if one does.
    pub(super) fn word_here(&mut self) -> ParseResult<Option<Word>> {
        let start = self.at;
        let mut word = Word::default();
        let (mut open, mut braces, mut quoted) = (false, false, false);
        while let Some(byte) = self.peek() {
            match byte {
                b'<' | b'>' if self.text[self.at + 1..].starts_with('(') => self.process(&mut word)?,
                _ if is_meta(byte) => break,
                b'\\' if self.starts("\\\n") => self.at += 2,
                b'\\' => self.escape(&mut word)?,
                b'\'' => {
                    quoted = true;
                    let text = self.single()?;
                    word.push_text(&text);
                }
                b'"' => {
                    quoted = true;
                    self.at += 1;
                    self.double(&mut word)?;
                }
                b'$' => self.dollar(&mut word, WordCount::Any)?,
                b'`' => self.backticks(&mut word, WordCount::Any)?,
                b'~' if word.parts.is_empty() && !quoted => self.tilde(&mut word),
                b'~' => match self.assignment_before(start) {
                    Some(before) => self.tilde_within(&before, &mut word),
                    None => self.plain(&mut word),
                },
                b'*' | b'?' | b'[' => {
                    self.at += 1;
                    word.parts.push(WordPart::Glob(char::from(byte)));
                }
                b'{' => {
                    open = true;
                    self.plain(&mut word);
                }
                b',' => {
                    braces |= open;
                    self.plain(&mut word);
                }
                b'.' => {
                    let behind = self.text[self.at + 1..].trim_start_matches("\\\n");
                    braces |= open && behind.starts_with('.');
                    self.plain(&mut word);
                }
                _ => self.plain(&mut word),
            }
        }
        if self.at == start {
            return Ok(None);
        }
        word.spelling = self.text[start..self.at].replace("\\\n", "");
        if word.spelling.is_empty() {
            // Only line continuations: a word or comment may follow.
            return self.word();
        }
        if braces {
            if word.parts.iter().any(|piece| matches!(piece, WordPart::Glob(_))) {
                word.output = OutputUse::Globbed;
            }
            word.parts = vec![WordPart::Unknown(WordCount::Any)];
        }
        lone_brackets(&mut word);
        Ok(Some(word))
    }

    fn plain(&mut self, word: &mut Word) {
        let rest = &self.text[self.at..];
        let size = rest.chars().next().map_or(0, char::len_utf8);
        word.push_text(&rest[..size]);
        self.at += size;
    }

    fn escape(&mut self, word: &mut Word) -> ParseResult<()> {
        self.at += 1;
        if self.peek().is_none() {
            return Err(ShellSyntaxError::Unclosed("an escape"));
        }
        self.plain(word);
        Ok(())
    }

    /// The text before a `~` that bash may expand within a word: an assignment up to `=` or `:`, also in an argument.
    fn assignment_before(&self, start: usize) -> Option<String> {
        let before = self.text[start..self.at].replace("\\\n", "");
        (before.ends_with(['=', ':']) && assigned(&before).is_some()).then_some(before)
    }

    fn tilde_within(&mut self, before: &str, word: &mut Word) {
        if before.find('=') == Some(before.len() - 1) && !before.contains('[') {
            self.tilde(word);
        } else {
            // After a second sign it depends.
            self.at += 1;
            word.parts.push(WordPart::Unknown(WordCount::One));
        }
    }

    fn tilde(&mut self, word: &mut Word) {
        self.at += 1;
        let next = self.peek();
        if next.is_none_or(|byte| byte == b'/' || is_meta(byte)) {
            word.parts.push(WordPart::Home);
        } else {
            let rest = &self.text[self.at..];
            let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-+".contains(byte);
            let name = &rest[..rest.bytes().take_while(is_name).count()];
            let is_whole = rest[name.len()..].bytes().next().is_none_or(|byte| byte == b'/' || is_meta(byte));
            if name == "+" && is_whole {
                self.at += name.len();
                self.uses(word, "PWD");
                word.push_variable("PWD", WordCount::One);
            } else {
                word.parts.push(WordPart::OtherHome);
            }
        }
    }

    /// `'…'`, from its opening quote on.
    fn single(&mut self) -> ParseResult<String> {
        let rest = &self.text[self.at + 1..];
        let end = rest.find('\'').ok_or(ShellSyntaxError::Unclosed("a single quote"))?;
        self.at += end + 2;
        Ok(rest[..end].to_owned())
    }

    /// Parses `"…"`, after its opening quote.
    pub(super) fn double(&mut self, word: &mut Word) -> ParseResult<()> {
        word.push_text("");
        loop {
            match self.peek().ok_or(ShellSyntaxError::Unclosed("a double quote"))? {
                b'"' => {
                    self.at += 1;
                    return Ok(());
                }
                _ => self.expanding(word, ExpansionContext::Quotes)?,
            }
        }
    }

    /// One step inside double quotes or a here-document: an escape, an expansion or a character.
    pub(super) fn expanding(&mut self, word: &mut Word, around: ExpansionContext) -> ParseResult<()> {
        match self.peek() {
            Some(b'\\') => {
                let next = self.text.as_bytes().get(self.at + 1);
                match next {
                    Some(b'\n') => self.at += 2,
                    Some(b'"') if around == ExpansionContext::Document => self.plain(word),
                    Some(b'$' | b'`' | b'"' | b'\\') => {
                        self.at += 1;
                        self.plain(word);
                    }
                    _ => self.plain(word),
                }
            }
            Some(b'$') => self.dollar(word, WordCount::One)?,
            Some(b'`') => self.backticks(word, WordCount::One)?,
            _ => self.plain(word),
        }
        Ok(())
    }

    /// `` `…` ``: the text inside loses one layer of escapes and is a script.
    fn backticks(&mut self, word: &mut Word, count: WordCount) -> ParseResult<()> {
        self.at += 1;
        let mut inside = String::new();
        loop {
            let rest = &self.text[self.at..];
            let letter = rest.chars().next().ok_or(ShellSyntaxError::Unclosed("a backtick"))?;
            self.at += letter.len_utf8();
            match letter {
                '`' => break,
                '\\' => {
                    let next = self.text[self.at..].chars().next();
                    // Whether this loses its backslash depends on the context of the backticks.
                    if next == Some('"') {
                        return Err(ShellSyntaxError::Unsupported("an escaped quote inside backticks"));
                    }
                    let escaped = matches!(next, Some('$' | '`' | '\\'));
                    if escaped {
                        inside.extend(next);
                        self.at += 1;
                    } else {
                        inside.push('\\');
                    }
                }
                _ => inside.push(letter),
            }
        }
        if !self.pending.is_empty() && inside.contains('\n') {
            return Err(ShellSyntaxError::Unsupported("a multi-line substitution next to a here-document"));
        }
        let from = self.script.commands.len();
        self.apart(|parser| parser.nested(&inside, |parser| parser.list(ListEnd::Text)))?;
        if prints_patterns(&self.script.commands[from..], &inside) {
            word.push_output(count);
        }
        word.parts.push(WordPart::Unknown(count));
        Ok(())
    }

    /// `<(…)` and `>(…)`.
    fn process(&mut self, word: &mut Word) -> ParseResult<()> {
        self.at += 2;
        self.substitution()?;
        word.parts.push(WordPart::Unknown(WordCount::One));
        Ok(())
    }

    /// A list up to `)`, which is taken.
    pub(super) fn substitution(&mut self) -> ParseResult<()> {
        if !self.pending.is_empty() {
            return Err(ShellSyntaxError::Unsupported("a substitution next to a here-document"));
        }
        self.apart(|parser| parser.list(ListEnd::Character(b')')))?;
        if !self.pending.is_empty() {
            return Err(ShellSyntaxError::Unclosed("a here-document"));
        }
        self.at += 1;
        Ok(())
    }
}

/// `[` without a following `]` is literal, as in the program `[`.
fn lone_brackets(word: &mut Word) {
    let closes = |piece: &WordPart| match piece {
        WordPart::Text(text) => text.contains(']'),
        WordPart::Glob(_) => false,
        _ => true,
    };
    for place in 0..word.parts.len() {
        if word.parts[place] == WordPart::Glob('[') && !word.parts[place + 1..].iter().any(closes) {
            word.parts[place] = WordPart::Text("[".to_owned());
        }
    }
}
