//! Builtins and programs that evaluate the text of their arguments: `let 'a[$(rm x)]'` runs the command in the brackets.

use super::Assignment;
use super::leading::{is_leading, may_lead};
use super::word::Word;

/// Variables with text that bash runs or expands later.
const RUN_LATER: [&str; 7] = ["PS0", "PS1", "PS2", "PS4", "PROMPT_COMMAND", "BASH_ENV", "ENV"];

/// Builtins with arguments that name variables; a subscript in such a name is evaluated.
const NAMING: [&str; 11] = [
    "declare",
    "typeset",
    "local",
    "export",
    "readonly",
    "unset",
    "read",
    "mapfile",
    "readarray",
    "getopts",
    "wait",
];

/// Every builtin of bash.
const BUILTINS: [&str; 61] = [
    ".",
    ":",
    "[",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "caller",
    "cd",
    "command",
    "compgen",
    "complete",
    "compopt",
    "continue",
    "declare",
    "dirs",
    "disown",
    "echo",
    "enable",
    "eval",
    "exec",
    "exit",
    "export",
    "false",
    "fc",
    "fg",
    "getopts",
    "hash",
    "help",
    "history",
    "jobs",
    "kill",
    "let",
    "local",
    "logout",
    "mapfile",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "test",
    "times",
    "trap",
    "true",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "wait",
];

/// Whether this is a command of the shell itself.
pub(crate) fn is_builtin(name: &str) -> bool {
    BUILTINS.contains(&name)
}

/// Whether the text of this variable is run or expanded later.
fn is_run_later(name: &str) -> bool {
    RUN_LATER.contains(&name)
}

/// Whether an assignment makes the shell or programs run what the text does not show.
pub(crate) fn is_hidden(assignment: &Assignment) -> bool {
    is_run_later(&assignment.name) || is_leading(&assignment.word)
}

/// The same for `NAME=value` among the arguments of `env`.
pub(super) fn hides(word: &Word) -> bool {
    is_run_later(word.beginning().split(['=', '+']).next().unwrap_or_default()) || is_leading(word)
}

/// Whether the arguments hold, or can hold, text that is evaluated.
pub(super) fn evaluates(name: &str, arguments: &[Word]) -> bool {
    let is = |option: &str| arguments.iter().any(|word| word.beginning() == option);
    let code = |word: &Word| match word.literal() {
        Some(text) => {
            let assigned = text.split(['=', '+']).next().unwrap_or_default();
            text.contains("$(") || text.contains('`') || is_run_later(assigned) || is_leading(word)
        }
        // `export X=$y` names a variable; `unset "$y"` does not.
        None => {
            let begins = word.beginning();
            let assigned = begins.split(['=', '+']).next().unwrap_or_default();
            !begins.contains('=') || is_run_later(assigned) || is_leading(word)
        }
    };
    let short = |letter: char| {
        let cluster =
            |text: &str| text.starts_with(['-', '+']) && !text.starts_with("--") && text.contains(letter);
        arguments.iter().any(|word| cluster(word.beginning()))
    };
    match name {
        "let" => {
            arguments.iter().any(|word| word.literal().is_none_or(|text| text.contains(char::is_alphabetic)))
        }
        "declare" | "typeset" | "local" if short('i') || short('n') => true,
        "mapfile" | "readarray" if short('C') => true,
        // A library becomes a builtin.
        "enable" => short('f'),
        "read" | "mapfile" | "readarray" | "getopts" | "printf"
            if (name != "printf" || short('v'))
                && arguments.iter().any(|word| word.literal().is_some_and(|name| may_lead(&name))) =>
        {
            true
        }
        // The word at the position of the format may be `-v` with a name.
        "printf" if arguments.first().is_some_and(hides_option) => true,
        "printf" => {
            short('v') && arguments.iter().take(2).any(|word| code(word) || word.spelling.contains('['))
        }
        "test" | "[" if arguments.iter().all(|word| word.literal().is_some()) => {
            (is("-v") || is("-R")) && arguments.iter().any(code)
        }
        "test" | "[" => !tests_plainly(name, arguments),
        "compgen" | "complete" | "bind" => true,
        "hash" => short('p'),
        "source" | "." => {
            let stream = |path: &str| path.starts_with("/dev/") || path.starts_with("/proc/");
            arguments.first().is_some_and(|word| word.literal().is_none_or(|path| stream(&path)))
        }
        "git" => {
            let global = arguments.iter().take_while(|word| word.beginning().starts_with('-'));
            let runs = |word: &Word| {
                matches!(word.beginning(), "foreach" | "run" | "filter-branch")
                    || word.beginning().starts_with("--exec")
            };
            let sets = |word: &Word| word.beginning() == "-c" || word.beginning().starts_with("--config-env");
            global.into_iter().any(sets) || arguments.iter().any(runs)
        }
        name if NAMING.contains(&name) => arguments.iter().any(code),
        _ => false,
    }
}

