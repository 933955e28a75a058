//! Programs that run another with the same effect: `timeout 5 ls` is `ls`. Only listed programs are stripped.

use super::word::Word;
use super::{Assignment, Command};

/// A command without its wrappers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnwrappedCommand {
    /// Each form, from the command as written to the one without any wrapper.
    pub forms: Vec<Command>,
}

impl UnwrappedCommand {
    /// The command without its wrappers.
    pub fn last(&self) -> Option<&Command> {
        self.forms.last()
    }
}

/// Variables that change how things look and nothing else.
pub(crate) const HARMLESS: [&str; 18] = [
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "LC_COLLATE",
    "LC_MESSAGES",
    "LC_NUMERIC",
    "LC_TIME",
    "TZ",
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR",
    "CI",
    "NODE_ENV",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "PYTHONUNBUFFERED",
    "CARGO_TERM_COLOR",
];

/// The most wrappers that are removed.
const MAX_WRAPPERS: usize = 8;

/// Takes off `env` before variables that change nothing but looks, and `timeout`, `time`, `nice`, `nohup`, `stdbuf`, `command`, `builtin`, `noglob` and a bare `xargs`.
pub fn strip(command: &Command) -> UnwrappedCommand {
    let mut forms = vec![command.clone()];
    while let Some(next) = forms.last().and_then(once).filter(|_| forms.len() <= MAX_WRAPPERS) {
        forms.push(next);
    }
    UnwrappedCommand { forms }
}

fn once(command: &Command) -> Option<Command> {
    let name = command.name()?;
    let rest = &command.words[1..];
    let skipped = match name.as_str() {
        "nohup" | "noglob" | "builtin" => options(rest, &[], &[])?,
        "command" => options(rest, &["-p"], &[])?,
        "time" => options(rest, &["-p", "-v", "--portability", "--verbose"], &[])?,
        "nice" => nice(rest)?,
        "stdbuf" => options(rest, &[], &["-i", "-o", "-e", "--input", "--output", "--error"])?,
        "timeout" => {
            let flags = ["-v", "--verbose", "--foreground", "--preserve-status", "-p", "-f"];
            let skipped = options(rest, &flags, &["-s", "-k", "--signal", "--kill-after"])?;
            is_duration(&rest.get(skipped)?.literal()?).then_some(skipped + 1)?
        }
        "xargs" => options(rest, &[], &[])?,
        "env" => Some(rest.iter().take_while(|word| harmless_assignment(word).is_some()).count())
            .filter(|count| *count > 0)?,
        _ => return None,
    };
    let mut words = rest[skipped..].to_vec();
    let mut assignments: Vec<Assignment> = command.assignments.clone();
    if name == "env" {
        assignments.extend(rest[..skipped].iter().filter_map(harmless_assignment));
    }
    // `env LANG=C PATH=. ls` sets another variable.
    let is_other = |word: String| name == "env" && word.contains('=');
    if words.first()?.literal().is_some_and(|word| word.starts_with('-') || is_other(word)) {
        return None;
    }
    if name == "xargs" {
        words.push(Word::unknown());
    }
    Some(Command {
        assignments,
        words,
        redirections: command.redirections.clone(),
        repetition: command.repetition,
    })
}

/// `LANG=C`
fn harmless_assignment(word: &Word) -> Option<Assignment> {
    let name = word.literal()?.split_once('=')?.0.to_owned();
    HARMLESS.contains(&name.as_str()).then(|| Assignment { name, word: word.clone() })
}

/// How many words are these options; `None` if one is unknown.
fn options(words: &[Word], flags: &[&str], with_value: &[&str]) -> Option<usize> {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let Some(text) = word.literal() else { break };
        if text == "--" {
            return Some(at + 1);
        }
        if !text.starts_with('-') || text == "-" {
            break;
        }
        let (name, joined) = match text.split_once('=') {
            Some((name, _)) if text.starts_with("--") => (name, true),
            _ => (text.as_str(), false),
        };
        if flags.contains(&name) {
            at += 1;
        } else if with_value.contains(&name) {
            // The value is either joined or the following word.
            at += if joined { 1 } else { 2 };
            words.get(at - 1)?.literal()?;
        } else {
            let short = with_value.iter().find(|option| option.len() == 2 && text.starts_with(**option));
            short?;
            at += 1;
        }
    }
    Some(at)
}

fn nice(words: &[Word]) -> Option<usize> {
    let is_number = |text: &str| {
        let digits = text.trim_start_matches(['-', '+']);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    match words.first()?.literal() {
        Some(text) if text.starts_with('-') && is_number(&text) => Some(1),
        _ => options(words, &[], &["-n", "--adjustment"]),
    }
}

fn is_duration(text: &str) -> bool {
    let number = text.strip_suffix(['s', 'm', 'h', 'd']).unwrap_or(text);
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}
