//! Builds only what the command that is named needs: there are forty, and building all of them takes longer than searching a
//! gigabyte.

use std::ffi::OsStr;
use std::ops::Deref;

use clap::{ArgMatches, Args as _, Command, FromArgMatches, Subcommand as _};

use super::GlobalArgs;

/// The command line as if this command were the only one, which is good for parsing alone: clap copies the global options to each
/// command that it has.
pub(crate) fn command_line_of(name: &OsStr) -> Option<Command> {
    let all = super::Command::augment_subcommands(Command::new("annals"));
    let named = all.find_subcommand(name)?.clone();
    Some(GlobalArgs::augment_args(Command::new("annals")).disable_help_subcommand(true).subcommand(named))
}

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
