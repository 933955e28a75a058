//! Compound commands: groups, conditions, loops, cases, `[[ … ]]`.

use super::parser::{ListEnd, ParseResult, Parser};
use super::set::is_some_word;
use super::word::Word;
use super::{Hazard, ReadLoop, Repetition, ShellSyntaxError, WordLoop};

impl Parser<'_> {
    /// Any command.
    pub(super) fn command(&mut self) -> ParseResult<()> {
        self.blanks();
        if self.compound()? { Ok(()) } else { self.simple() }
    }

    /// Reads what can run more than once.
    pub(super) fn repeated<T>(&mut self, read: impl FnOnce(&mut Self) -> ParseResult<T>) -> ParseResult<T> {
        let before = std::mem::replace(&mut self.repetition, Repetition::Many);
        let result = read(self);
        self.repetition = before;
        result
    }

    /// A compound command with its redirections, if one begins here.
    pub(super) fn compound(&mut self) -> ParseResult<bool> {
        self.blanks();
        let reserved = self.reserved();
        let mut read_loop = None;
        if self.starts("((") {
            self.at += 2;
            self.arithmetic()?;
        } else if self.starts("(\\\n") {
            return Err(ShellSyntaxError::Unsupported("a line continuation after `(`"));
        } else if self.starts("(") {
            self.at += 1;
            self.apart(|parser| parser.list(ListEnd::Character(b')')))?;
            self.at += 1;
        } else {
            match reserved {
                Some("{") => self.between("{", "}")?,
                Some("if") => self.condition()?,
                Some("while") => read_loop = self.looping("while")?,
                Some("until") => {
                    self.looping("until")?;
                }
                Some("for") => self.counting("for")?,
                Some("select") => self.counting("select")?,
                Some("case") => self.case()?,
                Some("[[") => self.test()?,
                Some("function") => {
                    self.word()?;
                    let Some(name) = self.word()? else { return self.unexpected() };
                    self.blanks();
                    if self.take("(") {
                        self.blanks();
                        if !self.take(")") {
                            return self.unexpected();
                        }
                    }
                    self.function(&name)?;
                }
                Some("coproc") => return Err(ShellSyntaxError::Unsupported("`coproc`")),
                _ => return Ok(false),
            }
        }
        loop {
            self.blanks();
            let digits = self.text[self.at..].bytes().take_while(u8::is_ascii_digit).count();
            let number = &self.text[self.at..self.at + digits];
            let redirects = digits > 0 && self.text[self.at + digits..].starts_with(['<', '>']);
            if redirects {
                self.at += digits;
            }
            match self.redirection(redirects.then_some(number))? {
                Some(redirection) => {
                    if let Some(each) = &mut read_loop {
                        each.redirections.push(redirection.clone());
                    }
                    self.script.redirections.push(redirection);
                }
                None => {
                    self.script.read_loops.extend(read_loop);
                    return Ok(true);
                }
            }
        }
    }

    fn between(&mut self, open: &'static str, close: &'static str) -> ParseResult<()> {
        self.expect_reserved(open)?;
        self.list(ListEnd::Words(&[close]))?;
        self.expect_reserved(close)
    }

    fn condition(&mut self) -> ParseResult<()> {
        self.expect_reserved("if")?;
        let before = self.set.current();
        let mut branches = Vec::new();
        loop {
            self.list(ListEnd::Words(&["then"]))?;
            self.expect_reserved("then")?;
            let ((), branch) = self.apart(|parser| parser.list(ListEnd::Words(&["elif", "else", "fi"])))?;
            branches.push(branch);
            match self.reserved() {
                Some("elif") => {
                    self.expect_reserved("elif")?;
                    // The next condition is looked at only if this one did not hold.
                    self.set.open();
                }
                Some("else") => {
                    self.expect_reserved("else")?;
                    let ((), branch) = self.apart(|parser| parser.list(ListEnd::Words(&["fi"])))?;
                    branches.push(branch);
                    self.set.return_to(before);
                    self.set.add_common(&branches);
                    return self.expect_reserved("fi");
                }
                _ => {
                    self.set.return_to(before);
                    return self.expect_reserved("fi");
                }
            }
        }
    }

    /// A loop with a condition, and what it reads if that is `read` and nothing else.
    fn looping(&mut self, word: &'static str) -> ParseResult<Option<ReadLoop>> {
        self.expect_reserved(word)?;
        self.lines()?;
        let is_simple = self.reserved().is_none() && !self.starts("(");
        let read = self.script.commands.len();
        let body = self.repeated(|parser| {
            parser.list(ListEnd::Words(&["do"]))?;
            let first = parser.script.commands.len();
            parser.apart(|parser| parser.between("do", "done"))?;
            Ok(first..parser.script.commands.len())
        })?;
        let command = self.script.commands.get(read).filter(|_| is_simple && body.start == read + 1);
        let reads = command.is_some_and(|command| command.reads().is_some());
        Ok(reads.then(|| ReadLoop { read, body, redirections: Vec::new() }))
    }

    fn counting(&mut self, word: &'static str) -> ParseResult<()> {
        self.expect_reserved(word)?;
        self.blanks();
        let mut over = None;
        let mut variable = None;
        if self.starts("((") {
            self.at += 2;
            self.arithmetic()?;
        } else {
            let Some(name) = self.word()? else { return self.unexpected() };
            let Some(name) = name.literal() else { return self.unexpected() };
            self.script.looped.push(name.clone());
            self.script.assigned.push(name.clone());
            variable = Some(name.clone());
            self.lines()?;
            if self.reserved() == Some("in") {
                self.word()?;
                let mut words = Vec::new();
                while let Some(word) = self.word()? {
                    self.script.listed.push(word.clone());
                    words.push(word);
                }
                over = Some((name, words));
            }
        }
        self.blanks();
        self.take(";");
        self.lines()?;
        let first = self.script.commands.len();
        let read_body = |parser: &mut Self| {
            variable.iter().for_each(|name| parser.set.add(name));
            match parser.reserved() {
                Some("{") => parser.between("{", "}"),
                _ => parser.between("do", "done"),
            }
        };
        self.repeated(|parser| parser.apart(read_body))?;
        let body = first..self.script.commands.len();
        // Without words the variable stays what it was.
        if let Some((name, _)) = over.as_ref().filter(|(_, words)| word == "for" && is_some_word(words)) {
            self.set.add(name);
        }
        self.script.loops.extend(over.map(|(name, words)| WordLoop { name, words, body }));
        Ok(())
    }

    fn case(&mut self) -> ParseResult<()> {
        self.expect_reserved("case")?;
        let Some(word) = self.word()? else { return self.unexpected() };
        self.script.compared.push(word);
        self.expect_reserved("in")?;
        loop {
            self.lines()?;
            if self.reserved() == Some("esac") {
                return self.expect_reserved("esac");
            }
            self.take("(");
            loop {
                let Some(word) = self.word()? else { return self.unexpected() };
                self.script.compared.push(word);
                self.blanks();
                if self.take(")") {
                    break;
                }
                if !self.take("|") {
                    return self.unexpected();
                }
            }
            self.apart(|parser| parser.list(ListEnd::Clause))?;
            let _ = self.take(";;&") || self.take(";;") || self.take(";&");
        }
    }

    /// `[[ … ]]`: words and operators; comparisons of numbers evaluate variables. After `=~` and similar, bash parses
    /// patterns by other rules, where a bracket quotes what would otherwise end a word or start a comment: a bracket is
    /// accepted only at the start of a term, and a comment never.
    fn test(&mut self) -> ParseResult<()> {
        self.expect_reserved("[[")?;
        let mut open = 0_usize;
        let mut begins = true;
        loop {
            self.blanks_of_test()?;
            if let Some(word) = self.word_of_test()? {
                begins = false;
                match word.spelling.as_str() {
                    "]]" if open == 0 => return Ok(()),
                    "!" => begins = true,
                    "=~" | "==" | "=" | "!=" => {
                        self.blanks_of_test()?;
                        if self.word_of_test()?.is_none() {
                            return Err(ShellSyntaxError::Unsupported("this kind of pattern inside `[[`"));
                        }
                        if !matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b')')) {
                            return Err(ShellSyntaxError::Unsupported("this kind of pattern inside `[[`"));
                        }
                    }
                    "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" | "-v" | "-R" => {
                        self.script.hazards.push(Hazard::Arithmetic);
                    }
                    _ => {}
                }
            } else if begins && self.take("(") {
                open += 1;
            } else if open > 0 && self.take(")") {
                open -= 1;
                begins = false;
            } else if self.take("&&") || self.take("||") {
                begins = true;
            } else if !(self.take("<") || self.take(">")) {
                return self.unexpected();
            }
        }
    }

    /// Blanks and line ends inside of `[[`.
    fn blanks_of_test(&mut self) -> ParseResult<()> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\\') if self.starts("\\\n") => self.at += 2,
                Some(b'\n') if self.pending.is_empty() => self.at += 1,
                Some(b'\n') => {
                    return Err(ShellSyntaxError::Unsupported("a here-document in a multi-line `[[`"));
                }
                Some(b'#') => return Err(ShellSyntaxError::Unsupported("a comment inside `[[`")),
                _ => return Ok(()),
            }
        }
    }

    /// Parses a word inside `[[`, after its blanks.
    fn word_of_test(&mut self) -> ParseResult<Option<Word>> {
        let Some(word) = self.word_here()? else { return Ok(None) };
        let substitutes = word.spelling.contains("<(") || word.spelling.contains(">(");
        if substitutes || self.starts("(") {
            return Err(ShellSyntaxError::Unsupported("a bracket next to a word of `[[`"));
        }
        self.script.compared.push(word.clone());
        Ok(Some(word))
    }
}
