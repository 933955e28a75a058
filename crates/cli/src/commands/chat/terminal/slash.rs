//! Commands of the conversation: what begins with a slash.

use annals_agent::commands::CustomCommand;

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

/// The names that are offered: those above, and those of custom commands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Offer {
    /// Each with its slash, and whether something may follow it.
    custom: Vec<(String, Follows)>,
}

/// Whether something may follow a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Follows {
    Something,
    Nothing,
}

impl Offer {
    /// With these custom commands.
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

    /// Whether a custom command has this name, which begins with a slash.
    pub(super) fn has_custom(&self, name: &str) -> bool {
        self.custom.iter().any(|(known, _)| known == name)
    }

    /// What can be put behind the beginning of a command; none where several go on differently.
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

    /// The commands that begin so, for somebody who must choose.
    pub(super) fn fitting(&self, text: &str) -> Vec<&str> {
        self.all().map(|(name, _)| name).filter(|name| name.starts_with(text)).collect()
    }
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
        let offer = Offer::default();
        assert_eq!(offer.completed("/he").as_deref(), Some("/help"));
        assert_eq!(offer.completed("/mod").as_deref(), Some("/model "));
        assert_eq!(offer.completed("/r").as_deref(), Some("/re"));
        assert_eq!(offer.completed("/re"), None);
        assert_eq!(offer.fitting("/re"), ["/resume", "/rewind"]);
        assert_eq!((offer.completed("/x"), offer.completed("he")), (None, None));
        let custom = [("/review".to_owned(), Follows::Something), ("/größe:x".to_owned(), Follows::Nothing)];
        let offer = Offer { custom: custom.to_vec() };
        assert_eq!(offer.completed("/rev").as_deref(), Some("/review "));
        assert_eq!(offer.completed("/g").as_deref(), Some("/größe:x"));
        assert_eq!(offer.fitting("/re"), ["/resume", "/rewind", "/review"]);
        assert!(offer.has_custom("/review") && !offer.has_custom("/resume"));
    }

    #[test]
    fn names_of_ours_are_taken() {
        use super::super::super::custom::BUILT_IN;
        let names = BUILT_IN.map(|name| format!("/{name}"));
        for name in &names {
            assert!(!matches!(Slash::parse(name), None | Some(Slash::Unknown(_))), "{name}");
        }
        assert!(ALL.iter().all(|(name, ..)| names.iter().any(|taken| taken == name)));
    }
}
