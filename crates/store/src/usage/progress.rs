//! Usage that only progress records hold: of sub-agents whose own files are gone.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use annals_transcript::objects::find_objects;
use annals_transcript::record::{ProgressKind, Record};
use annals_transcript::usage::UsageCollector;
use memchr::memmem::Finder;

use super::FileUsage;
use crate::read::{ReadError, stream_lines};
use crate::scan::SessionEntry;

/// What every such line holds.
const MARK: &[u8] = b"agent_progress";

/// Reads the responses that progress records of a session repeat, of sub-agents for which `is_missing` holds. Reports leave
/// them out, because such a record may be older than the end of its response: its output is a lower bound.
pub fn read_progress(
    session: &SessionEntry,
    is_missing: impl Fn(&str) -> bool,
) -> Result<FileUsage, ReadError> {
    let finder = Finder::new(MARK);
    let mut collector = UsageCollector::new();
    stream_lines(&session.path, |line| {
        if finder.find(line.body()).is_some() {
            find_objects(&line, |fields, _| {
                let Record::Progress(progress) = Record::new(fields) else { return };
                let data = progress.data().filter(|_| progress.progress_kind() == ProgressKind::Agent);
                let Some(data) = data else { return };
                let agent = data.agent().map(|agent| agent.to_string());
                if let (Some(message), true) = (data.message(), agent.is_none_or(|agent| is_missing(&agent)))
                {
                    collector.feed(line.offset, &message);
                }
            });
        }
        ControlFlow::<()>::Continue(())
    })?;
    Ok(FileUsage { responses: collector.finish(), project: None })
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
        let found = read_progress(&entry, |agent| agent == "a1").unwrap().responses;
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].tokens().input, found[0].tokens().output), (7, 5));
        assert_eq!(read_progress(&entry, |_| true).unwrap().responses.len(), 2);
        assert_eq!(read_progress(&entry, |_| false).unwrap().responses.len(), 0);
    }
}
