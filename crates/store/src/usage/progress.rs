//! Usage that only progress records and results hold: of sub-agents whose own files are gone.

use std::collections::{BTreeMap, BTreeSet};

use annals_json::{Fields, ObjectWriter};
use annals_transcript::record::{ProgressKind, Record, RecordKind};
use annals_transcript::tool_result::AgentResult;
use annals_transcript::usage::{ResponseUsage, UsageCollector};

use super::FileUsage;
use super::file::read_with_records;
use crate::read::ReadError;
use crate::scan::SessionEntry;

/// Reads what a session used, and what it says besides of sub-agents for which `is_missing` holds: the responses that progress
/// records repeat and, for those without any, the last response, which the result of the call names. Reports leave these out,
/// because such a record may be older than the end of its response, and a result names one response of many: a lower bound.
pub fn read_usage_and_progress(
    session: &SessionEntry,
    is_missing: impl Fn(&str) -> bool,
) -> Result<(FileUsage, Vec<ResponseUsage>), ReadError> {
    let mut progress = MissingAgents::default();
    let usage = read_with_records(session, |position, fields| match RecordKind::of(fields.text("type")) {
        RecordKind::Progress => progress.feed_progress(position, fields, &is_missing),
        RecordKind::User => progress.feed_result(position, fields, &is_missing),
        _ => {}
    })?;
    Ok((usage, progress.finish()))
}

/// What a session says of sub-agents without files.
#[derive(Default)]
struct MissingAgents {
    collector: UsageCollector,
    /// Sub-agents with progress records.
    at_work: BTreeSet<String>,
    /// The last response of others, as a record, with the position of the result.
    results: BTreeMap<String, (usize, Vec<u8>)>,
}

impl MissingAgents {
    fn feed_progress(&mut self, position: usize, fields: &Fields<'_>, is_missing: impl Fn(&str) -> bool) {
        let Record::Progress(progress) = Record::new(fields.clone()) else { return };
        let data = progress.data().filter(|_| progress.progress_kind() == ProgressKind::Agent);
        let Some(data) = data else { return };
        let agent = data.agent().map(|agent| agent.to_string());
        let is_wanted = agent.as_deref().is_none_or(&is_missing);
        let Some(message) = data.message().filter(|_| is_wanted) else { return };
        self.collector.feed(position, &message);
        self.at_work.extend(agent);
    }

    /// Notes the last response of a sub-agent that the result of its call names.
    fn feed_result(&mut self, position: usize, fields: &Fields<'_>, is_missing: impl Fn(&str) -> bool) {
        let Some(result) = fields.object("toolUseResult").map(AgentResult::new) else { return };
        let Some(agent) = result.agent().map(|agent| agent.to_string()).filter(|agent| is_missing(agent))
        else {
            return;
        };
        let Some(usage) = result.usage() else { return };
        let time = fields.text("timestamp").map(|time| time.to_string());
        let model = result.resolved_model().map(|model| model.to_string());
        let mut bytes = Vec::new();
        let mut record = ObjectWriter::begin(&mut bytes);
        // Copies of the session name the same sub-agent, which counts once.
        record.string("type", "assistant").string("agentId", &agent).string("uuid", &agent);
        record.string_if("timestamp", time.as_deref()).object("message", |message| {
            message.string_if("model", model.as_deref()).raw("usage", usage.fields().raw());
        });
        record.end();
        self.results.insert(agent, (position, bytes));
    }

    fn finish(mut self) -> Vec<ResponseUsage> {
        for (agent, (position, record)) in self.results {
            let fields = Fields::scan(&record).ok().filter(|_| !self.at_work.contains(&agent));
            if let Some((fields, _)) = fields {
                self.collector.feed(position, &fields);
            }
        }
        self.collector.finish()
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

    #[test]
    fn the_result_of_a_call_tells_the_last_response_of_a_sub_agent_without_progress() {
        let folder = TempDir::new("results");
        let line = |agent: &str, input: u64| {
            format!(
                r#"{{"type":"user","uuid":"u{agent}","timestamp":"2026-01-03T10:00:00.000Z","message":{{"role":"user","content":[]}},"toolUseResult":{{"status":"completed","agentId":"{agent}","resolvedModel":"claude-x","totalTokens":9,"usage":{{"input_tokens":{input},"output_tokens":2}}}}}}"#
            ) + "\n"
        };
        let progress = r#"{"type":"progress","data":{"type":"agent_progress","agentId":"b2","message":{"type":"assistant","message":{"id":"m2","usage":{"input_tokens":1}}}}}"#;
        let text = [&line("a1", 7), &line("b2", 50), progress, "\n"].concat();
        let entry = SessionEntry::of_path(&folder.write("s.jsonl", text)).unwrap();
        let found = |is_missing: fn(&str) -> bool| {
            let found = read_usage_and_progress(&entry, is_missing).unwrap().1;
            found.iter().map(|response| response.tokens().input).collect::<Vec<_>>()
        };
        assert_eq!(found(|agent| agent == "a1"), [7]);
        // What progress says of a sub-agent is more than its last response.
        assert_eq!(found(|_| true), [1, 7]);
        assert_eq!(found(|_| false), [0; 0]);
    }
}
