//! The arguments of `annals trash`, `annals restore` and `annals gc`.

use std::path::PathBuf;
use std::str::FromStr;

use annals_surgery::gc::LeftoverKind;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::ConfirmArgs;

/// An age in milliseconds, typed as `7d` or `12h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Age(pub(crate) i64);

impl FromStr for Age {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let units = [("d", 24 * 60 * 60 * 1000), ("h", 60 * 60 * 1000)];
        let of_unit = |(unit, millis): (&str, i64)| {
            text.strip_suffix(unit)?.parse::<u32>().ok().map(|count| Self(i64::from(count) * millis))
        };
        units.into_iter().find_map(of_unit).ok_or_else(|| "an age is days or hours: 7d, 12h".to_owned())
    }
}

const TRASH_EXAMPLES: &str = "\
Moves the session's file and folder (sub-agents, tool output, titles),
its other sub-agents, todos, tasks, copies of edited files, its environment,
pasted images, and its entry in the project's index. Files that another
session refers to stay. Prompts in history.jsonl stay unless --history is
given. `annals restore` or `annals undo` brings it all back.

Examples:
  # Trash two sessions, with their prompts
  annals trash 190c 151e --history

  # List the trash
  annals trash --list

  # Permanently delete what was trashed over 30 days ago
  annals trash --empty --older-than 30d";

/// `annals trash`
#[derive(Debug, clap::Args)]
#[command(after_help = TRASH_EXAMPLES)]
pub(crate) struct TrashArgs {
    /// Sessions: paths, ids or prefixes, titles, or `last`
    #[arg(value_name = "SESSION", required_unless_present_any = ["list", "empty"], conflicts_with_all = ["list", "empty"])]
    pub(crate) sessions: Vec<String>,
    /// Also trash their prompts in history.jsonl, and long pastes that no other prompt refers to
    #[arg(long, conflicts_with_all = ["list", "empty"])]
    pub(crate) history: bool,
    /// List the trash by change, newest first
    #[arg(long, conflicts_with = "empty")]
    pub(crate) list: bool,
    /// Include the trash of other stores
    #[arg(long, conflicts_with = "sessions")]
    pub(crate) all_stores: bool,
    /// Delete the trash permanently; this cannot be undone
    #[arg(long)]
    pub(crate) empty: bool,
    /// With --empty: only what was trashed this long ago, such as 30d or 12h
    #[arg(long, value_name = "AGE", requires = "empty", conflicts_with_all = ["sessions", "list"])]
    pub(crate) older_than: Option<Age>,
    #[command(flatten)]
    pub(crate) confirm: ConfirmArgs,
}

const RESTORE_EXAMPLES: &str = "\
Examples:
  # List the sessions that can be restored
  annals restore

  # Restore one to where it was; `annals undo` reverts that
  annals restore 190c

  # From the vault, as archived up to that day, to another folder
  annals restore 151e --at today --to restored";

/// `annals restore`
#[derive(Debug, clap::Args)]
#[command(after_help = RESTORE_EXAMPLES)]
pub(crate) struct RestoreArgs {
    /// A session: id or prefix, or title [default: list all]
    #[arg(value_name = "SESSION")]
    pub(crate) session: Option<String>,
    /// From the trash: the one that this change removed [default: the last]
    #[arg(long, value_name = "ID", requires = "session")]
    pub(crate) change: Option<String>,
    /// From the vault: this version; `annals archive --list SESSION` lists them [default: the last]
    #[arg(long, value_name = "VERSION", requires = "session", conflicts_with = "change")]
    pub(crate) version: Option<String>,
    /// From the vault: the last version archived up to this date
    #[arg(long, value_name = "DATE", requires = "session", conflicts_with_all = ["change", "version"])]
    pub(crate) at: Option<String>,
    /// From the vault: restore to this folder instead, laid out as a config dir
    #[arg(long, value_name = "DIR", requires = "session", conflicts_with = "change")]
    pub(crate) to: Option<PathBuf>,
    /// From the vault: move files that are in the way to the trash
    #[arg(long, requires = "session", conflicts_with = "change")]
    pub(crate) replace: bool,
    #[command(flatten)]
    pub(crate) confirm: ConfirmArgs,
}

const GC_EXAMPLES: &str = "\
Only lists, unless --apply or --yes is given. Files that a session, a fork, an
index or a running client may need stay, and so do files younger than a day,
or than --older-than. `annals undo` brings back what --apply moved.

Kinds: empty, warm-up, sub-agents, outputs, titles, todos, tasks, copies,
environments, images, clients, left-overs, backups; and, only if named:
pastes, debug, shell-snapshots.

Examples:
  # List leftovers by kind
  annals gc

  # Move leftovers older than a week to the trash
  annals gc --apply --older-than 7d

  # List the client's logs older than 30 days
  annals gc --kind debug --older-than 30d";

/// `annals gc`
#[derive(Debug, clap::Args)]
#[command(after_help = GC_EXAMPLES)]
pub(crate) struct GcArgs {
    /// Only these kinds [default: all but those that must be named]
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = kinds(), hide_possible_values = true)]
    pub(crate) kind: Vec<LeftoverKind>,
    /// Only files not written to for this long, such as 7d or 12h
    #[arg(long, value_name = "AGE", default_value = "1d")]
    pub(crate) older_than: Age,
    /// Move them to the trash
    #[arg(long)]
    pub(crate) apply: bool,
    #[command(flatten)]
    pub(crate) confirm: ConfirmArgs,
}

fn kinds() -> impl TypedValueParser<Value = LeftoverKind> {
    PossibleValuesParser::new(LeftoverKind::ALL.map(LeftoverKind::name))
        .try_map(|name| LeftoverKind::of(&name).ok_or_else(|| format!("no such kind: {name}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_days_or_hours() {
        let age = |text: &str| text.parse().map(|Age(millis)| millis).ok();
        assert_eq!([age("1d"), age("0d"), age("12h")], [Some(86_400_000), Some(0), Some(43_200_000)]);
        assert_eq!([age(""), age("7"), age("-1d"), age("1w")], [None; 4]);
    }
}
