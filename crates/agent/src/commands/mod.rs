//! Custom commands: prompts in files, `commands/**/*.md`, invoked by name with arguments.
//!
//! | module | owns |
//! |---|---|
//! | `files` | the files and their front matter |
//! | `arguments` | `$ARGUMENTS` and `$0`, `$1`, … |
//! | `template` | the text with its arguments, as text and shell commands |
//!
//! Nothing is run here: a turn does that, with approval like all tool calls.

mod arguments;
mod files;
mod template;

pub use files::{CommandError, CommandFolder, read_commands};
pub(crate) use template::{TemplatePart, mentioned, parts};

use crate::protocol::Prompt;
use annals_policy::rules::SettingsSource;

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

/// A custom command.
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
}

/// A custom command with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Invocation {
    pub(crate) command: CustomCommand,
    pub(crate) arguments: String,
}

impl Invocation {
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
        let command = CustomCommand {
            name: "a:b".into(),
            about: String::new(),
            hint: None,
            allowed: vec![],
            model: None,
            body: String::new(),
            author: Author::Person,
        };
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
}
