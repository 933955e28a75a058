//! The cursor over a text, and lists and pipelines: the outer shape of the grammar.

use super::arithmetic::settle_numbers;
use super::heredoc::PendingHeredoc;
use super::quotes::is_meta;
use super::set::SetNames;
use super::word::Word;
use super::{
    Assignment, Command, MAX_COMMANDS, MAX_DEPTH, MAX_WORDS, Pipe, PipeReader, Repetition, Script,
    ShellSyntaxError,
};

pub(super) type ParseResult<T> = Result<T, ShellSyntaxError>;

/// The end of a list of commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListEnd<'e> {
    /// At the end of the text.
    Text,
    /// Before this character.
    Character(u8),
    /// Before one of these reserved words.
    Words(&'e [&'e str]),
    /// Before `;;`, `;&`, `;;&` or `esac`.
    Clause,
}

/// Reads one text; what it finds is in `script`.
pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    pub(super) depth: usize,
    pub(super) repetition: Repetition,
    pub(super) script: Script,
    pub(super) set: SetNames,
    pub(super) pending: Vec<PendingHeredoc>,
}

/// Reserved words at the start of a command.
pub(super) const RESERVED: [&str; 22] = [
    "if", "then", "else", "elif", "fi", "do", "done", "case", "esac", "while", "until", "for", "select",
    "in", "function", "{", "}", "!", "[[", "]]", "time", "coproc",
];

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str, depth: usize) -> Self {
        let (script, pending) = (Script::default(), Vec::new());
        let set = SetNames::default();
        Self { text, at: 0, depth, repetition: Repetition::Once, script, set, pending }
    }

    /// The whole text as a script.
    pub(super) fn whole(mut self) -> ParseResult<Script> {
        self.list(ListEnd::Text)?;
        settle_numbers(&mut self.script);
        if self.pending.is_empty() {
            Ok(self.script)
        } else {
            Err(ShellSyntaxError::Unclosed("a here-document"))
        }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn starts(&self, what: &str) -> bool {
        self.text[self.at..].starts_with(what)
    }

    pub(super) fn take(&mut self, what: &str) -> bool {
        let found = self.starts(what);
        if found {
            self.at += what.len();
        }
        found
    }

    pub(super) fn unexpected<T>(&self) -> ParseResult<T> {
        let what: String = self.text[self.at..].chars().take(1).collect();
        if what.is_empty() {
            return Err(ShellSyntaxError::Unclosed("the command"));
        }
        Err(ShellSyntaxError::Unexpected { what, at: self.at })
    }

    /// One level deeper while `read` runs.
    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> ParseResult<T>) -> ParseResult<T> {
        if self.depth >= MAX_DEPTH {
            return Err(ShellSyntaxError::TooDeep);
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Another text, such as that of backticks or of a here-document; what it finds is ours.
    pub(super) fn nested<T>(
        &mut self,
        text: &str,
        read: impl FnOnce(&mut Parser<'_>) -> ParseResult<T>,
    ) -> ParseResult<T> {
        if self.depth >= MAX_DEPTH {
            return Err(ShellSyntaxError::TooDeep);
        }
        let mut parser = Parser::new(text, self.depth + 1);
        parser.repetition = self.repetition;
        parser.script = std::mem::take(&mut self.script);
        parser.set = std::mem::take(&mut self.set);
        let result = read(&mut parser);
        if !parser.pending.is_empty() {
            return Err(ShellSyntaxError::Unclosed("a here-document"));
        }
        self.script = parser.script;
        self.set = parser.set;
        result
    }

    pub(super) fn add(&mut self, command: Command) -> ParseResult<()> {
        if self.script.commands.len() >= MAX_COMMANDS {
            return Err(ShellSyntaxError::TooManyCommands);
        }
        if command.words.len() + command.assignments.len() + command.redirections.len() > MAX_WORDS {
            return Err(ShellSyntaxError::TooManyWords);
        }
        // `x=1 ls` sets nothing that is left, and `x+=1` keeps what was there.
        let sets = |assignment: &&Assignment| {
            command.words.is_empty() && assignment.word.spelling[assignment.name.len()..].starts_with('=')
        };
        let read = command.reads().map(|line| line.names).unwrap_or_default();
        let assigned = command.assignments.iter().filter(sets).map(|assignment| &assignment.name);
        assigned.chain(&read).for_each(|name| self.set.add(name));
        self.script.commands.push(Command { repetition: self.repetition, ..command });
        Ok(())
    }

    /// Spaces, tabs, joined lines and a comment.
    pub(super) fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\\') if self.starts("\\\n") => self.at += 2,
                Some(b'#') if self.at_word_start() => {
                    let rest = &self.text[self.at..];
                    self.at += rest.find('\n').unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    /// Whether a `#` here would start a comment: it is not inside a word.
    fn at_word_start(&self) -> bool {
        let before = self.text[..self.at].trim_end_matches("\\\n");
        before.is_empty() || before.ends_with([' ', '\t', '\n', ';', '&', '|', '(', ')', '<', '>'])
    }

    /// Skips blanks and line ends; here-documents start after a line end.
    pub(super) fn lines(&mut self) -> ParseResult<()> {
        loop {
            self.blanks();
            if self.peek() != Some(b'\n') {
                return Ok(());
            }
            self.at += 1;
            self.heredocs()?;
        }
    }

    /// The reserved word here, if there is one. It compares characters only, so that no text is parsed twice.
    pub(super) fn reserved(&self) -> Option<&'static str> {
        let mut letters = String::new();
        let mut rest = &self.text[self.at..];
        loop {
            if let Some(joined) = rest.strip_prefix("\\\n") {
                rest = joined;
                continue;
            }
            match rest.bytes().next() {
                Some(byte) if byte.is_ascii_lowercase() || b"!{}[]".contains(&byte) => {
                    letters.push(char::from(byte));
                    rest = &rest[1..];
                }
                Some(byte) if !is_meta(byte) || rest.starts_with("<(") || rest.starts_with(">(") => {
                    return None;
                }
                _ => return RESERVED.into_iter().find(|word| *word == letters),
            }
        }
    }

    /// Takes the reserved word, or fails.
    pub(super) fn expect_reserved(&mut self, expected: &str) -> ParseResult<()> {
        self.lines()?;
        if self.reserved() != Some(expected) {
            return self.unexpected();
        }
        self.word()?;
        Ok(())
    }

    fn at_end(&self, end: ListEnd<'_>) -> bool {
        match end {
            ListEnd::Text => self.peek().is_none(),
            ListEnd::Character(character) => self.peek() == Some(character),
            ListEnd::Words(words) => self.reserved().is_some_and(|found| words.contains(&found)),
            ListEnd::Clause => self.starts(";;") || self.starts(";&") || self.reserved() == Some("esac"),
        }
    }

    /// Commands up to their end, which is not taken.
    pub(super) fn list(&mut self, end: ListEnd<'_>) -> ParseResult<()> {
        self.deeper(|parser| {
            parser.lines()?;
            while !parser.at_end(end) {
                let mark = parser.set.count();
                parser.and_or()?;
                parser.blanks();
                match parser.peek() {
                    _ if parser.at_end(end) => break,
                    Some(b'\n') => {}
                    Some(b';') if !parser.starts(";;") && !parser.starts(";&") => parser.at += 1,
                    Some(b'&') if !parser.starts("&&") => {
                        parser.at += 1;
                        parser.set.lose(mark);
                    }
                    _ => return parser.unexpected(),
                }
                parser.lines()?;
            }
            Ok(())
        })
    }

    /// Pipelines with `&&` and `||`. Behind `&&` everything before has run, unless there is a `||` among it.
    fn and_or(&mut self) -> ParseResult<()> {
        let before = self.set.current();
        let mut has_or = false;
        loop {
            self.pipeline()?;
            self.blanks();
            let is_or = self.take("||");
            if !is_or && !self.take("&&") {
                break;
            }
            has_or |= is_or;
            if has_or {
                self.set.return_to(before);
            }
            self.set.open();
            self.lines()?;
        }
        self.set.return_to(before);
        Ok(())
    }

    fn pipeline(&mut self) -> ParseResult<()> {
        loop {
            self.blanks();
            match self.reserved() {
                Some("!") => {
                    self.word()?;
                }
                Some("time") => {
                    self.word()?;
                    self.blanks();
                    // `time -p` and `time --`; any other option is the program of that name.
                    let rest = &self.text[self.at..];
                    for option in ["-p", "--"] {
                        if rest.strip_prefix(option).is_some_and(|rest| rest.starts_with([' ', '\t'])) {
                            self.at += option.len();
                            break;
                        }
                    }
                    self.blanks();
                    if matches!(self.peek(), None | Some(b'\n' | b';' | b'|' | b'&' | b')')) {
                        return Ok(());
                    }
                }
                _ => break,
            }
        }
        let mut before = None;
        let mark = self.set.count();
        let mut is_first = true;
        loop {
            self.blanks();
            let begins = self.reserved();
            let is_simple = begins.is_none() && !self.starts("(");
            let first = self.script.commands.len();
            // Each of several commands runs in a process of its own.
            if is_first {
                self.command()?;
            } else {
                self.apart(Self::command)?;
            }
            let places = first..self.script.commands.len();
            let to = match begins {
                _ if places.is_empty() => None,
                Some("while") => Some(PipeReader::Loop(first)),
                _ => is_simple.then_some(PipeReader::Command(places.end - 1)),
            };
            let pipe = before.zip(to).map(|(from, to)| Pipe { from, to });
            self.script.pipes.extend(pipe);
            self.blanks();
            if self.starts("||") {
                return Ok(());
            }
            // What is printed as an error is no list of anything.
            let with_errors = self.take("|&");
            if !with_errors && !self.take("|") {
                return Ok(());
            }
            if is_first {
                self.set.lose(mark);
            }
            is_first = false;
            before = Some(first).filter(|_| is_simple && places.len() == 1 && !with_errors);
            self.lines()?;
        }
    }

    /// The next word, if one begins here.
    pub(super) fn word(&mut self) -> ParseResult<Option<Word>> {
        self.blanks();
        self.word_here()
    }
}
