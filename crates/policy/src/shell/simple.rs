//! Simple commands: assignments, words, redirections; and function definitions, which begin like one.

use super::dollar::name_length;
use super::parser::{ParseResult, Parser};
use super::word::{Word, WordCount, WordPart};
use super::{Assignment, Command, Hazard, Redirection, RedirectionKind, ShellSyntaxError};

/// Builtins with arguments that may be assignments of arrays.
const DECLARING: [&str; 6] = ["declare", "typeset", "local", "export", "readonly", "alias"];

/// Reserved words that cannot begin a command by themselves; those that can are read before.
const MISPLACED: [&str; 10] = ["then", "else", "elif", "fi", "do", "done", "esac", "}", "!", "in"];

impl Parser<'_> {
    /// A command that is no compound one.
    pub(super) fn simple(&mut self) -> ParseResult<()> {
        let mut command = Command::default();
        loop {
            self.blanks();
            if let Some(redirection) = self.redirection(None)? {
                command.redirections.push(redirection);
                continue;
            }
            let start = self.at;
            if self.at_array(&command) {
                self.array(&mut command, start)?;
                continue;
            }
            let Some(word) = self.word_here()? else { break };
            if let Some(name) = assigned(&word.spelling).filter(|_| command.words.is_empty()) {
                if word.spelling[name.len()..].starts_with('[') {
                    self.script.hazards.push(Hazard::Arithmetic);
                }
                command.assignments.push(Assignment { name, word });
                continue;
            }
            // Digits that touch a redirection belong to it; a name in braces is a variable that is set.
            if matches!(self.peek(), Some(b'<' | b'>')) {
                if word.spelling.bytes().all(|byte| byte.is_ascii_digit()) {
                    let redirection = self.redirection(Some(&word.spelling))?;
                    command.redirections.extend(redirection);
                    continue;
                }
                if word.spelling.starts_with('{') && word.spelling.ends_with('}') {
                    return Err(ShellSyntaxError::Unsupported("a redirection that sets a variable"));
                }
            }
            let first = command.words.is_empty() && command.assignments.is_empty();
            if first && command.redirections.is_empty() && self.parentheses() {
                return self.function(&word);
            }
            if first && MISPLACED.contains(&word.spelling.as_str()) {
                return Err(ShellSyntaxError::Unexpected { what: word.spelling, at: start });
            }
            command.words.push(word);
        }
        if self.peek() == Some(b'(') {
            return self.unexpected();
        }
        if command.words.is_empty() && command.assignments.is_empty() && command.redirections.is_empty() {
            return self.unexpected();
        }
        self.add(command)
    }

    /// Skips `()` after the name of a function, if present.
    fn parentheses(&mut self) -> bool {
        let start = self.at;
        self.blanks();
        if self.take("(") {
            self.blanks();
            if self.take(")") {
                return true;
            }
        }
        self.at = start;
        false
    }

    /// Parses the body of a function; its commands are checked as if it were called.
    pub(super) fn function(&mut self, name: &Word) -> ParseResult<()> {
        let name = name.literal().ok_or(ShellSyntaxError::Unsupported("a function without a plain name"))?;
        self.script.functions.push(name);
        self.lines()?;
        let body = |parser: &mut Self| if parser.compound()? { Ok(()) } else { parser.unexpected() };
        self.repeated(|parser| parser.apart(body)).map(|_| ())
    }

    /// Whether `name=(` starts here as an assignment.
    fn at_array(&self, command: &Command) -> bool {
        let name = command.words.first().and_then(Word::literal);
        let declares = name.is_some_and(|name| DECLARING.contains(&name.as_str()));
        let rest = &self.text[self.at..];
        let after = &rest[name_length(rest)..];
        let begins = name_length(rest) > 0 && (after.starts_with("=(") || after.starts_with("+=("));
        begins && (declares || command.words.is_empty())
    }

    /// `name=(word word …)`.
    fn array(&mut self, command: &mut Command, start: usize) -> ParseResult<()> {
        let rest = &self.text[start..];
        let name = rest[..name_length(rest)].to_owned();
        self.at = start + rest.find('(').unwrap_or_default() + 1;
        loop {
            self.lines()?;
            if self.take(")") {
                break;
            }
            match self.word_here()? {
                // `[…]=` evaluates its subscript.
                Some(word) if word.spelling.starts_with('[') => {
                    self.script.hazards.push(Hazard::Arithmetic);
                }
                Some(word) => self.script.listed.push(word),
                None => return self.unexpected(),
            }
        }
        let spelling = self.text[start..self.at].to_owned();
        let word = Word { spelling, parts: vec![WordPart::Unknown(WordCount::One)], ..Word::default() };
        if command.words.is_empty() {
            command.assignments.push(Assignment { name, word });
        } else {
            command.words.push(word);
        }
        Ok(())
    }

    /// Parses a redirection, if one starts here; `number` is the descriptor before it.
    pub(super) fn redirection(&mut self, number: Option<&str>) -> ParseResult<Option<Redirection>> {
        // The process substitutions `<(` and `>(` are words.
        if self.starts("<(") || self.starts(">(") {
            return Ok(None);
        }
        let operators = [
            ("&>>", RedirectionKind::Write),
            ("&>", RedirectionKind::Write),
            ("<<<", RedirectionKind::Text),
            ("<<", RedirectionKind::Text),
            ("<>", RedirectionKind::Both),
            ("<&", RedirectionKind::Duplicate),
            (">>", RedirectionKind::Write),
            (">&", RedirectionKind::Duplicate),
            (">|", RedirectionKind::Write),
            (">", RedirectionKind::Write),
            ("<", RedirectionKind::Read),
        ];
        let Some((operator, direction)) = operators.into_iter().find(|(operator, _)| self.starts(operator))
        else {
            return Ok(None);
        };
        self.at += operator.len();
        let descriptor = match number {
            Some(digits) => Some(
                digits.parse().map_err(|_| ShellSyntaxError::Unsupported("a file descriptor this large"))?,
            ),
            None => operator.starts_with('<').then_some(0),
        };
        if operator == "<<" {
            let word = self.heredoc_begins()?;
            let target = Word { spelling: word.spelling, ..Word::default() };
            return Ok(Some(Redirection { direction, target, descriptor }));
        }
        self.blanks();
        let Some(target) = self.word_here()? else { return self.unexpected() };
        let number = |text: String| {
            let digits = text.strip_suffix('-').unwrap_or(&text);
            digits.bytes().all(|byte| byte.is_ascii_digit())
        };
        // `>&file` writes to a file; `<&$x` copies an unknown descriptor and opens nothing.
        let direction = match operator {
            ">&" if !target.literal().is_some_and(number) => RedirectionKind::Write,
            _ => direction,
        };
        Ok(Some(Redirection { direction, target, descriptor }))
    }
}

/// The variable, if a word with this spelling is an assignment.
pub(super) fn assigned(spelling: &str) -> Option<String> {
    let length = name_length(spelling);
    let after = &spelling[length..];
    let after = match after.strip_prefix('[') {
        Some(subscript) => &subscript[subscript.find(']')? + 1..],
        None => after,
    };
    (length > 0 && (after.starts_with('=') || after.starts_with("+="))).then(|| spelling[..length].to_owned())
}
