//! What a command runs that is not itself: `sh -c "…"`, `eval`, `sudo`, `find -exec`. Deny rules look at that too.

use super::builtins;
use super::word::{Word, WordPart};
use super::wrappers::strip;
use super::{Command, RedirectionKind, Script, parse};

/// Something that runs within a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NestedCommand {
    /// A command in the arguments of the outer one.
    Command(Command),
    /// The same, where options leave open which words are the command.
    Perhaps(Command),
    /// A text that is a script.
    Script(Box<Script>),
    /// It runs something that the text does not show.
    Hidden(String),
}

fn script_of(script: Script) -> NestedCommand {
    NestedCommand::Script(Box::new(script))
}

const SHELLS: [&str; 24] = [
    "sh", "bash", "dash", "zsh", "ksh", "ash", "rbash", "fish", "mksh", "pdksh", "oksh", "lksh", "ksh93",
    "csh", "tcsh", "yash", "posh", "nu", "pwsh", "elvish", "xonsh", "osh", "ysh", "hush",
];

/// Programs that run the commands that they read from their input.
const READ_COMMANDS: [&str; 3] = ["at", "batch", "crontab"];

/// Programs that run the command in their arguments: their options with a value, and how many operands come before it.
const RUNNERS: [(&str, &str, usize); 45] = [
    ("fakeroot", "lsib", 0),
    ("systemd-run", "pEuMH", 0),
    ("runuser", "ugG", 0),
    ("pkexec", "", 0),
    ("firejail", "", 0),
    ("bwrap", "", 0),
    ("proot", "rbwq", 0),
    ("valgrind", "", 0),
    ("xvfb-run", "enfs", 0),
    ("setarch", "", 1),
    ("unbuffer", "", 0),
    ("rlwrap", "", 0),
    ("entr", "", 0),
    ("tmux", "", 1),
    ("screen", "S", 0),
    ("su", "sgG", 0),
    ("sudo", "ugpCrtTRDhU", 0),
    ("doas", "uC", 0),
    ("env", "uCS", 0),
    ("exec", "a", 0),
    ("setsid", "", 0),
    ("ionice", "cnpPu", 0),
    ("chrt", "TPD", 1),
    ("taskset", "", 1),
    ("chroot", "", 1),
    ("flock", "wE", 1),
    ("watch", "n", 0),
    ("xargs", "adEILnPs", 0),
    ("parallel", "jN", 0),
    ("busybox", "", 0),
    ("toybox", "", 0),
    ("unshare", "", 0),
    ("nsenter", "tSG", 0),
    ("strace", "eopsPuEaIOSX", 0),
    ("ltrace", "eopsuan", 0),
    ("script", "", 0),
    ("nohup", "", 0),
    ("nice", "n", 0),
    ("time", "fo", 0),
    ("timeout", "sk", 1),
    ("stdbuf", "ioe", 0),
    ("command", "", 0),
    ("builtin", "", 0),
    ("noglob", "", 0),
    ("caffeinate", "tw", 0),
];

/// How many words are tried as the program that a runner runs.
const MAX_READINGS: usize = 16;

/// Long options of runners that take the next word.
const LONG_WITH_VALUE: [&str; 22] = [
    "user",
    "group",
    "other-user",
    "host",
    "chdir",
    "chroot",
    "role",
    "type",
    "prompt",
    "close-from",
    "unset",
    "class",
    "classdata",
    "signal",
    "kill-after",
    "adjustment",
    "max-args",
    "max-procs",
    "max-lines",
    "arg-file",
    "delimiter",
    "interval",
];

/// Runners that pass a text to a shell: `watch 'ls | wc'`, `flock FILE -c 'ls'`.
const TAKE_TEXT: [&str; 8] = ["watch", "flock", "script", "parallel", "su", "runuser", "tmux", "screen"];

/// The last part of a program's path, in lower case: on some systems `RM` is `rm`.
pub(crate) fn base_name(program: &str) -> String {
    program.rsplit('/').next().unwrap_or(program).to_ascii_lowercase()
}

