//! Programs that read, whose operands need a closer look than the table gives.

use super::{CommandReads, Operands, awk, by_table, globbed, sed};
use crate::shell::{HARMLESS, ReadLine, Word, WordPart, tests_plainly};

/// Programs that may be asked for their version, and how.
const VERSIONED: [(&str, &str); 30] = [
    ("node", "--version -v"),
    ("npm", "--version -v"),
    ("npx", "--version -v"),
    ("yarn", "--version -v"),
    ("pnpm", "--version -v"),
    ("bun", "--version -v"),
    ("deno", "--version -V"),
    ("python", "--version -V"),
    ("python3", "--version -V"),
    ("pip", "--version -V"),
    ("pip3", "--version -V"),
    ("uv", "--version -V"),
    ("cargo", "--version -V"),
    ("rustc", "--version -V -vV"),
    ("rustup", "--version -V"),
    ("rustfmt", "--version -V"),
    ("go", "version --version"),
    ("java", "--version -version"),
    ("javac", "--version -version"),
    ("ruby", "--version -v"),
    ("php", "--version -v"),
    ("gcc", "--version -v"),
    ("clang", "--version -v"),
    ("make", "--version -v"),
    ("cmake", "--version -version"),
    ("docker", "--version -v"),
    ("bash", "--version"),
    ("perl", "--version -v"),
    ("jq", "--version -V"),
    ("split", "--version"),
];

/// Tests of `find` that neither run nor write; those with a value take the next word.
const FIND: [&str; 49] = [
    "-printf",
    "-ls",
    "-executable",
    "-writable",
    "-newermt",
    "-anewer",
    "-cnewer",
    "-inum",
    "-true",
    "-false",
    "-mount",
    "-xdev",
    "-daystart",
    "-quit",
    "-nouser",
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
        "sed" => sed::reading(arguments),
        "awk" | "gawk" | "mawk" | "nawk" => awk::reading(arguments),
        "jq" if !is_version(arguments) => literals.and_then(|words| jq(&words)),
        "ps" => literals.filter(|words| ps(words)).and(nothing),
        "xxd" => literals.and_then(|words| xxd(&words)),
        "tar" => literals.and_then(|words| tar(&words)),
        "unzip" => literals.and_then(|words| match words.as_slice() {
            [list, path] if matches!(list.as_str(), "-l" | "-v" | "-Z" | "-Z1") => {
                Some(of_paths([path.as_str()]))
            }
            _ => None,
        }),
        // With an operand that is no format, the clock is set.
        "date" => literals
            .filter(|words| {
                let known =
                    ["-u", "-R", "-I", "--utc", "--rfc-3339=seconds", "--iso-8601", "-Iseconds", "-Idate"];
                let is_known = |(place, word): (usize, &String)| {
                    let is_value = place > 0 && words[place - 1] == "-d";
                    word.starts_with('+')
                        || known.contains(&word.as_str())
                        || word == "-d"
                        || word.starts_with("--date=")
                        || is_value
                };
                words.iter().enumerate().all(is_known)
            })
            .and(nothing),
        "gzip" | "gunzip" | "xz" | "bzip2" | "zstd" => literals.and_then(|words| unpacks(name, &words)),
        // Options of the shell itself, none of which is `-k` or sets words.
        "set" => literals
            .filter(|words| !words.is_empty() && words.iter().all(|word| is_shell_option(word)))
            .and(nothing),
        "exit" => literals
            .filter(|words| {
                words.len() <= 1 && words.iter().all(|word| word.bytes().all(|byte| byte.is_ascii_digit()))
            })
            .and(nothing),
        "jobs" | "wait" | "umask" => literals.filter(Vec::is_empty).and(nothing),
        "ulimit" => literals
            .filter(|words| matches!(words.as_slice(), [word] if word.starts_with('-') && word.len() == 2))
            .and(nothing),
        "export" => literals
            .filter(|words| {
                !words.is_empty()
                    && words
                        .iter()
                        .all(|word| word.split_once('=').is_some_and(|(name, _)| HARMLESS.contains(&name)))
            })
            .and(nothing),
        // The second operand is written to.
        "uniq" => by_table(
            &("uniq", "cdDiuf:s:w:z", "count repeated unique ignore-case", Operands::Paths),
            arguments,
        )
        .filter(|reading| reading.paths.len() <= 1 && reading.paths.iter().all(Word::is_one)),
        // `-v` assigns, and evaluates a subscript.
        "printf" => arguments
            .first()
            .filter(|first| first.literal().is_some_and(|text| !text.starts_with('-') && prints(&text)))
            .and_then(|_| printed(arguments)),
        // It sets variables of the text, whose values are not known.
        "read" => ReadLine::of(arguments).map(|_| CommandReads::default()),
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
        // They look for a file with their own ending.
        "zcat" | "bzcat" | "xzcat" | "zstdcat" => {
            let is_packed = |word: &String| {
                !word.starts_with('-')
                    && [".gz", ".tgz", ".bz2", ".xz", ".zst"].iter().any(|end| word.ends_with(end))
            };
            literals
                .filter(|words| words.iter().all(is_packed))
                .map(|_| CommandReads { paths: arguments.to_vec(), ..CommandReads::default() })
        }
        _ => {
            let (_, asks) = VERSIONED.iter().find(|(program, _)| *program == name)?;
            literals
                .filter(|words| matches!(words.as_slice(), [word] if asks.split(' ').any(|ask| ask == word)))
                .and(nothing)
        }
    })
}