/// The variables that `read` sets from a line of its input, where it does nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReadLine {
    /// The variables; the last one takes the rest of the line.
    pub(crate) names: Vec<String>,
    /// Whether a backslash is a character like any other.
    pub(crate) is_raw: bool,
    /// Whether lines end with NUL.
    pub(crate) ends_with_nul: bool,
}

impl ReadLine {
    /// The arguments of `read`: plain names in small letters, and options that change no other thing.
    pub(crate) fn of(arguments: &[Word]) -> Option<Self> {
        let mut found = Self { names: Vec::new(), is_raw: false, ends_with_nul: false };
        let words: Vec<String> = arguments.iter().map(Word::literal).collect::<Option<_>>()?;
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "-r" => found.is_raw = true,
                "-d" => found.ends_with_nul = words.next()?.is_empty().then_some(true)?,
                "-rd" => {
                    found.is_raw = true;
                    found.ends_with_nul = words.next()?.is_empty().then_some(true)?;
                }
                name => {
                    let is_plain =
                        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
                    let is_name = name.bytes().all(is_plain)
                        && !name.contains("proxy")
                        && name.starts_with(|first: char| !first.is_ascii_digit());
                    found.names.push(is_name.then(|| name.to_owned())?);
                }
            }
        }
        (!found.names.is_empty()).then_some(found)
    }
}

/// Whether a word may turn out to be an option.
fn hides_option(word: &Word) -> bool {
    word.literal().is_none() && (word.beginning().is_empty() || word.beginning().starts_with('-'))
}

/// Operators of `test` that look at their operands and evaluate nothing. `-v` and `-R` evaluate a subscript.
const UNARY: &str = "abcdefghknoprstuwxzGLNOS";
const BINARY: [&str; 14] =
    ["=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"];

/// Whether `test` and `[` only compare and read. An unknown word could be `-v`, so it must be where bash expects no
/// operator: alone, after a unary operator, or next to a binary one.
pub(crate) fn tests_plainly(name: &str, arguments: &[Word]) -> bool {
    let arguments = match arguments {
        [inside @ .., last] if name == "[" && last.spelling == "]" => inside,
        _ if name == "[" => return false,
        _ => arguments,
    };
    let literals: Option<Vec<_>> = arguments.iter().map(Word::literal).collect();
    if let Some(literals) = literals {
        return !literals.iter().any(|text| text == "-v" || text == "-R");
    }
    // A number is a number, however often it is split.
    let counts = |word: &Word| matches!(word.spelling.as_str(), "$?" | "$#");
    if !arguments.iter().all(|word| word.is_one() || counts(word)) {
        return false;
    }
    let is = |word: &Word, known: &dyn Fn(&str) -> bool| word.literal().is_some_and(|text| known(&text));
    let unary =
        |text: &str| text.strip_prefix('-').is_some_and(|letter| letter.len() == 1 && UNARY.contains(letter));
    let arguments = match arguments {
        [first, rest @ ..] if is(first, &|text| text == "!") => rest,
        _ => arguments,
    };
    match arguments {
        [_] => true,
        [operator, _] => is(operator, &unary),
        [_, operator, _] => is(operator, &|text| BINARY.contains(&text)),
        _ => false,
    }
}
