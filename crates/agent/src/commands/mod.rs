//! Custom commands: prompts that people keep in files, `commands/**/*.md`, and say by a name and arguments.
//!
//! | module | owns |
//! |---|---|
//! | `files` | the files: where they may stand, and what their heads say |
//! | `arguments` | what stands for `$ARGUMENTS` and `$0`, `$1`, … |
//! | `template` | the text with its arguments, in pieces: words, and commands for the shell |
//!
//! Nothing here runs or asks: a turn does that, in the sequence that holds for all tools.

mod arguments;
mod files;
mod template;

pub use files::{CommandError, CommandFolder, read_commands};
pub(crate) use template::{Piece, mentioned, pieces};

use crate::command::Prompt;
use annals_json::Value;
use annals_policy::rules::Source;

/// Who wrote a command down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Author {
    /// The person, in their own config dir.
    Person,
    /// A project that is trusted.
    Project,
}

impl Author {
    /// Where the rules of such a command come from.
    pub(crate) fn source(self) -> Source {
        match self {
            Self::Person => Source::User,
            Self::Project => Source::Project,
        }
    }
}

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomCommand {
    /// Its name, without the slash; folders stand before it with colons: `frontend:component`. Letters, digits and `-_.:`.
    pub name: String,
    /// What it is for: as its author says, or its first line. Not fit for a terminal as it is.
    pub about: String,
    /// What may follow. Not fit for a terminal as it is.
    pub hint: Option<String>,
    /// Rules that allow what they name, for the turn that it opens.
    pub allowed: Vec<String>,
    /// The model that answers in that turn.
    pub model: Option<String>,
    /// The text.
    pub body: String,
    /// Who wrote it.
    pub author: Author,
}

/// A command that is said, with what follows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Invocation {
    pub(crate) command: CustomCommand,
    pub(crate) arguments: String,
}

impl Invocation {
    /// As it was said.
    pub(crate) fn text(&self) -> String {
        format!("/{} {}", self.command.name, self.arguments).trim_end().to_owned()
    }

    /// The command that a prompt says; none where it says something else.
    pub(crate) fn of(prompt: &Prompt, known: &[CustomCommand]) -> Option<Self> {
        let text = match prompt {
            Prompt::Text(text) => text.clone(),
            Prompt::Blocks(json) => {
                let value = Value::parse(json).ok()?;
                let mut blocks = value.items();
                let (only, none) = (blocks.next()?, blocks.next());
                only.get("text").filter(|_| none.is_none())?.text()?.to_string()
            }
        };
        let said = text.trim().strip_prefix('/')?;
        let (name, arguments) = said.split_once(char::is_whitespace).unwrap_or((said, ""));
        let command = known.iter().find(|command| command.name == name)?;
        Some(Self { command: command.clone(), arguments: arguments.trim().to_owned() })
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