/// Everything that the command runs besides itself; wrappers that [`strip`] takes off are taken off before.
pub fn nested_commands(command: &Command) -> Vec<NestedCommand> {
    let stripped = strip(command);
    let Some(command) = stripped.last() else { return Vec::new() };
    let Some(name) = command.name().map(|name| base_name(&name)) else { return Vec::new() };
    let arguments = &command.words[1..];
    if SHELLS.contains(&name.as_str()) {
        return vec![of_shell(command, arguments)];
    }
    let behind =
        |words: &'_ [Word]| -> usize { usize::from(words.first().is_some_and(|word| word.spelling == "--")) };
    let rest = &arguments[behind(arguments)..];
    match name.as_str() {
        "eval" => vec![script(&joined(rest), arguments)],
        "trap" => rest.first().map(|word| script(&word.literal(), arguments)).into_iter().collect(),
        _ if builtins::evaluates(&name, arguments) => vec![NestedCommand::Hidden(command.spelling())],
        "alias" => arguments.iter().filter_map(of_alias).collect(),
        "find" | "fd" | "fdfind" => of_find(command, arguments),
        _ if READ_COMMANDS.contains(&name.as_str()) => {
            let lists = |word: &Word| matches!(word.beginning(), "-l" | "-c" | "-V");
            let hidden = || NestedCommand::Hidden(command.spelling());
            (!arguments.first().is_some_and(lists)).then(hidden).into_iter().collect()
        }
        "parallel" if rest.is_empty() => vec![NestedCommand::Hidden(command.spelling())],
        _ => {
            let runner = RUNNERS.iter().find(|(runner, ..)| *runner == name);
            runner.map_or_else(Vec::new, |(_, values, before)| of_runner(command, values, *before))
        }
    }
}

fn joined(words: &[Word]) -> Option<String> {
    let words: Option<Vec<_>> = words.iter().map(Word::literal).collect();
    words.map(|words| words.join(" "))
}

fn script(text: &Option<String>, shown: &[Word]) -> NestedCommand {
    let hidden = || {
        let shown: Vec<_> = shown.iter().map(|word| word.spelling.as_str()).collect();
        NestedCommand::Hidden(shown.join(" "))
    };
    text.as_deref().and_then(|text| parse(text).ok()).map_or_else(hidden, script_of)
}

/// `-c TEXT`, else what comes in as text, else a file of which nothing is known here.
fn of_shell(command: &Command, arguments: &[Word]) -> NestedCommand {
    let mut takes_text = false;
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let Some(text) = word.literal() else { return script(&None, arguments) };
        if matches!(text.as_str(), "--rcfile" | "--init-file") {
            words.next();
        } else if text == "-" || text.starts_with("--") {
            // It takes no value and changes nothing here.
        } else if text.starts_with(['-', '+']) && text.len() > 1 {
            takes_text |= text.contains('c');
            if text.contains('s') && !takes_text {
                break;
            }
            // Each `o` takes one of the following words.
            for _ in text.matches(['o', 'O']) {
                words.next();
            }
        } else if takes_text {
            return script(&Some(text), arguments);
        } else {
            // A file is a command like any other program; a stream shows nothing.
            let stream = text.starts_with("/dev/") || text.starts_with("/proc/");
            return if stream { script(&None, arguments) } else { script_of(Script::default()) };
        }
    }
    // The last one of the input counts; another descriptor is another thing.
    let input = command.redirections.iter().rfind(|redirection| redirection.descriptor == Some(0));
    let input = input.filter(|redirection| redirection.direction == RedirectionKind::Text);
    let asks_version = arguments.iter().all(|word| word.beginning() == "--version") && !arguments.is_empty();
    match input {
        _ if asks_version => script_of(Script::default()),
        Some(text) if !takes_text => script(&text.target.literal(), arguments),
        _ => script(&None, &command.words),
    }
}

fn of_alias(word: &Word) -> Option<NestedCommand> {
    let Some(text) = word.literal() else { return Some(NestedCommand::Hidden(word.spelling.clone())) };
    let (_, value) = text.split_once('=')?;
    Some(script(&Some(value.to_owned()), std::slice::from_ref(word)))
}

fn with_words(command: &Command, words: &[Word]) -> Command {
    Command {
        words: words.to_vec(),
        assignments: Vec::new(),
        redirections: Vec::new(),
        repetition: command.repetition,
    }
}

/// The commands after `-exec` and similar, each up to `;` or `+`.
fn of_find(command: &Command, arguments: &[Word]) -> Vec<NestedCommand> {
    let is = |word: &Word, names: &[&str]| word.literal().is_some_and(|text| names.contains(&text.as_str()));
    let runs = ["-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"];
    let mut found = Vec::new();
    for (place, _) in arguments.iter().enumerate().filter(|(_, word)| is(word, &runs)) {
        let rest = &arguments[place + 1..];
        let end = rest.iter().position(|word| is(word, &[";", "+"])).unwrap_or(rest.len());
        let mut words = rest[..end].to_vec();
        for word in words.iter_mut().filter(|word| word.spelling.contains("{}")) {
            word.parts = vec![WordPart::Unknown(super::word::WordCount::One)];
        }
        found.push(NestedCommand::Command(with_words(command, &words)));
    }
    // An expansion may be `-exec` itself.
    let hides = |word: &&Word| word.literal().is_none() && word.beginning().is_empty() && !word.is_one();
    found.extend(arguments.iter().find(hides).map(|word| NestedCommand::Hidden(word.spelling.clone())));
    found
}

