//! Arguments that are built only when their command is named: there are forty commands, and building all of them takes longer
//! than searching a gigabyte.

use std::ops::Deref;

use clap::{ArgMatches, Command, FromArgMatches};

/// The arguments of a command, built when it is named. Not for commands with subcommands, which completions would miss, nor for
/// those with their own headings, which would be printed after the global options.
#[derive(Debug)]
pub(crate) struct LazyArgs<T>(pub(crate) T);

impl<T> Deref for LazyArgs<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: clap::Args> clap::Args for LazyArgs<T> {
    fn augment_args(command: Command) -> Command {
        command.defer(|command| {
            // The description is that of the list of commands; building the arguments must not replace it.
            let about = command.get_about().cloned().unwrap_or_default();
            T::augment_args(command).about(about)
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        T::augment_args_for_update(command)
    }
}

impl<T: FromArgMatches> FromArgMatches for LazyArgs<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        T::from_arg_matches(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}
