//! Slash commands: their names, arguments and help.

use annals_agent::commands::CustomCommand;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SlashCommand {
    Help,
    Clear,
    Compact(Option<String>),
    Resume(Option<String>),
    Rewind,
    Rename(Option<String>),
    Permissions(Option<String>),
    Status,
    Model(Option<String>),
    Effort(Option<String>),
    Cost,
    Context,
    Todos,
    Tasks(Option<String>),
    Mcp,
    Hooks,
    Agents,
    Memory,
    Config,
    Doctor,
    Export(Option<String>),
    Branch(Option<String>),
    AddDir(Option<String>),
    Copy(Option<String>),
    Exit,
    Unknown(String),
}

/// Names, arguments and descriptions.
pub(super) const ALL: [(&str, &str, &str); 26] = [
    ("/help", "", "show commands and keys"),
    ("/clear", "", "start a new session; this one can be resumed"),
    ("/compact", "[FOCUS]", "summarize the conversation to free context, with a FOCUS if given"),
    ("/resume", "[SESSION]", "resume another session of this folder"),
    ("/rewind", "", "restore the conversation, the files or both to before an earlier prompt"),
    ("/branch", "[TITLE]", "continue in a copy of the session; this one stays as it is"),
    ("/rename", "TITLE", "set the title of the session"),
    ("/export", "[FILE]", "write the conversation to a file: .md, .html, .txt or .jsonl"),
    ("/copy", "[N]", "copy the last answer, or the Nth last, to the clipboard"),
    ("/model", "[NAME]", "show or change the model"),
    ("/effort", "[LEVEL]", "show or change how hard the model tries"),
    ("/cost", "", "show tokens and cost of this session by model"),
    ("/usage", "", "the same as /cost"),
    ("/context", "", "show what fills the context window"),
    ("/todos", "", "show the todo list"),
    ("/tasks", "[stop ID]", "show commands and sub-agents in the background with their output, or stop one"),
    ("/status", "", "show version, model, permission mode, session and folder"),
    ("/permissions", "[TOOL WORDS]", "show mode and rules, and why calls were asked about or allowed"),
    ("/add-dir", "FOLDER", "let tools work in another folder, too"),
    ("/mcp", "", "show the MCP servers"),
    ("/hooks", "", "show the hooks, each with where it is configured"),
    ("/agents", "", "show the types of sub-agents"),
    ("/memory", "", "show the memory files, and edit one"),
    ("/config", "", "show the settings in effect, and where they come from"),
    ("/doctor", "", "check versions, stores and programs"),
    ("/exit", "", "exit; also ctrl-d"),
];

impl SlashCommand {
    /// Parses a line; `None` if it is a prompt. A path is not a command.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let line = line.trim();
        let (name, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        if !name.starts_with('/') || name[1..].contains('/') || line.contains('\n') && name == "/" {
            return None;
        }
        let argument = Some(argument.trim().to_owned()).filter(|argument| !argument.is_empty());
        Some(match name {
            "/help" => Self::Help,
            "/clear" => Self::Clear,
            "/compact" => Self::Compact(argument),
            "/resume" => Self::Resume(argument),
            "/rewind" => Self::Rewind,
            "/rename" => Self::Rename(argument),
            "/permissions" => Self::Permissions(argument),
            "/effort" => Self::Effort(argument),
            "/tasks" | "/bashes" => Self::Tasks(argument),
            "/hooks" => Self::Hooks,
            "/agents" => Self::Agents,
            "/memory" => Self::Memory,
            "/config" => Self::Config,
            "/doctor" => Self::Doctor,
            "/export" => Self::Export(argument),
            "/branch" | "/fork" => Self::Branch(argument),
            "/add-dir" => Self::AddDir(argument),
            "/copy" => Self::Copy(argument),
            "/status" => Self::Status,
            "/model" => Self::Model(argument),
            "/cost" | "/usage" => Self::Cost,
            "/context" => Self::Context,
            "/todos" => Self::Todos,
            "/mcp" => Self::Mcp,
            "/exit" | "/quit" => Self::Exit,
            _ => Self::Unknown(name.to_owned()),
        })
    }
}

impl SlashCommand {
    /// Whether it runs at once when it is given during a turn: it only shows something, or lets the person choose what is queued.
    /// What changes the conversation or its settings waits in the queue.
    pub(super) fn runs_during_a_turn(&self) -> bool {
        self.offers_choices()
            || matches!(
                self,
                Self::Help
                    | Self::Permissions(_)
                    | Self::Status
                    | Self::Cost
                    | Self::Context
                    | Self::Todos
                    | Self::Tasks(_)
                    | Self::Mcp
                    | Self::Hooks
                    | Self::Agents
                    | Self::Memory
                    | Self::Config
                    | Self::Doctor
                    | Self::Export(_)
                    | Self::Copy(_)
                    | Self::Unknown(_)
            )
    }

    /// Whether it offers choices where there are lists.
    pub(super) fn offers_choices(&self) -> bool {
        matches!(self, Self::Model(None) | Self::Effort(None))
    }
}

