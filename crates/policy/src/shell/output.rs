//! What a substitution can print: text with `*`, `?` or `[`, which an unquoted expansion looks up among the files.

use super::Command;
use super::word::{Word, WordPart};

/// Programs that print numbers, dates and names.
const PLAIN: [&str; 12] =
    ["seq", "date", "nproc", "whoami", "hostname", "uname", "id", "arch", "wc", "expr", "uptime", "free"];

/// Programs that print names of files. A name can hold a `*`, and no folder above.
const NAMES: [&str; 6] = ["ls", "find", "pwd", "basename", "dirname", "realpath"];

/// Programs that pass on what others print.
const FILTERS: [&str; 5] = ["sort", "uniq", "head", "tail", "tac"];

/// Commands of git that print ids, and names of branches and files.
const OF_GIT: [&str; 7] =
    ["rev-parse", "branch", "ls-files", "symbolic-ref", "describe", "rev-list", "merge-base"];

/// Whether a substitution with these commands, written like this, can print a pattern.
pub(super) fn prints_patterns(commands: &[Command], text: &str) -> bool {
    let is_pipeline = !text.replace("||", ";").contains([';', '&', '\n', '(', '{', '`']);
    let ends_plainly = is_pipeline && commands.last().is_some_and(|command| is_of(command, &PLAIN));
    // A filter passes on what it is given: by the pipeline, and neither by a file nor by the input of the whole.
    let is_source = |command: &Command| !is_of(command, &FILTERS);
    let filters = is_pipeline && !text.contains('<') && commands.first().is_some_and(is_source);
    let is_filter = |command: &Command| {
        let mut operands = command.words.iter().skip(1).filter_map(Word::literal);
        let is_option =
            |text: String| text.starts_with('-') || text.bytes().all(|byte| byte.is_ascii_digit());
        filters && is_of(command, &FILTERS) && operands.all(is_option)
    };
    let is_plain = |command: &Command| is_of(command, &PLAIN) || is_of(command, &NAMES) || is_filter(command);
    let is_git = |command: &Command| {
        let first = command.words.get(1).map(Word::beginning).unwrap_or_default();
        // What `ls-files` is given are patterns, which it does not print.
        let is_list = first == "ls-files" && command.name().is_some_and(|name| name == "git");
        let is_literal = || command.words.iter().all(|word| word.literal().is_some());
        (is_list && is_literal()) || (is_of(command, &["git"]) && OF_GIT.contains(&first))
    };
    !ends_plainly && !commands.iter().all(|command| is_plain(command) || is_git(command))
}

/// Whether a command is one of these programs, and none of its words brings a pattern along.
fn is_of(command: &Command, programs: &[&str]) -> bool {
    let Some(name) = command.name().filter(|name| programs.contains(&name.as_str())) else { return false };
    let brings = |word: &Word| {
        let holds = |piece: &WordPart| match piece {
            WordPart::Text(text) => text.contains(['*', '?', '[', '\\', '%']),
            WordPart::Glob(_) | WordPart::Home => false,
            _ => true,
        };
        word.parts.iter().any(holds)
    };
    // `find` prints its patterns by `-printf` only.
    let formats = |word: &Word| word.beginning().contains("print");
    match name.as_str() {
        "find" => {
            !command.words.iter().any(formats) && command.words.iter().all(|word| word.literal().is_some())
        }
        "date" => !command
            .words
            .iter()
            .any(|word| word.literal().is_none_or(|text| text.contains(['*', '?', '[', '/']))),
        _ => !command.words[1..].iter().any(brings),
    }
}
