//! Custom slash commands and skills of this folder: the user's own, and those of trusted folders.

use annals_agent::commands::{Author, CommandFolder, CustomCommand, Invoker, read_commands, read_skills};
use annals_agent::plugin::Plugin;
use annals_agent::turn::NestedSkills;
use annals_policy::rules::{Rule, RuleList, SettingsSource};
use annals_policy::screen::visible;

use super::model::ModelNames;
use super::setup::Setup;
use crate::context::Context;

/// Names of built-in commands, which files cannot define.
pub(super) const BUILT_IN: [&str; 29] = [
    "add-dir",
    "agents",
    "bashes",
    "branch",
    "clear",
    "compact",
    "config",
    "context",
    "copy",
    "cost",
    "doctor",
    "effort",
    "exit",
    "export",
    "fork",
    "help",
    "hooks",
    "mcp",
    "memory",
    "model",
    "permissions",
    "quit",
    "rename",
    "resume",
    "rewind",
    "status",
    "tasks",
    "todos",
    "usage",
];

/// The text of `/init`, unless a file defines that command.
const INIT: &str = "Study this project and write to CLAUDE.md in the working folder what a newcomer needs to know: how to build, test and check it, how to run a single test, how the code is divided and which parts depend on which, and conventions that cannot be seen in a single file. Look at the README, the build files and the tests first. Leave out what any developer knows and what can be found by listing files. If CLAUDE.md already exists, read it and improve it instead of replacing it.

$ARGUMENTS";

/// Returns whether a command is one of ours, not of a file.
pub(super) fn is_ours(command: &CustomCommand) -> bool {
    command.body == INIT
}

fn init() -> CustomCommand {
    CustomCommand {
        about: "write what is important about this project to CLAUDE.md".to_owned(),
        invoker: Invoker::Person,
        ..CustomCommand::new("init", INIT, Author::Person)
    }
}

/// Reads the commands and skills, also those of plugins, sorted by name; a nearer folder overrides a farther one, the user's skills override all others,
/// and a skill overrides a command. Invalid files are reported.
pub(super) fn read(setup: &Setup, plugins: &[Plugin], context: &Context) -> Vec<CustomCommand> {
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
    let is_read = |_: &CommandFolder| !setup.is_bare;
    let (mut commands, mut problems) =
        read_commands(std::iter::once(own("commands")).chain(projects("commands")).filter(is_read));
    let (skills, errors) = read_skills(projects("skills").chain([own("skills")]).filter(is_read));
    problems.extend(errors);
    commands.retain(|command| skills.iter().all(|skill| skill.name != command.name));
    commands.extend(skills);
    for command in plugins.iter().flat_map(|plugin| &plugin.commands) {
        // A file of the person may have the same name, in a folder.
        if commands.iter().all(|known| known.name != command.name) {
            commands.push(command.clone());
        }
    }
    if commands.iter().all(|command| command.name != "init") {
        commands.push(init());
    }
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
    for problem in commands.iter_mut().flat_map(|command| complete(command, &setup.models)) {
        context.say(visible(&problem));
    }
    commands
}

/// Gives a command the full name of its model; returns what is wrong with its rules.
fn complete(command: &mut CustomCommand, models: &ModelNames) -> Vec<String> {
    command.model = command.model.take().map(|name| models.named(&name));
    let wrong = |rule: &String| {
        let why = Rule::new(rule, RuleList::Allow, SettingsSource::User).unknown()?;
        Some(format!("/{}: invalid rule `{rule}`: {why}", command.name))
    };
    command.allowed.iter().filter_map(wrong).collect()
}

/// Returns where skills of folders below this one are looked for, if it is trusted.
pub(super) fn nested(setup: &Setup) -> Option<NestedSkills> {
    if !setup.is_trusted() || setup.is_bare {
        return None;
    }
    let (root, models) = (setup.cwd.clone(), setup.models.clone());
    Some(NestedSkills::new(setup.cwd.clone(), move |folder| {
        let folder =
            CommandFolder { path: folder.to_path_buf(), author: Author::Project, within: Some(root.clone()) };
        let (mut skills, errors) = read_skills([folder]);
        let mut problems: Vec<String> = errors.iter().map(ToString::to_string).collect();
        problems.extend(skills.iter_mut().flat_map(|skill| complete(skill, &models)));
        (skills, problems.iter().map(|problem| visible(problem)).collect())
    }))
}
