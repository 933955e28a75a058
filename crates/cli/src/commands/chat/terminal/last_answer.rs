//! The last answer of a session, read from the end of its file: a list of sessions shows how each ended.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use annals_store::read::open_file;
use annals_transcript::content::Block;
use annals_transcript::record::Record;
use annals_transcript::transcript::Transcript;

/// How much of the end of a file is read.
const MAX_READ: u64 = 32 * 1024;

/// Reads the last answer with text; `None` if there is none at the end of the file.
pub(super) fn read_last_answer(path: &Path) -> Option<String> {
    let mut file = open_file(path).ok()?;
    let start = file.metadata().ok()?.len().saturating_sub(MAX_READ);
    file.seek(SeekFrom::Start(start)).ok()?;
    let mut bytes = Vec::new();
    file.take(MAX_READ).read_to_end(&mut bytes).ok()?;
    last_answer(&bytes)
}

/// The first line may have lost its beginning, and then is no record.
fn last_answer(bytes: &[u8]) -> Option<String> {
    let transcript = Transcript::parse(bytes);
    let answers = transcript.records().filter_map(|(_, record)| match record {
        Record::Assistant(answer) if !answer.fields().is_true("isSidechain") => {
            let texts = answer.content().blocks().filter_map(|block| match block {
                Block::Text(text) => text.text().map(|text| text.decode().into_owned()),
                _ => None,
            });
            let text = texts.collect::<Vec<_>>().join("\n");
            (!text.trim().is_empty()).then_some(text)
        }
        _ => None,
    });
    answers.last()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &str, is_sidechain: bool) -> String {
        format!(
            "{{\"type\":\"assistant\",\"isSidechain\":{is_sidechain},\"message\":{{\"content\":[{{\"type\":\"text\",\"text\":\"{text}\"}}]}}}}\n"
        )
    }

    const CALL: &str = "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"name\":\"Bash\",\"input\":{}}]}}\n";

    #[test]
    fn the_last_answer_with_text_counts() {
        let lines = answer("first", false) + &answer("last", false) + &answer("of a sub-agent", true) + CALL;
        assert_eq!(last_answer(lines.as_bytes()).as_deref(), Some("last"));
        // The file is read from somewhere in a line.
        assert_eq!(last_answer(&lines.as_bytes()[9..]).as_deref(), Some("last"));
        assert_eq!(last_answer(CALL.as_bytes()), None);
        assert_eq!(last_answer(b"\xff{\n"), None);
    }
}
