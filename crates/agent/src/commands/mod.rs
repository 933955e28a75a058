//! Custom commands and skills: prompts in files, `commands/**/*.md` and `skills/*/SKILL.md`, used by name with arguments.
//!
//! | module | owns |
//! |---|---|
//! | `files` | the files and their front matter |
//! | `skills` | the folders of skills |
//! | `arguments` | `$ARGUMENTS` and `$0`, `$1`, … |
//! | `template` | the text with its arguments, as text and shell commands |
//!
//! Nothing is run here: a turn does that, with approval like all tool calls.

mod arguments;
mod files;
mod skills;
mod template;

pub use files::{CommandError, CommandFolder, read_commands};
pub use skills::read_skills;
pub(crate) use template::{TemplatePart, mentioned};

use std::path::{Path, PathBuf};

use annals_policy::rules::SettingsSource;
use template::parts;

use crate::protocol::Prompt;

/// Who wrote a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Author {
    /// The person, in their own config directory.
    Person,
    /// A trusted project.
    Project,
}

impl Author {
    /// Returns the source of a command's rules.
    pub(crate) fn source(self) -> SettingsSource {
        match self {
            Self::Person => SettingsSource::User,
            Self::Project => SettingsSource::Project,
        }
    }
}

/// Who may use a command or a skill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Invoker {
    /// The person and the model.
    #[default]
    Anyone,
    /// The person alone: `disable-model-invocation`.
    Person,
    /// The model alone: `user-invocable: false`.
    Model,
}

/// A custom command, or a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomCommand {
    /// The name without the slash, with folders before it: `frontend:component`. Letters, digits and `-_.:`.
    pub name: String,
    /// The description, or the first line. Not sanitized for a terminal.
    pub about: String,
    /// The hint about arguments. Not sanitized for a terminal.
    pub hint: Option<String>,
    /// Rules that allow calls in the turn of this command.
    pub allowed: Vec<String>,
    /// The model for the turn of this command.
    pub model: Option<String>,
    /// The template.
    pub body: String,
    /// Who wrote the command.
    pub author: Author,
    /// The folder of a skill; `None` for a command.
    pub folder: Option<PathBuf>,
    /// Who may use it.
    pub invoker: Invoker,
    /// The line that tells the model of it; `None` if it is not told.
    pub listing: Option<String>,
    /// The hooks of its front matter: JSON.
    pub hooks: Option<Vec<u8>>,
    /// The folder of the plugin that it comes from.
    pub plugin: Option<PathBuf>,
    /// The type of sub-agent that it runs in (`context: fork`); `None` if its text is given to the conversation.
    pub fork: Option<String>,
}

impl CustomCommand {
    /// A command with this text that everybody may use.
    pub fn new(name: &str, body: &str, author: Author) -> Self {
        Self {
            name: name.to_owned(),
            about: String::new(),
            hint: None,
            allowed: Vec::new(),
            model: None,
            body: body.to_owned(),
            author,
            folder: None,
            invoker: Invoker::Anyone,
            listing: None,
            hooks: None,
            plugin: None,
            fork: None,
        }
    }

    /// Returns it as that of a plugin, whose name comes before its own.
    pub(crate) fn of_plugin(self, plugin: &str, root: &Path) -> Self {
        let name = format!("{plugin}:{}", self.name);
        let old = format!("- {}", self.name);
        let listing = self.listing.map(|line| line.replacen(&old, &format!("- {name}"), 1));
        Self { name, listing, plugin: Some(root.to_path_buf()), ..self }
    }

    /// Returns the rules that hold while it is used: those that it names, and that its own files may be read.
    pub(crate) fn rules(&self) -> Vec<String> {
        let is_plain = |path: &str| !path.contains(['*', '?', '[', ']', '{', '}', '(', ')', '!', '\\']);
        let folder = self.folder.as_ref().map(|folder| folder.to_string_lossy());
        let own = folder.filter(|folder| is_plain(folder)).map(|folder| format!("Read(/{folder}/**)"));
        self.allowed.iter().cloned().chain(own).collect()
    }
}