/// Completes built-in and custom commands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Completions {
    /// Names with slash, and whether they take arguments.
    custom: Vec<(String, Follows)>,
}

/// Whether a command takes arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Follows {
    Something,
    Nothing,
}

impl Completions {
    /// Adds these custom commands to the built-in ones.
    pub(super) fn of(custom: &[CustomCommand]) -> Self {
        let offered = custom.iter().map(|command| {
            let follows = if command.hint.is_some() { Follows::Something } else { Follows::Nothing };
            (format!("/{}", command.name), follows)
        });
        Self { custom: offered.collect() }
    }

    fn all(&self) -> impl Iterator<Item = (&str, Follows)> {
        let built_in = ALL.iter().map(|(name, follows, _)| {
            (*name, if follows.is_empty() { Follows::Nothing } else { Follows::Something })
        });
        built_in.chain(self.custom.iter().map(|(name, follows)| (name.as_str(), *follows)))
    }

    /// Returns whether a custom command has this name, given with its slash.
    pub(super) fn has_custom(&self, name: &str) -> bool {
        self.custom.iter().any(|(known, _)| known == name)
    }

    /// Returns whether a line is sent to the model: no built-in command, and no unknown one.
    pub(super) fn is_prompt(&self, line: &str) -> bool {
        match SlashCommand::parse(line) {
            None => true,
            Some(SlashCommand::Unknown(name)) => self.has_custom(&name),
            Some(_) => false,
        }
    }

    /// Completes the beginning of a command as far as it is unambiguous.
    pub(super) fn completed(&self, text: &str) -> Option<String> {
        if !text.starts_with('/') {
            return None;
        }
        let mut fitting = self.all().map(|(name, _)| name).filter(|name| name.starts_with(text));
        let first = fitting.next()?.to_owned();
        let common = fitting.fold(first, |common, name| {
            let same = common.chars().zip(name.chars()).take_while(|(left, right)| left == right);
            same.map(|(letter, _)| letter).collect()
        });
        if common == text && self.all().all(|(name, _)| name != text) {
            return None;
        }
        let goes_on = self.all().any(|(name, follows)| name == common && follows == Follows::Something);
        Some(if goes_on { format!("{common} ") } else { common })
    }

    /// Returns the commands that start with a text.
    pub(super) fn fitting(&self, text: &str) -> Vec<&str> {
        self.all().map(|(name, _)| name).filter(|name| name.starts_with(text)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_commands_or_prompts() {
        assert_eq!(SlashCommand::parse(" /help "), Some(SlashCommand::Help));
        assert_eq!(
            SlashCommand::parse("/compact the tests"),
            Some(SlashCommand::Compact(Some("the tests".into())))
        );
        assert_eq!(SlashCommand::parse("/model"), Some(SlashCommand::Model(None)));
        assert_eq!(SlashCommand::parse("/nothing"), Some(SlashCommand::Unknown("/nothing".into())));
        assert_eq!(SlashCommand::parse("/etc/hosts is what?"), None);
        assert_eq!(SlashCommand::parse("say /help"), None);
        for (name, ..) in ALL {
            assert!(!matches!(SlashCommand::parse(name), None | Some(SlashCommand::Unknown(_))), "{name}");
        }
    }

    #[test]
    fn beginnings_are_completed() {
        let completions = Completions::default();
        assert_eq!(completions.completed("/he").as_deref(), Some("/help"));
        assert_eq!(completions.completed("/mod").as_deref(), Some("/model "));
        assert_eq!(completions.completed("/r").as_deref(), Some("/re"));
        assert_eq!(completions.completed("/re"), None);
        assert_eq!(completions.fitting("/re"), ["/resume", "/rewind", "/rename"]);
        assert_eq!((completions.completed("/x"), completions.completed("he")), (None, None));
        let custom = [("/review".to_owned(), Follows::Something), ("/größe:x".to_owned(), Follows::Nothing)];
        let completions = Completions { custom: custom.to_vec() };
        assert_eq!(completions.completed("/rev").as_deref(), Some("/review "));
        assert_eq!(completions.completed("/g").as_deref(), Some("/größe:x"));
        assert_eq!(completions.fitting("/re"), ["/resume", "/rewind", "/rename", "/review"]);
        assert!(completions.has_custom("/review") && !completions.has_custom("/resume"));
        assert!(completions.is_prompt("/review x") && completions.is_prompt("words"));
        assert!(!completions.is_prompt("/resume") && !completions.is_prompt("/nothing"));
    }

    #[test]
    fn names_of_ours_are_taken() {
        use super::super::super::custom::BUILT_IN;
        let names = BUILT_IN.map(|name| format!("/{name}"));
        for name in &names {
            assert!(!matches!(SlashCommand::parse(name), None | Some(SlashCommand::Unknown(_))), "{name}");
        }
        assert!(ALL.iter().all(|(name, ..)| names.iter().any(|taken| taken == name)));
    }
}
