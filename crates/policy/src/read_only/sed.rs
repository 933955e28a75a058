//! Scripts of sed that only print. A script that reads or writes another file, runs a command, or is not understood, is not
//! among them; nor is a file that is changed in place.

use super::CommandReads;
use crate::shell::Word;

/// Long options that neither write nor read a script from a file.
const LONG: [&str; 6] = ["quiet", "silent", "regexp-extended", "null-data", "separate", "unbuffered"];

/// `sed [-nE] SCRIPT FILE…`, `sed -e SCRIPT … FILE…`. Options may stand anywhere.
pub(super) fn reading(words: &[Word]) -> Option<CommandReads> {
    let (mut scripts, mut operands) = (Vec::new(), Vec::new());
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let begins = word.beginning();
        if !begins.starts_with('-') || begins == "-" {
            operands.push(word);
            continue;
        }
        let option = word.literal()?;
        if let Some(long) = option.strip_prefix("--") {
            match long.strip_prefix("expression=") {
                Some(script) => scripts.push(script.to_owned()),
                None => LONG.contains(&long).then_some(())?,
            }
            continue;
        }
        let (letters, script) = match option[1..].split_once('e') {
            Some((letters, "")) => (letters, Some(words.next()?.literal()?)),
            Some((letters, script)) => (letters, Some(script.to_owned())),
            None => (&option[1..], None),
        };
        letters.chars().all(|letter| "nErsuz".contains(letter)).then_some(())?;
        scripts.extend(script);
    }
    let paths = match scripts.is_empty() {
        true => {
            let (script, paths) = operands.split_first()?;
            scripts.push(script.literal()?);
            paths
        }
        false => &operands[..],
    };
    let is_plain = scripts.iter().all(|script| ScriptReader::new(script).prints().is_some());
    let globs = paths.iter().filter(|word| !word.is_one()).map(|word| (*word).clone()).collect();
    is_plain.then(|| CommandReads {
        paths: paths.iter().map(|word| (*word).clone()).collect(),
        globs,
        ..CommandReads::default()
    })
}

/// Reads a script letter by letter; `None` is what may do more than print.
struct ScriptReader {
    letters: Vec<char>,
    at: usize,
}

impl ScriptReader {
    fn new(script: &str) -> Self {
        Self { letters: script.chars().collect(), at: 0 }
    }

    fn peek(&self) -> Option<char> {
        self.letters.get(self.at).copied()
    }

    fn skip(&mut self, passes: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&passes) {
            self.at += 1;
        }
    }

    fn prints(&mut self) -> Option<()> {
        loop {
            self.skip(|letter| letter.is_whitespace() || matches!(letter, ';' | '{' | '}'));
            if self.peek().is_none() {
                return Some(());
            }
            self.addresses()?;
            self.command()?;
        }
    }

    /// `5`, `$`, `/x/`, `1~2`, `/x/,+3`, and `!`.
    fn addresses(&mut self) -> Option<()> {
        self.address()?;
        self.skip(|letter| letter == ' ');
        if self.peek() == Some(',') {
            self.at += 1;
            self.skip(|letter| matches!(letter, ' ' | '+' | '~'));
            self.address()?;
        }
        self.skip(|letter| matches!(letter, ' ' | '!'));
        Some(())
    }

    fn address(&mut self) -> Option<()> {
        match self.peek() {
            Some('$') => self.at += 1,
            Some('0'..='9') => self.skip(|letter| letter.is_ascii_digit() || letter == '~'),
            Some('/') => {
                self.at += 1;
                self.part('/')?;
                self.skip(|letter| matches!(letter, 'I' | 'M'));
            }
            _ => {}
        }
        Some(())
    }

    fn command(&mut self) -> Option<()> {
        let command = self.peek();
        self.at += 1;
        match command? {
            '{' | '}' => return Some(()),
            'p' | 'P' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'x' | 'n' | 'N' | '=' | 'z' => {}
            'l' | 'q' | 'Q' => {
                self.skip(|letter| letter == ' ');
                self.skip(|letter| letter.is_ascii_digit());
            }
            's' => {
                self.two_parts()?;
                self.skip(|letter| letter.is_ascii_digit() || "gpiImM".contains(letter));
            }
            'y' => self.two_parts()?,
            _ => return None,
        }
        // What follows a command must be its end: `w` and the like would go on.
        self.skip(|letter| letter == ' ');
        self.peek().is_none_or(|letter| matches!(letter, ';' | '}' | '\n')).then_some(())
    }

    fn two_parts(&mut self) -> Option<()> {
        let mark = self.peek().filter(|mark| !mark.is_alphanumeric() && !"\\\n ;".contains(*mark))?;
        self.at += 1;
        self.part(mark)?;
        self.part(mark)
    }

    /// Up to the mark, which is taken. A mark in brackets ends the part for some seds and not for others.
    fn part(&mut self, mark: char) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            let letter = self.peek()?;
            self.at += 1;
            let next = self.peek();
            match letter {
                '\n' => return None,
                '\\' => {
                    next.filter(|next| *next != '\n')?;
                    self.at += 1;
                }
                _ if letter == mark => return (depth == 0).then_some(()),
                // `[]x]` and `[^]x]`: the first bracket is one of the set.
                '[' if depth == 0 => {
                    depth = 1;
                    self.at += usize::from(next == Some('^'));
                    self.at += usize::from(self.peek() == Some(']'));
                }
                '[' if matches!(next, Some(':' | '.' | '=')) => depth += 1,
                ']' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_that_print_are_told_from_those_that_reach_further() {
        let prints = |script: &str| ScriptReader::new(script).prints().is_some();
        for script in [
            "s/a/b/",
            "s|/usr|/opt|gI",
            "1,5p",
            "5p;7p",
            "$=",
            "/^#/d",
            "/a/,/b/p",
            "/a/I,+3{p;d}",
            "1~2!d",
            "s/\\/x/y/2p",
            "y/abc/xyz/",
            "5q",
            "s/ *$//; s/^ *//",
            "n;d",
            "$!N;P;D",
            "=",
        ] {
            assert!(prints(script), "{script}");
        }
        for script in [
            "s/a/b/w /etc/x",
            "s/a/b/e",
            "s/a/b/ge",
            "s/a/id/;e",
            "1e",
            "e id",
            "w out",
            "1w out",
            "r /etc/passwd",
            "R /etc/passwd",
            "W out",
            "/x/r /etc/passwd",
            "5{r /etc/passwd\n}",
            "s/[/]e/x/w f/",
            "\\,x,w f",
            "a\\\nw out",
            "p w out",
            "s/a/b",
            "b x",
            "i\\",
            "F",
            "v",
            "y/a/b/w f",
            "s a b w",
            "s/[]/]e/x/w f/",
            "s/[[:alpha:]/]/x/w f/",
        ] {
            assert!(!prints(script), "{script}");
        }
    }
}
