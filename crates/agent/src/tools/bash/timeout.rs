//! What happens to a command at its timeout: most continue in the background, some are ended.

use annals_policy::shell::{Command, NestedCommand, nested_commands, parse, strip};

/// What to do at the timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimeoutAction {
    /// It continues in the background.
    GoOn,
    /// It is ended.
    End,
}

/// What to do with this command. One that begins with `sleep` does nothing useful; git keeps its repository locked; and a
/// command that cannot be parsed could be either.
pub(super) fn after(command: &str) -> TimeoutAction {
    let Ok(script) = parse(command) else { return TimeoutAction::End };
    let waits = script.commands.first().is_some_and(|first| runs(first, |name| name.starts_with("sleep")));
    let has_git = script.commands.iter().any(|command| runs(command, |name| name == "git"));
    if waits || has_git { TimeoutAction::End } else { TimeoutAction::GoOn }
}

/// Whether a command, or one nested in it, has such a name.
fn runs(command: &Command, is_meant: impl Fn(&str) -> bool + Copy) -> bool {
    let named = |command: &Command| {
        let name = command.name();
        let name = name.as_deref().map(|name| name.rsplit('/').next().unwrap_or(name));
        name.is_some_and(is_meant)
    };
    strip(command).forms.iter().any(named)
        || nested_commands(command).iter().any(|nested| match nested {
            NestedCommand::Command(command) | NestedCommand::Perhaps(command) => named(command),
            NestedCommand::Script(script) => script.commands.iter().any(named),
            NestedCommand::Hidden(_) => false,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_commands_go_on() {
        for command in [
            "make -j4",
            "cd app && npm run dev",
            "while ! curl -s localhost; do sleep 1; done",
            "echo begun; sleep 60",
            "cat .gitignore",
            "python server.py > log 2>&1",
        ] {
            assert_eq!(after(command), TimeoutAction::GoOn, "{command}");
        }
    }

    #[test]
    fn waiting_git_and_the_unread_are_ended() {
        for command in [
            "sleep 60",
            "sleep 60 && echo done",
            "timeout 90 sleep 80",
            "git push",
            "cd app && git fetch --all",
            "timeout 600 /usr/bin/git clone x",
            "sudo git gc",
            "bash -c 'git pull'",
            "echo 'never closed",
            "echo $(",
        ] {
            assert_eq!(after(command), TimeoutAction::End, "{command}");
        }
    }
}
