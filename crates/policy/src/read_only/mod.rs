//! Commands that only read: a table of programs with options that are known to be harmless. What is not in the table is not
//! considered read-only.

mod awk;
mod git;
mod programs;
mod sed;
mod special;

use super::shell::{Command, OutputUse, Redirection, RedirectionKind, Word, WordPart, parse};

/// What the operands of a program mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operands {
    /// Files and folders.
    Paths,
    /// Something to look for, then files and folders.
    PatternThenPaths,
    /// Names of files: they may be globbed, since nothing is opened.
    Names,
    /// Any text, for a program without a dangerous option.
    Text,
    /// There are none.
    None,
}

/// A program, its short options, its long options, its operands. A letter before `:` takes a value, which names no file.
pub(crate) type Program = (&'static str, &'static str, &'static str, Operands);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CommandReads {
    /// The paths that it is given.
    pub(crate) paths: Vec<Word>,
    /// Whether it reads the files below a folder.
    pub(crate) reach: ReadScope,
    /// Whether what it reads depends on the folder in which it runs.
    pub(crate) is_git: bool,
    /// The words with globs among its operands.
    pub(crate) globs: Vec<Word>,
    /// What it does with what they find.
    pub(crate) last: LastName,
}

/// Whether a program looks into the folders that it is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LastName {
    /// It prints the names.
    #[default]
    Printed,
    /// It looks behind them, as `ls` does.
    Entered,
}

/// Whether a command reads below its operands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ReadScope {
    /// What it is given.
    #[default]
    SettingsArg,
    /// Everything below that.
    Below,
}

pub(crate) use git::shows_files;

/// Whether a text runs only programs that are known to change no file. It may write to `/dev/null`, and to git's own folder.
pub fn only_reads(text: &str) -> bool {
    let Ok(script) = parse(text) else { return false };
    let reads = |redirection: &Redirection| match redirection.direction {
        RedirectionKind::Read | RedirectionKind::Duplicate | RedirectionKind::Text => true,
        RedirectionKind::Write | RedirectionKind::Both => {
            redirection.target.literal().is_some_and(|path| path == "/dev/null")
        }
    };
    let redirections = script.commands.iter().flat_map(|command| &command.redirections);
    let only_assigns = |command: &Command| command.words.is_empty();
    let moves = |command: &Command| command.name().is_some_and(|name| name == "cd");
    let is_harmless =
        |command: &Command| only_assigns(command) || moves(command) || reading(command).is_some();
    script.hazards.is_empty()
        && script.commands.iter().all(is_harmless)
        && redirections.chain(&script.redirections).all(reads)
}

/// What the command reads, where it does nothing else.
pub(crate) fn reading(command: &Command) -> Option<CommandReads> {
    let name = command.name()?;
    let arguments = &command.words[1..];
    if name == "git" {
        return git::reading(arguments);
    }
    if let Some(special) = special::reading(&name, arguments) {
        return special;
    }
    let program = programs::PROGRAMS.iter().find(|(program, ..)| *program == name)?;
    let has = |letter: char, name: &str| {
        let is_it = |word: &Word| {
            let option = word.beginning();
            is_short(option, letter) || option.split('=').next() == Some(name)
        };
        arguments.iter().any(is_it)
    };
    // Links would lead out of the workspace.
    if name == "ls" && has('R', "--recursive") && has('L', "--dereference") {
        return None;
    }
    if name == "rg" && has('\0', "--files") {
        return by_table(&("rg", program.1, program.2, Operands::Paths), arguments);
    }
    let mut reading = by_table(program, arguments)?;
    if name == "ls" && !has('d', "--directory") {
        reading.last = LastName::Entered;
    }
    // It reads further arguments from such a file.
    if name == "strings" && reading.paths.iter().any(|word| word.beginning().starts_with('@')) {
        return None;
    }
    let recursive =
        |word: &Word| word.literal().is_some_and(|text| is_short(&text, 'r') || text == "--recursive");
    if name == "rg" || (name.ends_with("grep") && arguments.iter().any(recursive)) {
        reading.reach = ReadScope::Below;
    }
    Some(reading)
}

fn is_short(option: &str, letter: char) -> bool {
    option.starts_with('-') && !option.starts_with("--") && option.contains(letter)
}

