//! Custom slash commands of this folder: the user's own, and those of trusted folders.

use annals_agent::commands::{Author, CommandFolder, CustomCommand, read_commands};
use annals_policy::rules::{Rule, RuleList, SettingsSource};
use annals_policy::screen::visible;

use super::setup::Setup;
use crate::context::Context;

/// Names of built-in commands, which files cannot define.
pub(super) const BUILT_IN: [&str; 15] = [
    "clear",
    "compact",
    "context",
    "cost",
    "exit",
    "help",
    "mcp",
    "model",
    "permissions",
    "quit",
    "rename",
    "resume",
    "rewind",
    "status",
    "todos",
];

/// Reads the commands, sorted by name; a nearer folder overrides a farther one. Invalid files are reported.
pub(super) fn read(setup: &Setup, context: &Context) -> Vec<CustomCommand> {
    let own = setup.cwd.join(context.store.config_dir().path()).join("commands");
    let mut folders = vec![CommandFolder { path: own.clone(), author: Author::Person, within: None }];
    let projects = setup.trusted_folders(context).into_iter().map(|folder| CommandFolder {
        path: folder.join(".claude").join("commands"),
        author: Author::Project,
        within: Some(folder),
    });
    // The home folder may be trusted, too: its commands are the user's, not a project's.
    folders.extend(projects.filter(|folder| folder.path != own));
    let (mut commands, problems) = read_commands(folders);
    for problem in problems {
        // File names are untrusted text as well.
        context.say(visible(&problem.to_string()));
    }
    commands.retain(|command| {
        let is_taken = BUILT_IN.contains(&command.name.as_str());
        if is_taken {
            context.say(format!(
                "ignoring the custom command /{}: a built-in command has that name",
                command.name
            ));
        }
        !is_taken
    });
    for command in &mut commands {
        command.model = command.model.take().map(|name| setup.models.named(&name));
        for rule in &command.allowed {
            if let Some(why) = Rule::new(rule, RuleList::Allow, SettingsSource::User).unknown() {
                let problem = format!("/{}: invalid rule `{rule}`: {why}", command.name);
                context.say(visible(&problem));
            }
        }
    }
    commands
}
