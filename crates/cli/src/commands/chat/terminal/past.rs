//! What was said in a session before it was resumed, for an interface that shows it. Of a very large session, the end.

use annals_agent::conversation::Conversation as AgentConversation;
use annals_json::Fields;
use annals_transcript::record::Record;
use annals_transcript::transcript::Transcript;
use annals_ui::terminal::Style;
use annals_ui::view::{Conversation, ImageRef, ViewOptions, image_data};

use super::chat_ui::ChatUi;
use super::terminal_ui::ERROR;
use crate::words;

/// How much of a session is read to be shown.
const MAX_BYTES: usize = 16 << 20;

/// Shows a conversation, unless the interface does not.
pub(super) fn show<U: ChatUi>(conversation: &AgentConversation<'_>, ui: &mut U) {
    if !U::SHOWS_CONVERSATION {
        return;
    }
    let bytes = match conversation.bytes() {
        Ok(bytes) => bytes,
        Err(error) => return ui.note(ERROR, &error.to_string()),
    };
    let end = end_of(&bytes);
    if end.len() < bytes.len() {
        let skipped = words::bytes((bytes.len() - end.len()) as u64);
        let session = conversation.session();
        ui.note(Style::DIM, &format!("the first {skipped} are not shown here: annals show {session}"));
    }
    let transcript = Transcript::parse(end);
    let data = |image: ImageRef| {
        let line = end.split(|byte| *byte == b'\n').nth(image.line.checked_sub(1)?)?;
        let (fields, _) = Fields::scan(line).ok()?;
        image_data(&Record::new(fields), image.number).map(|data| data.to_string())
    };
    ui.show_conversation(Conversation::build(&transcript, &[], ViewOptions::default()), &data);
}

/// Returns the last lines of a session.
fn end_of(bytes: &[u8]) -> &[u8] {
    let start = bytes.len().saturating_sub(MAX_BYTES + 1);
    if start == 0 {
        return bytes;
    }
    let line = bytes[start..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| start + at + 1);
    &bytes[line..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_lines_of_the_end_are_read() {
        assert_eq!(end_of(b"a\nb\n"), b"a\nb\n");
        let mut long = vec![b'x'; 10];
        long.push(b'\n');
        long.extend(vec![b'y'; MAX_BYTES - 1]);
        long.push(b'\n');
        assert_eq!(end_of(&long).first(), Some(&b'y'));
        assert_eq!(end_of(&long).len(), MAX_BYTES);
    }
}
