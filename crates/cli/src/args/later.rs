//! Arguments that are built when their command was named: there are forty commands, each run is one of them, and to build all
//! takes longer than to find a word in a gigabyte.

use std::ops::Deref;

use clap::{ArgMatches, Command, FromArgMatches};

/// The arguments of a command, not built before somebody names it. Not for those with commands of their own, which completions
/// would not find, nor for those with headings of their own, which would stand after the options of every command.
#[derive(Debug)]
pub(crate) struct Later<T>(pub(crate) T);

impl<T> Deref for Later<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: clap::Args> clap::Args for Later<T> {
    fn augment_args(command: Command) -> Command {
        command.defer(|command| {
            // What the command does is said where it is listed; the arguments must not lay their own name over it.
            let about = command.get_about().cloned().unwrap_or_default();
            T::augment_args(command).about(about)
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        T::augment_args_for_update(command)
    }
}

impl<T: FromArgMatches> FromArgMatches for Later<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        T::from_arg_matches(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}