/// Checks every option against the table. `--` ends nothing here: a word behind it that looks like an option is
/// taken for one, since an option before may have swallowed the `--`. A word that is not known may be an option: it
/// is free where it is text for a program without a dangerous one, and no path.
pub(crate) fn by_table(program: &Program, arguments: &[Word]) -> Option<CommandReads> {
    let (name, short, long, operands) = program;
    let end = arguments.iter().position(|word| word.literal().is_some_and(|text| text == "--"));
    let mut given = Vec::new();
    for (place, word) in arguments.iter().enumerate() {
        let begins = word.beginning();
        // What is no option of `echo`, it prints.
        if !begins.starts_with('-') || begins == "-" || *name == "echo" {
            given.push(word);
            continue;
        }
        // `--include=*.rs` is that option, whatever the glob finds.
        let value = begins.split_once('=').filter(|_| begins.starts_with("--"));
        let is_certain = |piece: &WordPart| matches!(piece, WordPart::Text(_) | WordPart::Glob(_));
        let option = match value {
            Some((name, _)) if word.parts.iter().all(is_certain) && end.is_none() => name.to_owned(),
            _ => word.literal()?,
        };
        // `--number=/../..` may be a path there.
        if option.contains('/') && end.is_some_and(|end| place > end) {
            return None;
        }
        let harmless = match option.strip_prefix("--") {
            Some("") => true,
            Some(name) => long.split(' ').any(|known| known == name.split('=').next().unwrap_or(name)),
            None => are_short(&option[1..], short),
        };
        if !harmless {
            return None;
        }
    }
    // `cut -d / -f 1`: what is separated by slashes.
    let is_slash = |word: &Word| {
        let before =
            arguments.iter().position(|other| std::ptr::eq(other, word)).and_then(|at| at.checked_sub(1));
        let before = before.and_then(|at| arguments[at].literal()).unwrap_or_default();
        matches!(before.as_str(), "-d" | "-t" | "-s")
            && takes_value(short, before.as_bytes()[1])
            && word.literal().is_some_and(|text| text == "/")
    };
    given.retain(|word| !is_slash(word));
    let words = |given: &[&Word]| given.iter().map(|word| (*word).clone()).collect();
    let has_glob = |word: &&&Word| word.parts.iter().any(|piece| matches!(piece, WordPart::Glob(_)));
    let globs: Vec<Word> = given.iter().filter(has_glob).map(|word| (**word).clone()).collect();
    let paths = match operands {
        Operands::Paths => words(&given),
        Operands::PatternThenPaths if is_pattern(given.first()?, arguments, end)? => words(&given[1..]),
        Operands::PatternThenPaths => words(&given),
        Operands::Names => given.into_iter().map(folder_of_glob).collect::<Option<_>>()?,
        Operands::Text => globbed(given.into_iter())?,
        Operands::None if given.is_empty() => Vec::new(),
        Operands::None => return None,
    };
    Some(CommandReads { paths, globs, ..CommandReads::default() })
}

/// Whether these letters are known options; what follows one that takes a value is the value.
fn are_short(letters: &str, short: &str) -> bool {
    for letter in letters.chars().filter(|letter| !letter.is_ascii_digit()) {
        match short.find(letter) {
            None => return false,
            Some(_) if letter == ':' => return false,
            Some(at) if short[at + letter.len_utf8()..].starts_with(':') => return true,
            Some(_) => {}
        }
    }
    true
}

fn takes_value(short: &str, letter: u8) -> bool {
    short.as_bytes().windows(2).any(|pair| pair == [letter, b':'])
}

/// Whether this, the first operand, is a pattern or the value of an option, and in no reading an option or a path.
/// `None` where nothing is certain.
fn is_pattern(first: &Word, arguments: &[Word], end: Option<usize>) -> Option<bool> {
    let text = |word: &Word| word.literal().unwrap_or_default();
    if !first.is_one() || arguments.iter().map(text).any(|text| is_short(&text, 'e') && text != "-e") {
        return None;
    }
    // `-e` takes the pattern from the operands, and may be the value of the option before it.
    if arguments.iter().any(|word| text(word) == "-e") {
        return Some(false);
    }
    let behind = end.map_or(&[][..], |end| &arguments[end + 1..]);
    if behind.iter().any(|word| word.beginning().starts_with('-')) {
        return Some(false);
    }
    if first.literal().is_some() || !first.beginning().is_empty() {
        return Some(true);
    }
    // It may be an option, unless they end before it, and the `--` is no value itself.
    let before = end.filter(|_| behind.first() == Some(first))?.checked_sub(1);
    let before = before.map(|place| text(&arguments[place])).unwrap_or_default();
    let takes_value = match before.strip_prefix("--") {
        Some(long) => !long.contains('='),
        None => before.starts_with('-') && before.contains(|letter| "ABCDdefgjmMrtT".contains(letter)),
    };
    Some(!takes_value)
}

/// The folders that words with globs make the shell look into; words without are left out.
pub(crate) fn globbed<'w>(words: impl Iterator<Item = &'w Word>) -> Option<Vec<Word>> {
    let globs = |word: &&Word| {
        word.output == OutputUse::Globbed || word.parts.iter().any(|piece| matches!(piece, WordPart::Glob(_)))
    };
    words.filter(globs).map(folder_of_glob).collect()
}

/// The folder before the first glob of a word; a word without one is itself.
fn folder_of_glob(word: &Word) -> Option<Word> {
    // Text from elsewhere may hold a glob.
    if word.output == OutputUse::Globbed {
        return None;
    }
    let mut text = String::new();
    let mut folder = None;
    for piece in &word.parts {
        match piece {
            WordPart::Text(more) => text.push_str(more),
            WordPart::Glob(letter) => {
                let before = || text.rsplit_once('/').map_or(".", |(folder, _)| folder).to_owned();
                folder = folder.or_else(|| Some(before()));
                text.push(*letter);
            }
            // The check of the path does not know it either.
            _ => return Some(word.clone()),
        }
    }
    let Some(folder) = folder else { return Some(word.clone()) };
    // `..` leads anywhere, and older shells find it by `.*`.
    let leads = |part: &str| part == ".." || (part.starts_with('.') && part.contains(['*', '?', '[']));
    let plain = !text.split('/').any(leads);
    plain.then(|| Word::of(if folder.is_empty() { "/" } else { &folder }))
}

#[cfg(test)]
mod tests {
    use super::only_reads;

    #[test]
    fn commands_that_write_are_told_from_those_that_only_read() {
        for text in [
            "ls -la src",
            "cat a | grep -n x | head -3",
            "cd src && git status 2>/dev/null",
            "grep -r x . 2>&1 >/dev/null",
            "wc -l < a",
        ] {
            assert!(only_reads(text), "{text}");
        }
        for text in [
            "ls > a",
            "cat a >> b",
            "sed -i s/a/b/ c",
            "make",
            "ls $(touch a)",
            "ls; { rm a; } ",
            "for f in *; do cp $f x; done",
            "f() { ls; }; f",
            "cat <<< x 1<> a",
            "unclosed '",
        ] {
            assert!(!only_reads(text), "{text}");
        }
    }
}
