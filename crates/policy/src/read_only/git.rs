//! The commands of git that only read. No global option is known: `-c` and `--git-dir` make git run or read anything.

use super::{CommandReads, Operands, Program, ReadScope, by_table, is_short};
use crate::shell::Word;
use Operands::{Paths, PatternThenPaths};

const DIFF: &str = "stat numstat shortstat name-only name-status cached staged patch no-patch unified color colour \
                    no-color word-diff ignore-all-space ignore-space-change minimal summary find-renames diff-filter \
                    check raw full-index abbrev exit-code quiet merge-base relative no-ext-diff no-textconv root no-commit-id";

const LOG: &str = "oneline graph all branches tags remotes decorate no-decorate format pretty date abbrev-commit \
                   max-count since until after before author committer grep follow first-parent merges no-merges \
                   reverse skip stat numstat shortstat name-only name-status patch no-patch color colour no-color \
                   topo-order date-order cherry-pick left-right count find-renames diff-filter full-history \
                   simplify-by-decoration no-ext-diff no-textconv unified summary";

const COMMANDS: [Program; 26] = [
    (
        "status",
        "sbu:vz",
        "short branch porcelain long untracked-files ignored show-stash ahead-behind",
        Paths,
    ),
    ("diff", "pswbRMUz", DIFF, Paths),
    ("log", "pn:siMS:G:EFPL:gz", LOG, Paths),
    ("show", "pswbMUz", LOG, Paths),
    ("blame", "bCLlMpstwe", "date porcelain show-email show-name show-number root", Paths),
    ("shortlog", "sneg", "summary numbered email all since until no-merges", Paths),
    (
        "ls-files",
        "cdmostuzk",
        "cached deleted modified others stage unmerged exclude-standard full-name",
        Paths,
    ),
    ("ls-tree", "drtlz", "long name-only name-status full-name full-tree", Paths),
    ("cat-file", "pte", "", Paths),
    (
        "rev-parse",
        "",
        "abbrev-ref short verify show-toplevel is-inside-work-tree git-dir show-prefix show-cdup \
      symbolic-full-name quiet all branches tags is-bare-repository absolute-git-dir",
        Paths,
    ),
    (
        "rev-list",
        "n",
        "count all max-count since until oneline left-right first-parent no-merges merges",
        Paths,
    ),
    ("describe", "", "tags all always long dirty abbrev match contains exact-match", Paths),
    ("merge-base", "a", "all is-ancestor octopus independent fork-point", Paths),
    ("name-rev", "", "name-only tags refs", Paths),
    ("for-each-ref", "", "format sort count points-to merged no-merged contains", Paths),
    ("show-ref", "ds", "head heads tags dereference hash abbrev verify quiet branches", Paths),
    ("check-ignore", "qvn", "quiet verbose non-matching no-index", Paths),
    ("diff-tree", "rtpswbMUz", DIFF, Paths),
    ("diff-index", "pswbMUz", DIFF, Paths),
    ("diff-files", "pswbMUz", DIFF, Paths),
    ("cherry", "v", "verbose abbrev", Paths),
    ("range-diff", "s", "stat no-color creation-factor no-ext-diff no-textconv no-patch", Paths),
    ("whatchanged", "pn:sM", LOG, Paths),
    ("symbolic-ref", "q", "short quiet", Paths),
    ("count-objects", "vH", "verbose human-readable", Operands::None),
    (
        "grep",
        "ciIlnwEFGPhHv",
        "count ignore-case line-number word-regexp extended-regexp fixed-strings \
      files-with-matches name-only cached",
        PatternThenPaths,
    ),
];

pub(super) fn reading(arguments: &[Word]) -> Option<CommandReads> {
    let literal = |at: usize| arguments.get(at).and_then(Word::literal);
    let first = literal(0)?;
    let (first, rest) = match first.as_str() {
        "--no-pager" => (literal(1)?, &arguments[2..]),
        _ => (first, &arguments[1..]),
    };
    let only = |words: &[&str]| {
        let found: Option<Vec<_>> = rest.iter().map(Word::literal).collect();
        found.is_some_and(|found| found == words)
    };
    // To check signatures, git runs the program that the repository's configuration names.
    if rest.iter().any(|word| ["%G", "(signature"].iter().any(|mark| word.spelling.contains(mark))) {
        return None;
    }
    let listing = match first.as_str() {
        "--version" => rest.is_empty(),
        "remote" => rest.is_empty() || only(&["-v"]) || only(&["show"]) || only(&["get-url", "origin"]),
        "branch" => lists_branches(rest),
        "tag" => lists_tags(rest),
        "config" => gets_plain_key(rest),
        // With two operands it is set.
        "symbolic-ref" if rest.iter().filter(|word| !word.beginning().starts_with('-')).count() > 1 => {
            return None;
        }
        "stash" | "worktree" | "notes" => only(&["list"]),
        "submodule" => only(&["status"]),
        _ => false,
    };
    if listing {
        // A format can show any object.
        let formats = rest.iter().any(|word| word.beginning().starts_with("--format"));
        let reach = if formats { ReadScope::Below } else { ReadScope::SettingsArg };
        return Some(CommandReads { is_git: true, reach, ..CommandReads::default() });
    }
    if first == "reflog" {
        let rest = &rest[usize::from(literal_is(rest.first(), "show"))..];
        let is_count = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let is_known = |word: &Word| {
            word.literal().is_some_and(|text| text == "-n" || is_count(text.trim_start_matches(['-', 'n'])))
        };
        return rest.iter().all(is_known).then(|| CommandReads { is_git: true, ..CommandReads::default() });
    }
    if first == "stash" {
        let (_, rest) = rest.split_first().filter(|(show, _)| literal_is(Some(show), "show"))?;
        let reading = by_table(&("stash", "pu", "patch stat name-only name-status", Paths), rest)?;
        return Some(CommandReads { is_git: true, reach: ReadScope::Below, ..reading });
    }
    let program = COMMANDS.iter().find(|(name, ..)| *name == first)?;
    let reach = if shows_contents(&first, rest) { ReadScope::Below } else { ReadScope::SettingsArg };
    by_table(program, rest).map(|reading| CommandReads { is_git: true, reach, ..reading })
}

