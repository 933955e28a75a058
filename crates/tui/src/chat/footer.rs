//! The rows below the prompt: what a status line command printed, and the permission mode beside the model.

use annals_ui::terminal::{Color, Span, Style, StyledLine, clip, width};

use super::command::ChatCommand;
use super::keymap::{ChatKeyScope, ChatKeymap};

/// A permission mode as the footer shows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PermissionSign {
    /// What rules do not decide is asked.
    #[default]
    Default,
    /// Changes of files are allowed.
    AcceptEdits,
    /// Nothing is changed.
    Plan,
    /// What would be asked is denied.
    DontAsk,
    /// Nothing is asked.
    Bypass,
}

impl PermissionSign {
    fn span(self) -> Option<Span> {
        let (text, color) = match self {
            Self::Default => return None,
            Self::AcceptEdits => ("» accept edits", Color::Magenta),
            Self::Plan => ("‖ plan mode", Color::Cyan),
            Self::DontAsk => ("× don't ask: the rest is denied", Color::Yellow),
            Self::Bypass => ("!! bypass permissions", Color::Red),
        };
        Some(Span::new(text, Style::color(color).bold()))
    }
}

/// What the footer says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FooterFacts {
    /// The permission mode.
    pub mode: PermissionSign,
    /// The model, for people.
    pub model: String,
    /// How full the context window is, in percent.
    pub context: Option<u8>,
    /// The title of the session.
    pub title: Option<String>,
}

impl FooterFacts {
    /// The last row: mode, the sign of the editor and hint at the left, model at the right.
    pub(crate) fn row(
        &self,
        hint: Option<&str>,
        sign: Option<&str>,
        columns: usize,
        keymap: &ChatKeymap,
    ) -> StyledLine {
        let keys = |wanted: &[(ChatCommand, &str)]| keymap.hints(ChatKeyScope::Prompt, wanted);
        let mut left: StyledLine = match hint {
            Some(hint) => vec![Span::new(clip(hint, columns), Style::color(Color::Yellow))],
            None => match self.mode.span() {
                Some(mode) => match keys(&[(ChatCommand::Mode, "")]) {
                    key if key.is_empty() => vec![mode],
                    key => vec![mode, Span::dim(format!(" · {key}"))],
                },
                None if sign.is_some() => Vec::new(),
                None => vec![Span::dim(keys(&[(ChatCommand::Help, " keys"), (ChatCommand::Mode, " mode")]))],
            },
        };
        if let Some(sign) = sign {
            let used: usize = left.iter().map(|span| width(&span.text)).sum();
            let gap = if used == 0 { "" } else { " · " };
            let sign = clip(sign, columns.saturating_sub(used + gap.len()));
            left.extend((!sign.is_empty()).then(|| Span::dim(format!("{gap}{sign}"))));
        }
        let mut facts = vec![clip(&self.model, columns)];
        facts.extend(self.context.map(|percent| format!("{percent}% context")));
        facts.retain(|fact| !fact.is_empty());
        let used: usize = left.iter().map(|span| width(&span.text)).sum();
        let free = columns.saturating_sub(used);
        // Where not all of it fits, what changes stays.
        let fitting =
            (0..facts.len()).map(|first| facts[first..].join(" · ")).find(|right| width(right) + 2 <= free);
        if let Some(right) = fitting {
            left.push(Span::plain(" ".repeat(free - width(&right))));
            left.push(Span::dim(right));
        }
        left
    }
}