/// A custom command with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Invocation {
    pub(crate) command: CustomCommand,
    pub(crate) arguments: String,
}

impl Invocation {
    /// Returns the parts of the text, with the arguments filled in; that of a skill begins with its folder.
    pub(crate) fn parts(&self, session: &str) -> Vec<TemplatePart> {
        let mut parts = parts(&self.command.body, &self.arguments);
        if let Some(root) = &self.command.plugin {
            for part in &mut parts {
                let (TemplatePart::Text(text) | TemplatePart::Shell(text)) = part;
                *text = text.replace("${CLAUDE_PLUGIN_ROOT}", &root.to_string_lossy());
            }
        }
        let Some(folder) = &self.command.folder else { return parts };
        let folder = folder.display().to_string();
        for part in &mut parts {
            let (TemplatePart::Text(text) | TemplatePart::Shell(text)) = part;
            *text = text.replace("${CLAUDE_SKILL_DIR}", &folder).replace("${CLAUDE_SESSION_ID}", session);
        }
        parts.insert(0, TemplatePart::Text(format!("Base directory for this skill: {folder}\n\n")));
        parts
    }

    /// Returns the invocation as typed.
    pub(crate) fn text(&self) -> String {
        format!("/{} {}", self.command.name, self.arguments).trim_end().to_owned()
    }

    /// Parses a prompt; `None` if it does not name a known command.
    pub(crate) fn of(prompt: &Prompt, known: &[CustomCommand]) -> Option<Self> {
        let (name, arguments) = prompt.slash_command()?;
        let command = known.iter().find(|command| command.name == name)?;
        Some(Self { command: command.clone(), arguments })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]
mod tests {
    use super::*;

    #[test]
    fn prompts_that_begin_with_a_known_name_are_commands() {
        let command = CustomCommand::new("a:b", "", Author::Person);
        let of = |prompt: Prompt| {
            Invocation::of(&prompt, std::slice::from_ref(&command)).map(|said| said.arguments)
        };
        let text = |text: &str| of(Prompt::Text(text.into()));
        assert_eq!(text(" /a:b  x\n y \n").as_deref(), Some("x\n y"));
        assert_eq!(text("/a:b").as_deref(), Some(""));
        for none in ["/a", "/a:bc", "a:b", "say /a:b", "/ a:b", ""] {
            assert_eq!(text(none), None, "{none}");
        }
        let blocks = |json: &str| of(Prompt::Blocks(json.into()));
        assert_eq!(blocks(r#"[{"type":"text","text":"/a:b x"}]"#).as_deref(), Some("x"));
        assert_eq!(blocks(r#"[{"type":"text","text":"/a:b x"},{"type":"image"}]"#), None);
    }

    #[test]
    fn the_text_of_a_skill_begins_with_its_folder() {
        let skill = CustomCommand {
            folder: Some("/s/!`x`".into()),
            ..CustomCommand::new(
                "a",
                "$0 in ${CLAUDE_SKILL_DIR}: !`ls ${CLAUDE_SKILL_DIR}` ${CLAUDE_SESSION_ID}",
                Author::Person,
            )
        };
        let said = Invocation { command: skill, arguments: "b".into() };
        let parts = said.parts("me");
        let shells = parts.iter().filter(|part| matches!(part, TemplatePart::Shell(_))).count();
        assert_eq!(shells, 1, "the name of a folder is no command: {parts:?}");
        let TemplatePart::Text(first) = &parts[0] else { panic!("{parts:?}") };
        assert_eq!(first, "Base directory for this skill: /s/!`x`\n\n");
        assert_eq!(parts[1], TemplatePart::Text("b in /s/!`x`: ".into()));
        assert_eq!(parts[3], TemplatePart::Text(" me".into()));
        assert_eq!(
            said.command.rules(),
            ["Read(//s/!`x`/**)"; 0],
            "a name that a pattern would read otherwise"
        );
    }
}