/// `-e`, `-euo`, `pipefail`
fn is_shell_option(word: &str) -> bool {
    let letters = word.strip_prefix(['-', '+']);
    letters
        .is_some_and(|letters| !letters.is_empty() && letters.chars().all(|letter| "euxo".contains(letter)))
        || matches!(word, "pipefail" | "errexit" | "nounset" | "xtrace")
}

/// Programs that pack files: with `-c` they print, with `-l` they list.
fn unpacks(name: &str, words: &[String]) -> Option<CommandReads> {
    let (options, paths): (Vec<&String>, Vec<&String>) = words.iter().partition(|word| word.starts_with('-'));
    let known = |option: &&String| {
        option[1..].chars().all(|letter| "cdlvkt".contains(letter))
            || matches!(option.as_str(), "--stdout" | "--decompress" | "--list" | "--test")
    };
    let has = |letter: char, long: &str| {
        options
            .iter()
            .any(|option| (!option.starts_with("--") && option.contains(letter)) || option.as_str() == long)
    };
    let lists = matches!(name, "gzip" | "gunzip" | "xz" | "zstd") && has('l', "--list");
    let is_plain = !options.is_empty() && options.iter().all(known) && !paths.is_empty();
    (is_plain && (has('c', "--stdout") || lists)).then(|| of_paths(paths.iter().map(|path| path.as_str())))
}

/// What `printf` prints, also where it looks like options.
fn printed(arguments: &[Word]) -> Option<CommandReads> {
    let paths = globbed(arguments.iter())?;
    let has_glob = |word: &&Word| word.parts.iter().any(|piece| matches!(piece, WordPart::Glob(_)));
    let globs = arguments.iter().filter(has_glob).cloned().collect();
    Some(CommandReads { paths, globs, ..CommandReads::default() })
}

fn is_version(arguments: &[Word]) -> bool {
    matches!(arguments, [word] if word.literal().is_some_and(|text| text == "--version" || text == "-V"))
}

fn of_paths<'p>(paths: impl IntoIterator<Item = &'p str>) -> CommandReads {
    CommandReads { paths: paths.into_iter().map(Word::of).collect(), ..CommandReads::default() }
}