fn literal_is(word: Option<&Word>, text: &str) -> bool {
    word.and_then(Word::literal).is_some_and(|literal| literal == text)
}

/// Whether a command of the table shows what files hold or held: any of them, since a revision, a blob or nothing at all names
/// them as well as a path does.
fn shows_contents(command: &str, arguments: &[Word]) -> bool {
    let has = |letters: &str, names: &[&str]| {
        arguments.iter().filter_map(Word::literal).any(|word| {
            let named = word.strip_prefix("--").and_then(|name| name.split('=').next());
            letters.chars().any(|letter| is_short(&word, letter))
                || named.is_some_and(|name| names.contains(&name))
        })
    };
    match command {
        "diff" | "show" | "blame" | "grep" | "cat-file" | "diff-tree" | "diff-index" | "diff-files"
        | "range-diff" => true,
        "log" | "whatchanged" => has("pULSG", &["patch", "unified"]),
        "status" => has("v", &["verbose"]),
        "for-each-ref" => has("", &["format"]),
        _ => false,
    }
}

/// Options of `branch` and `tag` that choose and format what is listed.
const LISTING: &str = "list all remotes verbose show-current sort format contains no-contains merged no-merged points-to color \
                       no-color column no-column abbrev ignore-case";

/// `git branch`, or the same with `--list` and patterns, or with a commit to compare with.
fn lists_branches(arguments: &[Word]) -> bool {
    let table = ("branch", "arvi", LISTING, Operands::Paths);
    let lists = |word: &Word| {
        let name = word.beginning().strip_prefix("--").and_then(|name| name.split('=').next());
        name.is_some_and(|name| {
            ["list", "contains", "no-contains", "merged", "no-merged", "points-to"].contains(&name)
        })
    };
    let is_one = |reading: CommandReads| reading.paths.iter().all(|word| word.literal().is_some());
    let operands = by_table(&table, arguments).is_some_and(is_one);
    let none = by_table(&("branch", "arvi", LISTING, Operands::None), arguments).is_some();
    none || (operands && arguments.iter().any(lists))
}

/// `git tag`, or the same with `-l` and patterns.
fn lists_tags(arguments: &[Word]) -> bool {
    let table = ("tag", "lni", LISTING, Operands::Paths);
    let lists = |word: &Word| word.literal().is_some_and(|text| matches!(text.as_str(), "-l" | "--list"));
    let is_one = |reading: CommandReads| reading.paths.iter().all(|word| word.literal().is_some());
    let operands = by_table(&table, arguments).is_some_and(is_one);
    let none = by_table(&("tag", "lni", LISTING, Operands::None), arguments).is_some();
    none || (operands && arguments.iter().any(lists))
}

/// Sections of the configuration that hold no secrets. Headers and addresses with passwords are elsewhere; the address of a
/// remote is shown by `git remote -v` as well.
const PLAIN_SECTIONS: [&str; 20] = [
    "user",
    "author",
    "committer",
    "core",
    "init",
    "branch",
    "remote",
    "pull",
    "push",
    "merge",
    "diff",
    "color",
    "log",
    "rebase",
    "commit",
    "fetch",
    "status",
    "tag",
    "alias",
    "gpg",
];

