//! `annals complete`: candidates for the word that is being typed, for the scripts of `annals completions`. It must be fast and
//! silent: it reads the ends of a few files, never builds an index, and an error is an empty answer.

use std::collections::BTreeSet;
use std::path::PathBuf;

use annals_store::{SessionEntry, Summary};
use clap::{Arg, ArgAction, Command};

use crate::args::CompleteArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::help;
use crate::stores::Stores;
use crate::table::one_line;

/// How many sessions are offered, the newest first.
const MAX_OFFERED: usize = 200;

/// What a word stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CandidateKind {
    Session,
    Project,
}

pub(crate) fn run(args: &CompleteArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let words: Vec<String> = args.words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let mut command = help::command();
    command.build();
    let Some(kind) = kind_of_last(&command, &words) else { return Ok(Outcome::Done) };
    let named = values_of("--config-dir", &words);
    if !named.is_empty() {
        context.store = Stores::choose(named, Vec::new())?;
    }
    let typed = words.last().map_or("", |word| word.trim_start_matches(['"', '\'']));
    // What was not written may be missing here; that is not worth a word in the middle of a command line.
    let of_stores = context.store.all().iter().map(|store| annals_store::Store::discover(store).sessions);
    let mut sessions: Vec<SessionEntry> = of_stores.flatten().collect();
    sessions.retain(|session| session.bytes > 0);
    sessions
        .sort_by(|left, right| right.modified.cmp(&left.modified).then_with(|| left.path.cmp(&right.path)));
    let found = match kind {
        CandidateKind::Session => session_candidates(&sessions, typed),
        CandidateKind::Project => project_candidates(&sessions, typed),
    };
    // The tab between the two would be cleaned away; nothing else is left of what a terminal could obey.
    let lines = found.iter().map(|(value, about)| format!("{}\t{}\n", one_line(value), one_line(about)));
    context.out.exact(lines.collect::<String>().as_bytes())?;
    Ok(Outcome::Done)
}

/// The newest sessions whose id begins so; if there is none, those whose title does.
fn session_candidates(sessions: &[SessionEntry], typed: &str) -> Vec<(String, String)> {
    let is_begun = |session: &&SessionEntry| session.key.as_str().starts_with(typed);
    let by_id: Vec<_> = sessions.iter().filter(is_begun).take(MAX_OFFERED).collect();
    let title = |session: &SessionEntry| Summary::read(session).ok()?.display_title().map(str::to_owned);
    if !by_id.is_empty() {
        let ids =
            by_id.into_iter().map(|session| (session.key.to_string(), title(session).unwrap_or_default()));
        return ids.collect();
    }
    let begins = |text: &str| text.to_lowercase().starts_with(&typed.to_lowercase());
    let titled = sessions.iter().take(MAX_OFFERED).filter_map(|session| Some((title(session)?, session)));
    titled
        .filter(|(title, _)| begins(title))
        .map(|(title, session)| (title, session.key.to_string()))
        .collect()
}

/// The last parts of the paths of projects, the newest first.
fn project_candidates(sessions: &[SessionEntry], typed: &str) -> Vec<(String, String)> {
    let mut slugs = Vec::new();
    let mut found: Vec<(String, String)> = Vec::new();
    for session in sessions {
        if slugs.contains(&&session.slug) {
            continue;
        }
        slugs.push(&session.slug);
        let path = Summary::read(session).ok().and_then(|summary| Some(summary.project?.path));
        let Some(path) = path else { continue };
        let name = path.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(&path).to_owned();
        let is_begun = name.to_lowercase().starts_with(&typed.to_lowercase());
        if is_begun && !found.iter().any(|(known, _)| *known == name) {
            found.push((name, path));
        }
        if found.len() == MAX_OFFERED {
            break;
        }
    }
    found
}

/// What the last of the words is, by the definition of the command line.
fn kind_of_last(command: &Command, words: &[String]) -> Option<CandidateKind> {
    let (last, before) = words.split_last()?;
    let mut command = command;
    let mut positionals = 0;
    let mut before = before.iter().filter(|word| *word != "annals").peekable();
    while let Some(word) = before.next() {
        if let Some(option) = option_of(command, word) {
            let takes_value = matches!(option.get_action(), ArgAction::Set | ArgAction::Append);
            if takes_value && !word.contains('=') && before.next().is_none() {
                return kind_of(option);
            }
        } else if !word.starts_with('-') {
            match command.find_subcommand(word).filter(|_| positionals == 0) {
                Some(found) => command = found,
                None => positionals += 1,
            }
        }
    }
    if last.starts_with('-') {
        return None;
    }
    let arguments: Vec<&Arg> = command.get_positionals().collect();
    let at = arguments
        .get(positionals)
        .or(arguments.last().filter(|argument| matches!(argument.get_action(), ArgAction::Append)))?;
    kind_of(at)
}

/// The option that a word names.
fn option_of<'c>(command: &'c Command, word: &str) -> Option<&'c Arg> {
    let name = word.split('=').next().unwrap_or(word);
    let is_named = |option: &&Arg| match name.strip_prefix("--") {
        Some(long) => option.get_long_and_visible_aliases().is_some_and(|names| names.contains(&long)),
        None => name.strip_prefix('-').is_some_and(|short| {
            option.get_short().is_some_and(|letter| short.len() == 1 && short.starts_with(letter))
        }),
    };
    command.get_arguments().find(is_named)
}

fn kind_of(argument: &Arg) -> Option<CandidateKind> {
    let name = argument.get_value_names().and_then(|names| names.first()).map(|name| name.as_str())?;
    match (name, argument.get_id().as_str()) {
        ("SESSION" | "SESSION|PATH" | "FIRST" | "SECOND", _) => Some(CandidateKind::Session),
        ("PROJECT", _) | (_, "project") => Some(CandidateKind::Project),
        _ => None,
    }
}

/// The options whose values are sessions or projects.
pub(super) fn options() -> BTreeSet<String> {
    let mut command = help::command();
    command.build();
    let arguments = command.get_subcommands().flat_map(Command::get_arguments);
    let named = arguments.filter(|argument| kind_of(argument).is_some());
    named.filter_map(|argument| argument.get_long().map(str::to_owned)).collect()
}

/// The values of an option among the words, without the one that is being typed.
fn values_of(name: &str, words: &[String]) -> Vec<PathBuf> {
    let value = |(at, word): (usize, &String)| match word.strip_prefix(name)? {
        "" => words.get(at + 1).filter(|_| at + 2 < words.len()).map(PathBuf::from),
        rest => rest.strip_prefix('=').map(PathBuf::from),
    };
    words.iter().enumerate().filter_map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_of_the_command_line_says_what_a_word_is() {
        let mut command = help::command();
        command.build();
        let kind = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            kind_of_last(&command, &words)
        };
        let (session, project) = (Some(CandidateKind::Session), Some(CandidateKind::Project));
        for line in [
            "show ",
            "annals show 19",
            "show --as turns 19",
            "--config-dir /x show 19",
            "trash a b c",
            "todos ",
            "chat --resume ",
            "merge a b",
            "files ",
            "check --all ",
            "rm ",
        ] {
            assert_eq!(kind(line), session, "{line}");
        }
        for line in ["ls --project ", "search word --project la", "usage --by day --project "] {
            assert_eq!(kind(line), project, "{line}");
        }
        for line in
            ["", "sh", "show --as ", "show -", "ls --limit ", "search wo", "show 190c ", "rename 190c "]
        {
            assert_eq!(kind(line), None, "{line}");
        }
    }
}
