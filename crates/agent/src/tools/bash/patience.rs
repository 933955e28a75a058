//! What becomes of a command whose time is over: most go on in the background; those that nobody should find running later
//! are ended.

use annals_policy::shell::{Command, Inner, inner, parse, strip};

/// What follows when the time is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// It goes on in the background.
    GoOn,
    /// It is ended.
    End,
}

/// What follows for this command. One that begins with waiting does nothing that is worth going on with; git holds its
/// repository locked, wherever it stands; and of what cannot be read nobody knows.
pub(super) fn after(command: &str) -> Then {
    let Ok(script) = parse(command) else { return Then::End };
    let waits = script.commands.first().is_some_and(|first| runs(first, |name| name.starts_with("sleep")));
    let has_git = script.commands.iter().any(|command| runs(command, |name| name == "git"));
    if waits || has_git { Then::End } else { Then::GoOn }
}

/// Whether a command, or one that it runs, has such a name.
fn runs(command: &Command, is_meant: impl Fn(&str) -> bool + Copy) -> bool {
    let named = |command: &Command| {
        let name = command.name();
        let name = name.as_deref().map(|name| name.rsplit('/').next().unwrap_or(name));
        name.is_some_and(is_meant)
    };
    strip(command).forms.iter().any(named)
        || inner(command).iter().any(|inner| match inner {
            Inner::Command(command) | Inner::Perhaps(command) => named(command),
            Inner::Script(script) => script.commands.iter().any(named),
            Inner::Hidden(_) => false,
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
            assert_eq!(after(command), Then::GoOn, "{command}");
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
            assert_eq!(after(command), Then::End, "{command}");
        }
    }
}
