//! Custom slash commands and skills of this folder: the user's own, and those of trusted folders.

use annals_agent::commands::{Author, CommandFolder, CustomCommand, Invoker, read_commands, read_skills};
use annals_agent::tools::SkillCall;
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

/// Reads the commands and skills, sorted by name; a nearer folder overrides a farther one, the user's skills override all others,
/// and a skill overrides a command. Invalid files are reported.
pub(super) fn read(setup: &Setup, context: &Context) -> Vec<CustomCommand> {
    let config = setup.cwd.join(context.store.config_dir().path());
    let own = |name| CommandFolder { path: config.join(name), author: Author::Person, within: None };
    let trusted = setup.trusted_folders(context);
    let projects = |name: &'static str| {
        let folders = trusted.iter().map(move |folder| CommandFolder {
            path: folder.join(".claude").join(name),
            author: Author::Project,
            within: Some(folder.clone()),
        });
        // The home folder may be trusted, too: its commands are the user's, not a project's.
        folders.filter(|folder| folder.path.parent() != Some(&config))
    };
    let (mut commands, mut problems) =
        read_commands(std::iter::once(own("commands")).chain(projects("commands")));
    let (skills, errors) = read_skills(projects("skills").chain([own("skills")]));
    problems.extend(errors);
    commands.retain(|command| skills.iter().all(|skill| skill.name != command.name));
    commands.extend(skills);
    commands.sort_by(|left, right| left.name.cmp(&right.name));
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

/// Returns what the tool for skills knows of commands and skills.
pub(super) fn skill_calls(commands: &[CustomCommand]) -> Vec<SkillCall> {
    let call = |command: &CustomCommand| SkillCall {
        name: command.name.clone(),
        is_persons: command.invoker == Invoker::Person,
        allowed: command.allowed.clone(),
        model: command.model.clone(),
    };
    commands.iter().map(call).collect()
}
