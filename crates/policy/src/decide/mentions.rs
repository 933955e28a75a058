//! Protected paths that a text names in one place and may write to in another: `x=.git; echo y > $x/config`, a list that `xargs`
//! gets. Where a command writes to something unknown, a protected path that the text prints or gives to a variable may be it; where
//! one opens something unknown, a special file.

use std::path::{Path, PathBuf};

use super::Policy;
use super::contents::ScriptContents;
use super::operands::{is_special_name, may_open, may_write};
use crate::decision::{Decision, Reason};
use crate::paths::is_protected;
use crate::shell::{Command, RedirectionKind, Script, Word, base_name, strip};

/// Programs whose words other programs get as names.
const PRINTING: [&str; 6] = ["echo", "printf", "find", "fd", "ls", "git"];

impl Policy<'_> {
    /// The question about a protected path or special file that is named here and may be opened there.
    pub(super) fn mentioned(&self, inside: &ScriptContents, script: &Script) -> Option<Decision> {
        let writes = |direction| matches!(direction, RedirectionKind::Write | RedirectionKind::Both);
        let mut redirections = inside.redirections.iter().filter(|each| writes(each.direction));
        let is_unknown = |word: &Word| word.literal().is_none();
        let has_unknown = |command: &&Command| {
            let stripped = strip(command);
            stripped.last().is_some_and(|bare| bare.words.iter().skip(1).any(is_unknown))
        };
        let writes_unknown = redirections.any(|each| is_unknown(&each.target))
            || inside.all().filter(has_unknown).any(may_write);
        let opens_unknown = inside.redirections.iter().any(|each| is_unknown(&each.target))
            || inside.all().filter(has_unknown).any(may_open);
        if !writes_unknown && !opens_unknown {
            return None;
        }
        let assignments = inside.all().flat_map(|command| &command.assignments);
        let values = assignments.filter(|each| !each.name.ends_with("PATH")).map(|each| &each.word);
        let printed = inside.all().filter(|command| prints(command)).flat_map(|command| &command.words);
        let texts = inside.redirections.iter().filter(|each| each.direction == RedirectionKind::Text);
        let words = values.chain(printed).chain(&script.listed).chain(texts.map(|each| &each.target));
        for text in words.filter_map(Word::literal) {
            if let Some(path) = part(&text, |path| is_protected(Path::new(path))).filter(|_| writes_unknown) {
                return Some(Decision::ask(Reason::Protected(path)));
            }
            if let Some(path) = part(&text, is_special_name) {
                return Some(Decision::ask(Reason::Refused(path)));
            }
        }
        None
    }
}

fn prints(command: &Command) -> bool {
    let stripped = strip(command);
    let name = stripped.last().and_then(Command::name).map(|name| base_name(&name));
    name.is_some_and(|name| PRINTING.contains(&name.as_str()))
}

/// The first part of a text that is such a path.
fn part(text: &str, is_such: impl Fn(&str) -> bool) -> Option<PathBuf> {
    let mut parts = text.split(|letter: char| letter.is_whitespace() || "=:,'\"".contains(letter));
    parts.find(|part| is_such(part)).map(PathBuf::from)
}
