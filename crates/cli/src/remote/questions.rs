//! The questions that `annals serve --from` answers, and with which options. Only what stands here reaches a command there: no
//! option that names a file, a store or another engine does.

/// What the answer to a command is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerKind {
    /// What the command prints.
    Printed,
    /// The bundle of a session, which the command that asked puts into a store.
    Bundle,
}

/// A command that is answered.
#[derive(Debug)]
pub(crate) struct RemoteCommand {
    pub(crate) name: &'static str,
    /// Arguments without an option, by the names of their fields.
    pub(crate) positional: &'static [&'static str],
    /// Options with a value, by the names of their fields.
    pub(crate) values: &'static [&'static str],
    /// Options without one.
    pub(crate) flags: &'static [&'static str],
    /// Options that make no sense there.
    pub(crate) local: &'static [&'static str],
    pub(crate) answer: AnswerKind,
}

pub(crate) const COMMANDS: [RemoteCommand; 6] = [
    RemoteCommand {
        name: "ls",
        positional: &[],
        values: &["project", "since", "until", "model", "tag", "sort", "limit", "person", "team", "machine"],
        flags: &["long", "all"],
        local: &[],
        answer: AnswerKind::Printed,
    },
    RemoteCommand {
        name: "show",
        positional: &["session"],
        values: &[
            "form", "client", "around", "context", "last", "since", "until", "only", "up_to", "person",
            "team", "machine",
        ],
        flags: &["full", "no_thinking", "no_agents", "no_tools", "no_system", "no_synthetic"],
        local: &[],
        answer: AnswerKind::Printed,
    },
    RemoteCommand {
        name: "search",
        positional: &["query"],
        values: &[
            "project", "role", "tool", "within", "since", "until", "limit", "context", "person", "team",
            "machine",
        ],
        flags: &[],
        local: &["exact"],
        answer: AnswerKind::Printed,
    },
    RemoteCommand {
        name: "usage",
        positional: &[],
        values: &["by", "since", "until", "project", "model", "tz", "person", "team", "machine"],
        flags: &["exact", "no_models"],
        local: &["no_index", "compare", "statusline"],
        answer: AnswerKind::Printed,
    },
    RemoteCommand {
        name: "stats",
        positional: &[],
        values: &["since", "until", "project", "model", "tz", "limit", "person", "team", "machine"],
        flags: &[],
        local: &["no_index"],
        answer: AnswerKind::Printed,
    },
    RemoteCommand {
        name: "clone",
        positional: &["session"],
        values: &["person", "team", "machine"],
        flags: &[],
        local: &["into", "bundle", "yes", "dry_run"],
        answer: AnswerKind::Bundle,
    },
];

/// The command of this name.
pub(crate) fn remote_command(name: &str) -> Option<&'static RemoteCommand> {
    COMMANDS.iter().find(|command| command.name == name)
}

/// The name of an option as it is typed and sent.
pub(crate) fn long_name(field: &str) -> String {
    match field {
        "form" => "as".to_owned(),
        "within" => "in".to_owned(),
        other => other.replace('_', "-"),
    }
}

impl RemoteCommand {
    /// The arguments that parameters stand for; else why not.
    pub(crate) fn arguments(&self, parameters: &[(String, String)]) -> Result<Vec<String>, String> {
        let (mut options, mut positional) = (Vec::new(), Vec::new());
        for (name, value) in parameters {
            let is = |fields: &[&str]| fields.iter().any(|field| long_name(field) == *name);
            if is(self.positional) {
                positional.push(value.clone());
            } else if is(self.values) {
                options.push(format!("--{name}={value}"));
            } else if is(self.flags) && matches!(value.as_str(), "" | "true") {
                options.push(format!("--{name}"));
            } else {
                return Err(format!("{name:?} is not a parameter of {}", self.name));
            }
        }
        options.push("--".to_owned());
        options.append(&mut positional);
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    /// What is about this machine, or about how to reach the other one.
    const HERE: [&str; 15] = [
        "at",
        "login_file",
        "ca_file",
        "token_file",
        "tenant",
        "config_dir",
        "data_dir",
        "prices",
        "json",
        "color",
        "no_pager",
        "quiet",
        "verbose",
        "help",
        "version",
    ];

    #[test]
    fn every_option_of_a_command_is_answered_or_known_not_to_be() {
        let mut all = crate::args::Args::command();
        all.build();
        for command in &COMMANDS {
            let built = all.find_subcommand(command.name).unwrap();
            for argument in built.get_arguments() {
                let id = argument.get_id().as_str();
                let lists = [command.positional, command.values, command.flags, command.local, &HERE];
                let count = lists.iter().filter(|list| list.contains(&id)).count();
                assert_eq!(count, 1, "{} {id}", command.name);
                if command.values.contains(&id) || command.flags.contains(&id) {
                    assert_eq!(argument.get_long(), Some(long_name(id).as_str()), "{} {id}", command.name);
                    let takes_value = argument.get_action().takes_values();
                    assert_eq!(takes_value, command.values.contains(&id), "{} {id}", command.name);
                }
            }
        }
    }

    #[test]
    fn parameters_become_arguments_and_nothing_else_does() {
        let pairs = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        let show = remote_command("show").unwrap();
        assert_eq!(
            show.arguments(&pairs(&[("session", "--at=x"), ("as", "usage"), ("full", "")])),
            Ok(["--as=usage", "--full", "--", "--at=x"].map(str::to_owned).to_vec())
        );
        let clone = remote_command("clone").unwrap();
        for bad in ["into", "bundle", "yes", "dry-run", "at"] {
            assert!(clone.arguments(&pairs(&[("session", "x"), (bad, "")])).is_err(), "{bad}");
        }
        for bad in
            ["at", "login-file", "config-dir", "prices", "data-dir", "json", "no_agents", "form", "tenant"]
        {
            assert!(show.arguments(&pairs(&[(bad, "x")])).is_err(), "{bad}");
        }
        assert!(show.arguments(&pairs(&[("full", "x")])).is_err());
        assert!(remote_command("sql").is_none() && remote_command("collect").is_none());
    }
}
