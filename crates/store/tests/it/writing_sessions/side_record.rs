//! Durability of records, and the size limit of progress.

use annals_store::durable::{Durability, MAX_PROGRESS_BYTES, durability};
use annals_store::session::AppendError;
use annals_transcript::draft::Draft;
use annals_transcript::record::RecordKind;

use super::{Place, prompt};

#[test]
fn the_conversation_is_synced_and_news_of_a_moment_are_not() {
    for &kind in RecordKind::NAMED {
        let expected = matches!(
            kind,
            RecordKind::Progress
                | RecordKind::LastPrompt
                | RecordKind::Mode
                | RecordKind::PermissionMode
                | RecordKind::CostState
                | RecordKind::ToolsUsed
                | RecordKind::AtisLatch
        );
        let progress = Some(annals_transcript::record::ProgressKind::Bash);
        assert_eq!(durability(kind, progress) == Durability::Written, expected, "{}", kind.name());
    }
    assert_eq!(durability(RecordKind::Unknown, None), Durability::Synced);
}

#[test]
fn progress_is_small() {
    let place = Place::new();
    let mut writer = place.create();
    writer.append(&prompt("x")).unwrap();
    let data = format!(r#"{{"type":"bash_progress","output":"{}"}}"#, "y".repeat(MAX_PROGRESS_BYTES));
    let length = writer.length();
    assert!(matches!(
        writer.append(&Draft::progress(data.as_bytes(), "a", "b")),
        Err(AppendError::ProgressTooLarge { .. })
    ));
    assert_eq!(writer.length(), length);
    let small = Draft::progress(br#"{"type":"bash_progress","output":"y"}"#, "a", "b");
    assert_eq!(writer.append(&small).unwrap().durability, Durability::Written);
}
