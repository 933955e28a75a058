//! The commands of git that only read. No global option is known: `-c` and `--git-dir` make git run or read anything.

use super::{CommandReads, Operands, Program, ReadScope, by_table, is_short};
use crate::shell::Word;
use Operands::{Paths, PatternThenPaths};

const DIFF: &str = "stat numstat shortstat name-only name-status cached staged patch no-patch unified color colour \
                    no-color word-diff ignore-all-space ignore-space-change minimal summary find-renames diff-filter \
                    check raw full-index abbrev exit-code quiet merge-base relative no-ext-diff no-textconv";

const LOG: &str = "oneline graph all branches tags remotes decorate no-decorate format pretty date abbrev-commit \
                   max-count since until after before author committer grep follow first-parent merges no-merges \
                   reverse skip stat numstat shortstat name-only name-status patch no-patch color colour no-color \
                   topo-order date-order cherry-pick left-right count find-renames diff-filter full-history \
                   simplify-by-decoration no-ext-diff no-textconv unified";

const COMMANDS: [Program; 19] = [
    ("status", "sbuvz", "short branch porcelain long untracked-files ignored show-stash ahead-behind", Paths),
    ("diff", "pswbRMUz", DIFF, Paths),
    ("log", "pnsiMSGEFPLgz", LOG, Paths),
    ("show", "pswbMUz", LOG, Paths),
    ("blame", "bCLlMpstwe", "date porcelain show-email show-name show-number root", Paths),
    ("shortlog", "sneg", "summary numbered email", Paths),
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
    ("count-objects", "vH", "verbose human-readable", Operands::None),
    ("branch", "arv", "all remotes list verbose show-current", Operands::None),
    ("tag", "ln", "list", Operands::None),
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
    let listing = match first.as_str() {
        "--version" => rest.is_empty(),
        "remote" => rest.is_empty() || only(&["-v"]),
        "stash" | "worktree" => only(&["list"]),
        "reflog" => rest.is_empty(),
        _ => false,
    };
    if listing {
        return Some(CommandReads { is_git: true, ..CommandReads::default() });
    }
    let program = COMMANDS.iter().find(|(name, ..)| *name == first)?;
    let reach = if shows_contents(&first, rest) { ReadScope::Below } else { ReadScope::SettingsArg };
    by_table(program, rest).map(|reading| CommandReads { is_git: true, reach, ..reading })
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
        "diff" | "show" | "blame" | "grep" | "cat-file" => true,
        "log" => has("pULSG", &["patch", "unified"]),
        "status" => has("v", &["verbose"]),
        "for-each-ref" => has("", &["format"]),
        _ => false,
    }
}