/// The command after a runner's options, assignments and operands.
fn of_runner(command: &Command, values: &str, before: usize) -> Vec<NestedCommand> {
    let arguments = &command.words[1..];
    let is_env = command.name().is_some_and(|name| base_name(&name) == "env");
    let (mut at, mut left, mut sure) = (0, before, true);
    let mut found = Vec::new();
    while let Some(word) = arguments.get(at) {
        let Some(text) = word.literal() else {
            return vec![NestedCommand::Hidden(command.spelling())];
        };
        if text == "--" {
            at += 1;
            break;
        } else if let Some(letters) = text.strip_prefix('-').filter(|letters| !letters.is_empty()) {
            sure = false;
            let splits = letters.starts_with("-s") || (!letters.starts_with('-') && letters.contains('S'));
            if is_env && splits {
                return vec![NestedCommand::Hidden(command.spelling())];
            }
            let takes = letters.find(|letter: char| values.contains(letter));
            let next = match letters.strip_prefix('-') {
                Some(long) => LONG_WITH_VALUE.contains(&long),
                None => takes.is_some_and(|place| place + 1 == letters.len()),
            };
            at += if next { 2 } else { 1 };
        } else if is_assignment(&text) {
            found.extend(builtins::hides(word).then_some(NestedCommand::Hidden(text)));
            at += 1;
        } else if left > 0 {
            left -= 1;
            at += 1;
        } else {
            break;
        }
    }
    let reader = ArgumentReader::of(command);
    let behind = |from: usize| reader.fill(arguments.get(from..).unwrap_or_default());
    found.extend(of_rest(command, &behind(at)));
    if !sure {
        // Not every option of every runner is known: any later word may be the program.
        let later = (1..arguments.len().min(MAX_READINGS)).map(|from| with_words(command, &behind(from)));
        found.extend(later.map(NestedCommand::Perhaps));
        if arguments.len() > MAX_READINGS {
            found.push(NestedCommand::Hidden(command.spelling()));
        }
    }
    found
}

/// How a runner puts the words that it reads into the command that it runs.
enum ArgumentReader {
    /// It reads none.
    None,
    /// At the end.
    Appends,
    /// In place of this text.
    Replaces(String),
}

impl ArgumentReader {
    fn of(command: &Command) -> Self {
        let name = command.name().map(|name| base_name(&name)).unwrap_or_default();
        let words: Vec<&str> = command.words.iter().skip(1).map(Word::beginning).collect();
        let has_braces = || words.iter().any(|word| word.contains('{') && word.contains('}'));
        match name.as_str() {
            "parallel" if has_braces() => Self::Replaces("{".to_owned()),
            "parallel" => Self::Appends,
            "xargs" => {
                let place = words.iter().position(|word| word.starts_with("-I") || word.starts_with("-i"));
                let long = words.iter().find(|word| word.starts_with("--replace"));
                match (place, long) {
                    (Some(place), _) => {
                        let joined = Some(&words[place][2..]).filter(|joined| !joined.is_empty());
                        let next = words.get(place + 1).copied().filter(|_| words[place] == "-I");
                        Self::Replaces(joined.or(next).unwrap_or("{}").to_owned())
                    }
                    (None, Some(long)) => {
                        Self::Replaces(long.split_once('=').map_or("{}", |(_, text)| text).to_owned())
                    }
                    (None, None) => Self::Appends,
                }
            }
            _ => Self::None,
        }
    }

    fn fill(&self, words: &[Word]) -> Vec<Word> {
        let mut words = words.to_vec();
        match self {
            Self::Appends if !words.is_empty() => words.push(Word::unknown()),
            Self::Replaces(text) => {
                for word in words.iter_mut().filter(|word| word.spelling.contains(text.as_str())) {
                    word.parts = vec![WordPart::Unknown(super::word::WordCount::One)];
                }
            }
            _ => {}
        }
        words
    }
}

fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

fn of_rest(command: &Command, words: &[Word]) -> Vec<NestedCommand> {
    if words.is_empty() {
        return Vec::new();
    }
    let nested = with_words(command, words);
    let mut found = vec![NestedCommand::Command(nested)];
    let takes_text = command.name().is_some_and(|name| TAKE_TEXT.contains(&base_name(&name).as_str()));
    if takes_text {
        let texts = command.words.iter().filter_map(Word::literal).filter(|text| text.contains(' '));
        found.extend(texts.filter_map(|text| parse(&text).ok()).map(script_of));
    }
    found
}
