//! Here-documents: their bodies start after the line that names them.

use super::parser::{ParseResult, Parser};
use super::quotes::ExpansionContext;
use super::set::SetNames;
use super::word::Word;
use super::{Redirection, ShellSyntaxError};

/// A here-document before its body.
#[derive(Clone, Debug)]
pub(super) struct PendingHeredoc {
    delimiter: String,
    strips_tabs: bool,
    expands: bool,
    /// What is set where the command is, which is before the rest of its line.
    set: SetNames,
}

impl Parser<'_> {
    /// Parses after `<<`; the body is filled in later.
    pub(super) fn heredoc_begins(&mut self) -> ParseResult<Word> {
        let strips_tabs = self.take("-");
        let word = self.word()?.ok_or(ShellSyntaxError::Unclosed("a here-document"))?;
        let plain = word.spelling.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
        let quoted = |quote: char| {
            let inside = word.spelling.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
            inside.filter(|inside| !inside.is_empty() && !inside.contains(['\'', '"', '\\', '$', '`', '\n']))
        };
        let delimiter = if plain {
            word.spelling.clone()
        } else {
            let inside = quoted('\'').or_else(|| quoted('"'));
            inside.ok_or(ShellSyntaxError::Unsupported("this kind of here-document delimiter"))?.to_owned()
        };
        if self.pending.iter().any(|other| other.delimiter == delimiter) {
            return Err(ShellSyntaxError::Unsupported(
                "two here-documents in one line with the same delimiter",
            ));
        }
        let set = self.set.clone();
        self.pending.push(PendingHeredoc { delimiter, strips_tabs, expands: plain, set });
        Ok(word)
    }

    /// Parses the bodies of all pending here-documents, after a line end.
    pub(super) fn heredocs(&mut self) -> ParseResult<()> {
        for pending in std::mem::take(&mut self.pending) {
            let body = self.body(&pending)?;
            let mut word = Word { spelling: body.clone(), ..Word::default() };
            word.push_text("");
            if pending.expands {
                let after = std::mem::replace(&mut self.set, pending.set.clone());
                self.nested(&body, |parser| {
                    while parser.peek().is_some() {
                        parser.expanding(&mut word, ExpansionContext::Document)?;
                    }
                    Ok(())
                })?;
                self.set = after;
            } else {
                word.push_text(&body);
            }
            self.fill(&pending, word);
        }
        Ok(())
    }

    fn body(&mut self, pending: &PendingHeredoc) -> ParseResult<String> {
        let mut body = String::new();
        loop {
            let rest = &self.text[self.at..];
            if rest.is_empty() {
                return Err(ShellSyntaxError::Unclosed("a here-document"));
            }
            let end = rest.find('\n');
            let line = &rest[..end.unwrap_or(rest.len())];
            self.at += line.len() + usize::from(end.is_some());
            let line = if pending.strips_tabs { line.trim_start_matches('\t') } else { line };
            if line == pending.delimiter {
                // The line end stays: it also ends the command before.
                self.at -= usize::from(end.is_some());
                return Ok(body);
            }
            if pending.expands && line.ends_with('\\') {
                return Err(ShellSyntaxError::Unsupported("a line continuation in a here-document"));
            }
            body.push_str(line);
            body.push('\n');
        }
    }

    /// Gives the text to the redirection that waits for it.
    fn fill(&mut self, pending: &PendingHeredoc, text: Word) {
        let waits = |redirection: &&mut Redirection| {
            redirection.direction == super::RedirectionKind::Text
                && redirection.target.parts.is_empty()
                && redirection.target.spelling.trim_matches(['\'', '"']) == pending.delimiter
        };
        let commands = self.script.commands.iter_mut().flat_map(|command| &mut command.redirections);
        if let Some(redirection) = commands.chain(&mut self.script.redirections).find(waits) {
            redirection.target = text;
        }
    }
}
