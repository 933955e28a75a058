//! Which MCP servers the session has told the model about.

use annals_json::Value;
use annals_store::session::AppendError;
use annals_transcript::transcript::Transcript;

use super::{Conversation, SessionState};

impl Conversation<'_> {
    /// Returns the servers whose instructions the model knows since the last compaction.
    pub(crate) fn instructed_servers(&self) -> Result<Vec<String>, AppendError> {
        match &self.state {
            SessionState::Open(backend) => Ok(instructed(&backend.tail()?)),
            SessionState::NotYet(..) => Ok(Vec::new()),
        }
    }
}

fn instructed(bytes: &[u8]) -> Vec<String> {
    let transcript = Transcript::parse(bytes);
    let mut known: Vec<String> = Vec::new();
    for (at, _) in transcript.indexed_nodes() {
        let fields = transcript.fields(at);
        if fields.text("subtype").is_some_and(|subtype| subtype.is("compact_boundary")) {
            known.clear();
        }
        let attachment = fields.object("attachment");
        let is_told = |kind: annals_json::Text<'_>| kind.is("mcp_instructions_delta");
        let Some(delta) = attachment.filter(|delta| delta.text("type").is_some_and(is_told)) else {
            continue;
        };
        let names = |key: &str| {
            let names = delta.get(key).into_iter().flat_map(Value::items).filter_map(Value::text);
            names.map(|name| name.to_string()).collect::<Vec<_>>()
        };
        let removed = names("removedNames");
        known.retain(|name| !removed.contains(name));
        known.extend(names("addedNames"));
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_told_is_known_until_it_is_compacted() {
        let delta = |uuid: &str, added: &str, removed: &str| {
            format!(
                r#"{{"type":"attachment","uuid":"{uuid}","parentUuid":null,"attachment":{{"type":"mcp_instructions_delta","addedNames":[{added}],"addedBlocks":[],"removedNames":[{removed}]}}}}"#
            ) + "\n"
        };
        let told = delta("a", r#""x","y""#, "") + &delta("b", r#""z""#, r#""x""#);
        assert_eq!(instructed(told.as_bytes()), ["y", "z"]);
        let boundary = r#"{"type":"system","subtype":"compact_boundary","uuid":"c","parentUuid":null}"#;
        assert_eq!(instructed(format!("{told}{boundary}\n").as_bytes()), [""; 0]);
    }
}
