//! Replies that consist of thinking only, which clients drop or the API refuses: adds a text after the thinking.

use annals_json::edit::{EditError, Editor, PathStep as Path};
use annals_transcript::content::Block;
use annals_transcript::record::Record;
use annals_transcript::response::responses;
use annals_transcript::transcript::NodeIndex;

use super::fix::{LineStep, RepairFindings, RepairView};

/// The block that is added.
const TEXT: &[u8] = br#"{"type":"text","text":"[the reply breaks off here]"}"#;

pub(super) fn find(view: &RepairView<'_, '_>) -> RepairFindings {
    let mut found = RepairFindings::default();
    let is_thought = |block: &Block<'_>| matches!(block, Block::Thinking(_) | Block::RedactedThinking(_));
    for response in responses(view.transcript) {
        let mut blocks = response.blocks(view.transcript).map(|(_, block)| block).peekable();
        if blocks.peek().is_none() || !blocks.all(|block| is_thought(&block)) {
            continue;
        }
        let Some(&last) = response.nodes.last().filter(|&&last| view.is_main(last)) else { continue };
        let line = view.line(last);
        let steps = with_words(view, last).map(|bytes| vec![LineStep::Change { line, bytes }]);
        found.add(view.uuid(last), line, "thinking-only: a note says that the reply broke off", steps);
    }
    found
}

fn with_words(view: &RepairView<'_, '_>, index: NodeIndex) -> Result<Vec<u8>, EditError> {
    let Record::Assistant(assistant) = view.transcript.record(index) else {
        return Err(EditError::PathNotFound);
    };
    let blocks: Vec<_> = assistant.content().blocks().collect();
    let mut content = b"[".to_vec();
    for block in &blocks {
        content.extend_from_slice(block.raw());
        content.push(b',');
    }
    content.extend_from_slice(TEXT);
    content.push(b']');
    let mut editor = Editor::new(view.raw(index))?;
    editor.replace(&[Path::Key("message"), Path::Key("content")], &content)?;
    editor.finish()
}
