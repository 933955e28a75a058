//! Usage that only progress records hold: of sub-agents whose own files are gone.

use std::collections::BTreeSet;

use annals_json::Fields;
use annals_transcript::record::{ProgressKind, Record, RecordKind};
use annals_transcript::usage::{ResponseUsage, UsageCollector};

use super::FileUsage;
use super::file::read_with_records;
use crate::read::ReadError;
use crate::scan::SessionEntry;

/// Reads what a session used, and the responses that its progress records repeat, of sub-agents for which `is_missing` holds.
/// Reports leave these out, because such a record may be older than the end of its response: its output is a lower bound.
pub fn read_usage_and_progress(
    session: &SessionEntry,
    is_missing: impl Fn(&str) -> bool,
) -> Result<(FileUsage, Vec<ResponseUsage>), ReadError> {
    let mut progress = UsageCollector::new();
    let usage = read_with_records(session, |position, fields| {
        if RecordKind::of(fields.text("type")) == RecordKind::Progress {
            feed_progress(&mut progress, position, fields, &is_missing);
        }
    })?;
    Ok((usage, progress.finish()))
}

fn feed_progress(
    collector: &mut UsageCollector,
    position: usize,
    fields: &Fields<'_>,
    is_missing: impl Fn(&str) -> bool,
) {
    let Record::Progress(progress) = Record::new(fields.clone()) else { return };
    let data = progress.data().filter(|_| progress.progress_kind() == ProgressKind::Agent);
    let Some(data) = data else { return };
    let agent = data.agent().map(|agent| agent.to_string());
    if let (Some(message), true) = (data.message(), agent.is_none_or(|agent| is_missing(&agent))) {
        collector.feed(position, &message);
    }
}

/// The sub-agents that a store has files of.
pub fn agents_with_files(discovery: &crate::scan::Discovery) -> BTreeSet<String> {
    discovery.agents.iter().map(|agent| agent.key.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use annals_testkit::temp::TempDir;

    use super::*;

    #[test]
    fn responses_of_progress_records_are_those_of_missing_sub_agents() {
        let folder = TempDir::new("progress");
        let line = |agent: &str, id: &str, output: u64| {
            format!(
                r#"{{"type":"progress","data":{{"type":"agent_progress","agentId":"{agent}","message":{{"type":"assistant","requestId":"r{id}","timestamp":"2026-01-03T10:00:00.000Z","message":{{"id":"{id}","model":"claude-x","usage":{{"input_tokens":7,"output_tokens":{output}}}}}}}}}}}"#
            ) + "\n"
        };
        let other = r#"{"type":"progress","data":{"type":"bash_progress","output":"agent_progress"}}"#;
        let text = [&line("a1", "m1", 1), &line("a1", "m1", 5), &line("b2", "m2", 1), other, "\n"].concat();
        let entry = SessionEntry::of_path(&folder.write("s.jsonl", text)).unwrap();
        let found = read_usage_and_progress(&entry, |agent| agent == "a1").unwrap().1;
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].tokens().input, found[0].tokens().output), (7, 5));
        assert_eq!(read_usage_and_progress(&entry, |_| true).unwrap().1.len(), 2);
        assert_eq!(read_usage_and_progress(&entry, |_| false).unwrap().1.len(), 0);
    }
}
