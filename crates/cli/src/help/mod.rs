//! What `annals help` prints: the list of commands by group, the page of a command, and short texts on topics.

#[cfg(test)]
mod examples;
#[cfg(test)]
mod tests;
mod topics;

use clap::{Command, CommandFactory};

use crate::args::Args;

pub(crate) use topics::{TOPICS, Topic};

/// The groups of the list of commands, in the order in which they are printed.
pub(crate) const GROUPS: [(&str, &[&str]); 7] = [
    (
        "Read",
        &[
            "ls", "show", "tui", "serve", "export", "tail", "check", "drift", "files", "todos", "plans",
            "history",
        ],
    ),
    ("Search", &["search", "sql", "index"]),
    ("Cost", &["usage", "stats"]),
    (
        "Change",
        &[
            "new",
            "append",
            "rename",
            "tag",
            "clone",
            "fork",
            "import",
            "merge",
            "strip",
            "compress",
            "repair",
            "redact",
            "rewind",
            "move-project",
            "reset-project",
            "undo",
        ],
    ),
    ("Keep", &["archive", "restore", "trash", "gc", "collect", "receive", "team"]),
    ("Chat", &["chat", "mcp", "hook", "mock-api"]),
    ("Other", &["config", "doctor", "demo", "completions", "man", "help"]),
];

/// Returns the command line with the grouped list as the page of `annals` itself.
pub(crate) fn command() -> Command {
    let command = Args::command();
    let template = template(&command);
    command.help_template(template)
}

/// Returns everything that `annals help` takes: commands and topics.
pub(crate) fn names() -> Vec<&'static str> {
    let commands = GROUPS.iter().flat_map(|(_, names)| names.iter().copied());
    commands.chain(TOPICS.iter().map(|topic| topic.name)).collect()
}

/// Builds the page of `annals` itself. Its lines are short enough for 80 columns; clap wraps the options only.
fn template(command: &Command) -> String {
    let mut page =
        "{about}\n\n{usage-heading} {usage}\n\nWithout a command: an overview of the store.\n".to_owned();
    for (group, names) in GROUPS {
        page.push_str(&format!("\n{group}:\n"));
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            page.push_str(&format!("  {name:<15} {}\n", about.map(ToString::to_string).unwrap_or_default()));
        }
    }
    page.push_str("\nTopics:\n");
    for topic in &TOPICS {
        page.push_str(&format!("  {:<15} {}\n", topic.name, topic.about));
    }
    page.push_str(
        "\nGlobal options:\n{options}\n\nRun `annals help NAME` for a command or a topic, or `annals COMMAND -h`.\n",
    );
    page
}