/// `jq FILTER FILE`: the filter reads neither the environment nor modules.
fn jq(words: &[String]) -> Option<CommandReads> {
    let long = [
        "--raw-output",
        "--compact-output",
        "--null-input",
        "--exit-status",
        "--slurp",
        "--sort-keys",
        "--raw-input",
        "--join-output",
        "--tab",
        "--monochrome-output",
        "--color-output",
        "--ascii-output",
    ];
    let is_option = |word: &&String| word.starts_with('-') && word.len() > 1;
    let is_known = |word: &String| {
        long.contains(&word.as_str())
            || (!word.starts_with("--") && word[1..].chars().all(|letter| "rcnesSRjMCa".contains(letter)))
    };
    let (options, operands): (Vec<_>, Vec<_>) = words.iter().partition(is_option);
    let (filter, paths) = operands.split_first()?;
    let names = filter.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let reads = ["env", "ENV", "import", "include", "modulemeta", "get_search_list", "input_filename"];
    let is_plain = !names.into_iter().any(|name| reads.contains(&name)) && !filter.contains("$__");
    (is_plain && options.into_iter().all(is_known)).then(|| of_paths(paths.iter().map(|path| path.as_str())))
}

/// `ps`, without the letter that shows the environment of processes.
fn ps(words: &[String]) -> bool {
    let mut takes_value = false;
    for word in words {
        let is_value = std::mem::replace(&mut takes_value, false);
        if let Some(long) = word.strip_prefix("--") {
            let name = long.split('=').next().unwrap_or(long);
            if !["forest", "sort", "no-headers", "headers", "pid", "ppid", "user", "format", "cols"]
                .contains(&name)
            {
                return false;
            }
            takes_value = !long.contains('=') && !matches!(name, "forest" | "no-headers" | "headers");
        } else if let Some(letters) = word.strip_prefix('-') {
            // What follows `o` is a list of columns.
            let letters = letters.split(['o', 'O', 'k']).next().unwrap_or_default();
            if !letters.chars().all(|letter| "aAdefFglLNprsTuUtwyjCHqZV".contains(letter)) {
                return false;
            }
            takes_value = word.ends_with(['o', 'O', 'k', 'p', 'u', 'U', 'C', 'g', 'G', 't', 'q', 's']);
        } else if !is_value && !word.chars().all(|letter| "auxfwlrhSTvjs".contains(letter)) {
            let numbers = word.bytes().all(|byte| byte.is_ascii_digit() || byte == b',');
            if !numbers {
                return false;
            }
        }
    }
    true
}

/// `xxd FILE`: a second operand is written to, and `-r` writes as well.
fn xxd(words: &[String]) -> Option<CommandReads> {
    let mut paths = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.strip_prefix('-') {
            Some("c" | "g" | "l" | "s") => {
                words.next()?;
            }
            Some("") | None => paths.push(word.as_str()),
            Some(letters) if letters.starts_with(['c', 'g', 'l', 's']) => {}
            Some(letters) if letters.chars().all(|letter| "abeipu".contains(letter)) => {}
            Some(_) => return None,
        }
    }
    (paths.len() <= 1).then(|| of_paths(paths))
}

/// `tar -tzf FILE`: the list of an archive.
fn tar(words: &[String]) -> Option<CommandReads> {
    if let [list, file, path] = words
        && (list.as_str(), file.as_str()) == ("--list", "-f")
        && !path.contains(':')
    {
        return Some(of_paths([path.as_str()]));
    }
    let (first, rest) = words.split_first()?;
    let letters = first.strip_prefix('-').unwrap_or(first);
    let lists = letters.starts_with('t') && letters.ends_with('f');
    let plain = lists && letters.chars().all(|letter| "tvzjJf".contains(letter));
    let path = rest.first().filter(|path| !path.starts_with('-') && !path.contains(':'))?;
    (plain && rest.len() == 1).then(|| of_paths([path.as_str()]))
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