/// `git config --get user.name`
fn gets_plain_key(arguments: &[Word]) -> bool {
    let words: Option<Vec<String>> = arguments.iter().map(Word::literal).collect();
    let words = words.unwrap_or_default();
    let options =
        ["--get", "--get-all", "--bool", "--int", "--local", "--global", "--system", "--type=bool", "get"];
    let (keys, known): (Vec<&String>, Vec<&String>) =
        words.iter().partition(|word| !options.contains(&word.as_str()));
    let gets = known.iter().any(|word| word.contains("get"));
    let is_plain = |key: &str| {
        let key = key.to_ascii_lowercase();
        let secret = ["proxy", "token", "password", "header", "helper", "key", "cert"]
            .iter()
            .any(|part| key.contains(part));
        !secret && key.split_once('.').is_some_and(|(section, _)| PLAIN_SECTIONS.contains(&section))
    };
    (gets || known.is_empty()) && matches!(keys.as_slice(), [key] if !key.starts_with('-') && is_plain(key))
}

/// Commands of git that neither show contents of files nor keep them elsewhere.
const SILENT: [&str; 48] = [
    "status",
    "log",
    "shortlog",
    "branch",
    "tag",
    "remote",
    "fetch",
    "pull",
    "push",
    "commit",
    "add",
    "rm",
    "mv",
    "checkout",
    "switch",
    "restore",
    "merge",
    "rebase",
    "reset",
    "clone",
    "init",
    "rev-parse",
    "rev-list",
    "ls-files",
    "ls-tree",
    "ls-remote",
    "describe",
    "name-rev",
    "merge-base",
    "for-each-ref",
    "count-objects",
    "reflog",
    "config",
    "worktree",
    "clean",
    "cherry-pick",
    "revert",
    "gc",
    "fsck",
    "prune",
    "submodule",
    "help",
    "version",
    "symbolic-ref",
    "show-ref",
    "check-ignore",
    "update-ref",
    "maintenance",
];

/// Whether a command of git can show contents of files, or keep a copy of files that it does not track: all but those that are
/// known not to.
pub(crate) fn shows_files(arguments: &[Word]) -> bool {
    let mut rest = arguments;
    while let Some((first, behind)) = rest.split_first() {
        let Some(text) = first.literal() else { return true };
        match text.as_str() {
            "--work-tree" => return true,
            "-C" | "-c" | "--git-dir" | "--namespace" | "--exec-path" => {
                rest = behind.split_first().map_or(&[][..], |(_, rest)| rest);
            }
            "--version" | "--help" => return false,
            text if text.starts_with("--work-tree=") => return true,
            text if text.starts_with('-') => rest = behind,
            "worktree" => return behind.first().is_none_or(places_files),
            "clone" => return clones_folder(behind),
            "stash" => return stash_shows(behind),
            text => {
                return !SILENT.contains(&text)
                    || shows_contents(text, behind)
                    || shows_patches(text, behind);
            }
        }
    }
    false
}

/// `git worktree add` and `move` put all tracked files at another path, where a rule does not know them.
fn places_files(word: &Word) -> bool {
    !word.literal().is_some_and(|text| {
        matches!(text.as_str(), "list" | "lock" | "unlock" | "prune" | "remove" | "repair" | "-h")
    })
}

/// Whether `git clone` copies a folder, with all that it tracks: the first argument that is neither an option nor a plain word
/// names one.
fn clones_folder(arguments: &[Word]) -> bool {
    let is_plain = |text: &str| text.starts_with('-') || !text.contains(['/', '.', '~', ':']);
    let mut literals = arguments.iter().map(Word::literal);
    let first = literals.find(|text| !text.as_deref().is_some_and(is_plain));
    first.is_some_and(|text| {
        text.is_none_or(|text| {
            let is_host = text.split_once(':').is_some_and(|(host, _)| !host.contains('/'));
            text.starts_with("file:") || !text.contains("://") && !is_host
        })
    })
}

/// `git stash -u` keeps files that are not tracked, `show` prints.
fn stash_shows(arguments: &[Word]) -> bool {
    let literal = |word: &Word| word.literal().unwrap_or_default();
    let first = arguments.iter().map(literal).find(|word| !word.starts_with('-')).unwrap_or_default();
    let keeps = |word: String| {
        word.starts_with("--include-untracked")
            || word == "--all"
            || is_short(&word, 'u')
            || is_short(&word, 'a')
    };
    first == "show"
        || arguments
            .iter()
            .map(literal)
            .any(|word| keeps(word.clone()) || is_short(&word, 'p') || word == "--patch")
}

/// Options by which commands that print little print patches.
fn shows_patches(command: &str, arguments: &[Word]) -> bool {
    let has = |letters: &str, names: &[&str]| {
        arguments.iter().map(|word| word.literal().unwrap_or_default()).any(|word| {
            letters.chars().any(|letter| is_short(&word, letter))
                || names.iter().any(|name| word.starts_with(name))
        })
    };
    match command {
        "add" | "checkout" | "restore" | "reset" => has("p", &["--patch", "--interactive", "--edit"]),
        "commit" => has("vp", &["--verbose", "--patch"]),
        "reflog" => has("p", &["--patch"]),
        "rev-list" | "ls-files" => has("", &["--use-bitmap-index", "--format"]),
        _ => false,
    }
}
