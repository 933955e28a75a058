//! Pictures of the conversation on terminals that show them.
//!
//! What a terminal can do is told by its variables: a question to it would have to be waited for, and an answer that comes late
//! would be read as keys. Inside tmux and screen, which would have to pass pictures on, they are shown only if the configuration
//! names a protocol.

use std::cell::Cell;
use std::collections::HashMap;

use annals_agent::tools::{Thumbnail, thumbnail};
use annals_tui::chat::{ChatTerminal, ScreenLayout};
use annals_tui::picture::{Picture, PictureFrame, PictureNumber, PicturePixels, PictureProtocol};
use annals_ui::terminal::ColorMode;
use annals_ui::view::{Conversation, ImageRef, message_images};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::configuration::ConfigKey;
use crate::context::Context;

/// Pictures of one message that are shown.
const MAX_OF_MESSAGE: usize = 4;
/// Pictures of a resumed session that are shown.
const MAX_RESUMED: usize = 4;

/// Makes pictures for the terminal, if it shows them.
#[derive(Debug)]
pub(super) struct PicturePainter {
    protocol: Option<PictureProtocol>,
    layout: ScreenLayout,
    /// Pictures that have a number.
    count: Cell<u8>,
}

impl PicturePainter {
    pub(super) fn new(context: &Context, layout: ScreenLayout) -> Self {
        let variable = |name: &str| {
            let found = context.variables.iter().find(|(known, _)| known == name);
            found.and_then(|(_, value)| value.to_str()).filter(|value| !value.is_empty())
        };
        let protocol = match context.config.text(ConfigKey::Pictures) {
            Some("kitty") => Some(PictureProtocol::Kitty),
            Some("iterm") => Some(PictureProtocol::Iterm),
            Some("sixel") => Some(PictureProtocol::Sixel),
            Some("none") => None,
            _ => protocol_of(variable),
        };
        let protocol = protocol.filter(|_| context.out.color != ColorMode::Plain);
        Self { protocol, layout, count: Cell::new(0) }
    }

    /// Returns an image, in Base64, as the terminal shows it.
    fn paint(&self, base64: &str) -> Option<Picture> {
        let mut frame = PictureFrame::new(self.protocol?, ChatTerminal::cell_size(), ChatTerminal::size())?;
        if self.layout == ScreenLayout::Full {
            let number = PictureNumber::new(std::process::id(), self.count.get())?;
            self.count.set(self.count.get() + 1);
            // Its rows move: placeholders move with them, and other pictures are drawn again.
            frame = frame.by_placeholders(number).or_else(|| frame.over_cells(number))?;
        }
        let (width, height) = frame.max_pixels();
        let Thumbnail { width, height, rgb, png } = thumbnail(&STANDARD.decode(base64).ok()?, width, height)?;
        frame.picture(&PicturePixels { width, height, rgb: &rgb, png: &png })
    }

    /// Returns the images of a message, in Base64, as the terminal shows them.
    pub(super) fn paint_all<'i>(&self, images: impl IntoIterator<Item = &'i str>) -> Vec<Picture> {
        if self.protocol.is_none() {
            return Vec::new();
        }
        images.into_iter().take(MAX_OF_MESSAGE).filter_map(|image| self.paint(image)).collect()
    }

    /// Returns the images of a message that was written, as the terminal shows them.
    pub(super) fn paint_message(&self, message: &[u8]) -> Vec<Picture> {
        // Most terminals show none, and a message can be long.
        match self.protocol {
            Some(_) => self.paint_all(message_images(message).iter().map(String::as_str)),
            None => Vec::new(),
        }
    }

    /// Returns the last images of a stored conversation, whose data is asked for.
    pub(super) fn paint_stored(
        &self,
        conversation: &Conversation,
        data: &dyn Fn(ImageRef) -> Option<String>,
    ) -> HashMap<ImageRef, Picture> {
        if self.protocol.is_none() {
            return HashMap::new();
        }
        let images = conversation.items.iter().rev().flat_map(|item| item.images().into_iter().rev());
        let painted = images.take(MAX_RESUMED).filter_map(|image| Some((image, self.paint(&data(image)?)?)));
        painted.collect()
    }
}

/// The protocol of the terminal that has these variables.
fn protocol_of<'v>(variable: impl Fn(&str) -> Option<&'v str>) -> Option<PictureProtocol> {
    let (term, program) =
        (variable("TERM").unwrap_or_default(), variable("TERM_PROGRAM").unwrap_or_default());
    let is_inside_another = variable("TMUX").is_some()
        || variable("STY").is_some()
        || term.starts_with("tmux")
        || term.starts_with("screen");
    if is_inside_another {
        return None;
    }
    match (term, program) {
        ("xterm-kitty" | "xterm-ghostty", _) | (_, "ghostty") => Some(PictureProtocol::Kitty),
        (_, "iTerm.app" | "WezTerm" | "mintty") => Some(PictureProtocol::Iterm),
        ("mlterm" | "contour", _) => Some(PictureProtocol::Sixel),
        _ if term == "foot" || term.starts_with("foot-") => Some(PictureProtocol::Sixel),
        _ if variable("KITTY_WINDOW_ID").is_some() => Some(PictureProtocol::Kitty),
        // A shell elsewhere is given this one, too.
        _ if variable("LC_TERMINAL") == Some("iTerm2") => Some(PictureProtocol::Iterm),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_are_known_by_their_variables() {
        let of = |variables: &[(&str, &'static str)]| {
            protocol_of(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| *value))
        };
        use PictureProtocol::{Iterm, Kitty, Sixel};
        for (variables, expected) in [
            (&[("TERM", "xterm-kitty")][..], Some(Kitty)),
            (&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "ghostty")], Some(Kitty)),
            (&[("TERM", "xterm-256color"), ("KITTY_WINDOW_ID", "1")], Some(Kitty)),
            (&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "iTerm.app")], Some(Iterm)),
            (&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "WezTerm")], Some(Iterm)),
            (&[("TERM", "xterm-256color"), ("LC_TERMINAL", "iTerm2")], Some(Iterm)),
            (&[("TERM", "foot")], Some(Sixel)),
            (&[("TERM", "foot-extra")], Some(Sixel)),
            (&[("TERM", "mlterm")], Some(Sixel)),
            (&[("TERM", "football")], None),
            (&[("TERM", "xterm-256color")], None),
            (&[("TERM", "xterm-kitty"), ("TMUX", "/tmp/tmux,1,0")], None),
            (&[("TERM", "screen-256color"), ("KITTY_WINDOW_ID", "1")], None),
            (&[("TERM", "tmux-256color"), ("TERM_PROGRAM", "iTerm.app")], None),
            (&[], None),
        ] {
            assert_eq!(of(variables), expected, "{variables:?}");
        }
    }
}
