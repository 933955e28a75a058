//! The custom commands that hold in this folder: the person's own, and those of folders that are trusted.

use annals_agent::commands::{Author, CommandFolder, CustomCommand, read_commands};
use annals_policy::rules::{List, Rule, Source};
use annals_policy::screen::visible;

use super::model;
use super::setup::Setup;
use crate::context::Context;

/// Names that are taken: what the terminal does itself.
pub(super) const BUILT_IN: [&str; 11] =
    ["clear", "compact", "context", "cost", "exit", "help", "model", "quit", "resume", "rewind", "todos"];

/// All of them, by name; of two with one name the nearer one counts. What is no command is said.
pub(super) fn read(setup: &Setup, context: &Context) -> Vec<CustomCommand> {
    let own = setup.cwd.join(context.store.config_dir().path()).join("commands");
    let mut folders = vec![CommandFolder { path: own.clone(), author: Author::Person, within: None }];
    let projects = setup.trusted_folders(context).into_iter().map(|folder| CommandFolder {
        path: folder.join(".claude").join("commands"),
        author: Author::Project,
        within: Some(folder),
    });
    // Somebody's home folder may be trusted: what stands there is theirs and no project's.
    folders.extend(projects.filter(|folder| folder.path != own));
    let (mut commands, problems) = read_commands(folders);
    for problem in problems {
        // Names of files are somebody's words as well.
        context.say(visible(&problem.to_string()));
    }
    commands.retain(|command| {
        let is_taken = BUILT_IN.contains(&command.name.as_str());
        if is_taken {
            context.say(format!("the command /{} of a file is not used: the name is taken", command.name));
        }
        !is_taken
    });
    for command in &mut commands {
        command.model = command.model.take().map(|name| model::named(&name));
        for rule in &command.allowed {
            if let Some(why) = Rule::new(rule, List::Allow, Source::User).unknown() {
                let problem = format!("/{}: the rule `{rule}` is not understood: {why}", command.name);
                context.say(visible(&problem));
            }
        }
    }
    commands
}
