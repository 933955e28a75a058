//! Commands of the conversation: what begins with a slash.

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Slash {
    Help,
    Clear,
    Compact(Option<String>),
    Resume(Option<String>),
    Rewind,
    Model(Option<String>),
    Cost,
    Context,
    Todos,
    Exit,
    Unknown(String),
}

/// Names, what may follow, and what they do.
pub(super) const ALL: [(&str, &str, &str); 10] = [
    ("/help", "", "what can be said and pressed here"),
    ("/clear", "", "begin a new session; this one can be resumed"),
    ("/compact", "[FOCUS]", "sum the conversation up, above all what matters for FOCUS"),
    ("/resume", "[SESSION]", "go on with another session of this folder"),
    ("/rewind", "", "go back to before an earlier prompt: the conversation, the files, or both"),
    ("/model", "[NAME]", "which model answers, or another one from now on"),
    ("/cost", "", "tokens and price of this session, by model"),
    ("/context", "", "how full the model's window is, and of what"),
    ("/todos", "", "what is to be done"),
    ("/exit", "", "leave; so does ctrl-d"),
];

impl Slash {
    /// The command that a line is; none where it is a prompt. A path is no command.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let line = line.trim();
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        if !name.starts_with('/') || name[1..].contains('/') || line.contains('\n') && name == "/" {
            return None;
        }
        let rest = Some(rest.trim().to_owned()).filter(|rest| !rest.is_empty());
        Some(match name {
            "/help" => Self::Help,
            "/clear" => Self::Clear,
            "/compact" => Self::Compact(rest),
            "/resume" => Self::Resume(rest),
            "/rewind" => Self::Rewind,
            "/model" => Self::Model(rest),
            "/cost" => Self::Cost,
            "/context" => Self::Context,
            "/todos" => Self::Todos,
            "/exit" | "/quit" => Self::Exit,
            _ => Self::Unknown(name.to_owned()),
        })
    }
}

/// What can be put behind the beginning of a command; none where several go on differently.
pub(super) fn completed(text: &str) -> Option<String> {
    if !text.starts_with('/') {
        return None;
    }
    let mut fitting = ALL.iter().map(|(name, ..)| *name).filter(|name| name.starts_with(text));
    let first = fitting.next()?;
    let common = fitting.fold(first, |common, name| {
        let length = common.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
        &common[..length]
    });
    if common == text && ALL.iter().all(|(name, ..)| *name != text) {
        return None;
    }
    let is_whole = ALL.iter().any(|(name, follows, _)| *name == common && !follows.is_empty());
    Some(if is_whole { format!("{common} ") } else { common.to_owned() })
}

/// The commands that begin so, for somebody who must choose.
pub(super) fn fitting(text: &str) -> Vec<&'static str> {
    ALL.iter().map(|(name, ..)| *name).filter(|name| name.starts_with(text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_commands_or_prompts() {
        assert_eq!(Slash::parse(" /help "), Some(Slash::Help));
        assert_eq!(Slash::parse("/compact the tests"), Some(Slash::Compact(Some("the tests".into()))));
        assert_eq!(Slash::parse("/model"), Some(Slash::Model(None)));
        assert_eq!(Slash::parse("/nothing"), Some(Slash::Unknown("/nothing".into())));
        assert_eq!(Slash::parse("/etc/hosts is what?"), None);
        assert_eq!(Slash::parse("say /help"), None);
        for (name, ..) in ALL {
            assert!(!matches!(Slash::parse(name), None | Some(Slash::Unknown(_))), "{name}");
        }
    }

    #[test]
    fn beginnings_are_completed() {
        assert_eq!(completed("/he").as_deref(), Some("/help"));
        assert_eq!(completed("/mod").as_deref(), Some("/model "));
        assert_eq!(completed("/r").as_deref(), Some("/re"));
        assert_eq!(completed("/re"), None);
        assert_eq!(fitting("/re"), ["/resume", "/rewind"]);
        assert_eq!((completed("/x"), completed("he")), (None, None));
    }
}
