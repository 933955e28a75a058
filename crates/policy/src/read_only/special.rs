//! Programs that read, whose operands need a closer look than the table gives.

use super::{CommandReads, Operands, by_table, globbed};
use crate::shell::{Word, tests_plainly};

/// Programs that may be asked for their version.
const VERSIONED: [&str; 16] = [
    "node", "npm", "npx", "python", "python3", "pip", "cargo", "rustc", "rustup", "go", "java", "ruby",
    "gcc", "clang", "make", "docker",
];

/// Tests of `find` that neither run nor write; those with a value take the next word.
const FIND: [&str; 34] = [
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-regex",
    "-iregex",
    "-regextype",
    "-type",
    "-xtype",
    "-size",
    "-mtime",
    "-mmin",
    "-atime",
    "-amin",
    "-ctime",
    "-cmin",
    "-maxdepth",
    "-mindepth",
    "-perm",
    "-user",
    "-group",
    "-links",
    "-empty",
    "-not",
    "-o",
    "-or",
    "-a",
    "-and",
    "-prune",
    "-print",
    "-print0",
    "-depth",
    "-readable",
];

/// `None`: not one of these. `Some(None)`: one of these, and not only reading.
pub(super) fn reading(name: &str, arguments: &[Word]) -> Option<Option<CommandReads>> {
    let literals: Option<Vec<String>> = arguments.iter().map(Word::literal).collect();
    let nothing = Some(CommandReads::default());
    Some(match name {
        "find" => literals.and_then(|words| find(&words)),
        "sed" => literals.and_then(|words| sed(&words)),
        // With an operand that is no format, the clock is set.
        "date" => literals
            .filter(|words| {
                words.iter().all(|word| {
                    word.starts_with('+')
                        || ["-u", "-R", "-I", "--utc", "--rfc-3339=seconds"].contains(&word.as_str())
                })
            })
            .and(nothing),
        // The second operand is written to.
        "uniq" => {
            by_table(&("uniq", "cdDiu", "count repeated unique ignore-case", Operands::Paths), arguments)
                .filter(|reading| reading.paths.len() <= 1 && reading.paths.iter().all(Word::is_one))
        }
        // `-v` assigns, and evaluates a subscript.
        "printf" => arguments
            .first()
            .filter(|first| first.literal().is_some_and(|text| !text.starts_with('-') && prints(&text)))
            .and_then(|_| globbed(arguments.iter()))
            .map(|paths| CommandReads { paths, ..CommandReads::default() }),
        "test" | "[" => tests_plainly(name, arguments).then(CommandReads::default),
        "command" | "type" => {
            let asks = |words: &Vec<String>| {
                name == "type" || matches!(words.first().map(String::as_str), Some("-v" | "-V"))
            };
            literals.filter(asks).and(nothing)
        }
        // Where it leads is checked with the folders.
        "cd" => literals
            .filter(|words| words.len() <= 1 && !words.iter().any(|word| word.starts_with('-')))
            .map(|_| CommandReads { paths: arguments.to_vec(), ..CommandReads::default() }),
        _ if VERSIONED.contains(&name) => {
            literals.filter(|words| matches!(words.as_slice(), [word] if word == "--version")).and(nothing)
        }
        _ => return None,
    })
}

/// Whether every conversion of a format only prints: `%n` sets the variable that an argument names.
fn prints(format: &str) -> bool {
    let mut rest = format;
    while let Some((_, behind)) = rest.split_once('%') {
        let sized = behind.trim_start_matches(['-', '+', ' ', '#', '0', '\'']);
        let sized = sized.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
        if !sized.starts_with(|letter: char| "sdiuxXocbqefgEG%".contains(letter)) {
            return false;
        }
        rest = &sized[1..];
    }
    true
}

fn find(words: &[String]) -> Option<CommandReads> {
    let mut paths = Vec::new();
    let mut tests = false;
    for word in words {
        if word.starts_with('-') {
            tests = true;
            if !FIND.contains(&word.as_str()) && !["-newer"].contains(&word.as_str()) && !is_number(word) {
                return None;
            }
        } else if !tests && !matches!(word.as_str(), "!" | "(" | ")") {
            paths.push(Word::of(word));
        }
    }
    Some(CommandReads { paths, ..CommandReads::default() })
}

/// `-mtime -3`: a value that looks like an option.
fn is_number(word: &str) -> bool {
    word.len() > 1 && word[1..].bytes().all(|byte| byte.is_ascii_digit() || b"kMGcwb".contains(&byte))
}

/// `sed -n '1,5p' FILE`, and no other script.
fn sed(words: &[String]) -> Option<CommandReads> {
    let [option, script, paths @ ..] = words else { return None };
    let lines = script.strip_suffix('p')?;
    let plain =
        !lines.is_empty() && lines.bytes().all(|byte| byte.is_ascii_digit() || byte == b',' || byte == b'$');
    let known = option == "-n" && plain && !paths.iter().any(|path| path.starts_with('-'));
    known.then(|| CommandReads {
        paths: paths.iter().map(|path| Word::of(path)).collect(),
        ..CommandReads::default()
    })
}
