//! Replies of thinking alone, which clients leave out or an API refuses: a word behind the thought says that it broke off.

use annals_json::edit::{EditError, Editor, Step as Path};
use annals_transcript::content::Block;
use annals_transcript::record::Record;
use annals_transcript::response::responses;
use annals_transcript::transcript::NodeIndex;

use super::mend::{Found, Step, View};

/// What stands behind the thought.
const WORDS: &[u8] = br#"{"type":"text","text":"[the reply breaks off here]"}"#;

pub(super) fn find(view: &View<'_, '_>) -> Found {
    let mut found = Found::default();
    let is_thought = |block: &Block<'_>| matches!(block, Block::Thinking(_) | Block::RedactedThinking(_));
    for response in responses(view.transcript) {
        let mut blocks = response.blocks(view.transcript).map(|(_, block)| block).peekable();
        if blocks.peek().is_none() || !blocks.all(|block| is_thought(&block)) {
            continue;
        }
        let Some(&last) = response.nodes.last().filter(|&&last| view.is_main(last)) else { continue };
        let line = view.line(last);
        let steps = with_words(view, last).map(|bytes| vec![Step::Change { line, bytes }]);
        found.add(view.uuid(last), line, "thinking-only: a word says that the reply broke off", steps);
    }
    found
}

fn with_words(view: &View<'_, '_>, index: NodeIndex) -> Result<Vec<u8>, EditError> {
    let Record::Assistant(assistant) = view.transcript.record(index) else {
        return Err(EditError::NoSuchPlace);
    };
    let blocks: Vec<_> = assistant.content().blocks().collect();
    let mut content = b"[".to_vec();
    for block in &blocks {
        content.extend_from_slice(block.raw());
        content.push(b',');
    }
    content.extend_from_slice(WORDS);
    content.push(b']');
    let mut editor = Editor::new(view.raw(index))?;
    editor.replace(&[Path::Key("message"), Path::Key("content")], &content)?;
    editor.finish()
}
