//! The arguments of the commands that take things away and bring them back: `trash`, `restore` and `gc`.

use std::path::PathBuf;
use std::str::FromStr;

use annals_surgery::gc::LitterKind;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::Care;

/// How old something is, in milliseconds: typed as `7d` or `12h`.
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
What goes: the session's file and folder (sub-agents, outputs, titles), sub-agents beside it, todos, tasks, copies of
edited files, its environment, pasted images, and its entry in the project's index. What another session speaks of stays.
Prompts in history.jsonl stay too, unless --history is said.

Examples:
  annals trash 3f2a                       annals restore 3f2a, or annals undo, brings it back
  annals trash 3f2a 77b0 --history        with their prompts and long pastes
  annals trash --list                     what every change of annals has in the trash
  annals trash --empty --older-than 30d   delete for good what has been there for 30 days";

/// `annals trash`
#[derive(Debug, clap::Args)]
#[command(after_help = TRASH_EXAMPLES)]
pub(crate) struct TrashArgs {
    /// Which sessions: paths, ids or their beginnings, titles, or `last`
    #[arg(value_name = "SESSION", required_unless_present_any = ["list", "empty"], conflicts_with_all = ["list", "empty"])]
    pub(crate) sessions: Vec<String>,
    /// Their prompts in history.jsonl go too, and the long pastes that no other prompt names
    #[arg(long, conflicts_with_all = ["list", "empty"])]
    pub(crate) history: bool,
    /// List what is in the trash, by change, newest first
    #[arg(long, conflicts_with = "empty")]
    pub(crate) list: bool,
    /// Delete what is in the trash; this alone cannot be taken back
    #[arg(long)]
    pub(crate) empty: bool,
    /// With --empty: only what has been there for so long, such as 30d or 12h
    #[arg(long, value_name = "AGE", requires = "empty", conflicts_with_all = ["sessions", "list"])]
    pub(crate) older_than: Option<Age>,
    #[command(flatten)]
    pub(crate) care: Care,
}

const RESTORE_EXAMPLES: &str = "\
Examples:
  annals restore                          the sessions that can come back
  annals restore 3f2a                     bring one back to where it was; annals undo takes that back
  annals restore 3f2a --change ID         as it was when that change took it away
  annals restore 3f2a --at 2026-01-03     from the vault, as it was kept up to that day
  annals restore 3f2a --to /tmp/look      from the vault, to another folder";

/// `annals restore`
#[derive(Debug, clap::Args)]
#[command(after_help = RESTORE_EXAMPLES)]
pub(crate) struct RestoreArgs {
    /// Which session: an id or its beginning, or a title [default: list all]
    #[arg(value_name = "SESSION")]
    pub(crate) session: Option<String>,
    /// From the trash, the one that this change took away [default: the last]
    #[arg(long, value_name = "ID", requires = "session")]
    pub(crate) change: Option<String>,
    /// From the vault, this version: annals archive --list SESSION lists them [default: the last]
    #[arg(long, value_name = "VERSION", requires = "session", conflicts_with = "change")]
    pub(crate) version: Option<String>,
    /// From the vault, as it was kept up to this day: 2026-01-03, yesterday, 7d
    #[arg(long, value_name = "DATE", requires = "session", conflicts_with_all = ["change", "version"])]
    pub(crate) at: Option<String>,
    /// From the vault, to this folder, laid out as a config dir, instead of where it was
    #[arg(long, value_name = "DIR", requires = "session", conflicts_with = "change")]
    pub(crate) to: Option<PathBuf>,
    /// From the vault, also where other files are in the way: they go to the trash
    #[arg(long, requires = "session", conflicts_with = "change")]
    pub(crate) replace: bool,
    #[command(flatten)]
    pub(crate) care: Care,
}

const GC_EXAMPLES: &str = "\
Only lists, unless --apply or --yes is said. What a session, a fork, an index or a running client may need stays, and so
does what is younger than a day, or than --older-than says.

Kinds:
  empty, warm-up, sub-agents, outputs, titles, todos, tasks, copies, environments, images, clients,
  left-overs, backups; and only when they are named: pastes, debug, shell-snapshots

Examples:
  annals gc                               what nobody needs, by kind
  annals gc --verbose                     every file of it
  annals gc --apply --older-than 7d       move it to the trash; annals undo brings it back
  annals gc --kind debug --older-than 30d the client's logs of more than 30 days ago";

/// `annals gc`
#[derive(Debug, clap::Args)]
#[command(after_help = GC_EXAMPLES)]
pub(crate) struct GcArgs {
    /// Only these kinds [default: all that need not be named]
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = kinds(), hide_possible_values = true)]
    pub(crate) kind: Vec<LitterKind>,
    /// Only what was not written to for so long, such as 7d or 12h
    #[arg(long, value_name = "AGE", default_value = "1d")]
    pub(crate) older_than: Age,
    /// Move it to the trash
    #[arg(long)]
    pub(crate) apply: bool,
    #[command(flatten)]
    pub(crate) care: Care,
}

fn kinds() -> impl TypedValueParser<Value = LitterKind> {
    PossibleValuesParser::new(LitterKind::ALL.map(LitterKind::name))
        .try_map(|name| LitterKind::of(&name).ok_or_else(|| format!("no such kind: {name}")))
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
