//! Builds a small session line by line, each the child of the one before.

use annals_json::write_string;

/// The lines of a session.
#[derive(Default)]
pub(crate) struct Session {
    lines: Vec<String>,
    parent: Option<String>,
    is_agent: bool,
    responses: usize,
}

/// A text as JSON.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = Vec::new();
    write_string(&mut out, text);
    String::from_utf8_lossy(&out).into_owned()
}

impl Session {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// A sub-agent's own file.
    pub(crate) fn agent() -> Self {
        Self { is_agent: true, ..Self::default() }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        (self.lines.join("\n") + "\n").into_bytes()
    }

    /// Any line, as it is.
    pub(crate) fn raw(mut self, line: &str) -> Self {
        self.lines.push(line.to_owned());
        self
    }

    /// The next line hangs on this one.
    pub(crate) fn after(mut self, uuid: &str) -> Self {
        self.parent = Some(uuid.to_owned());
        self
    }

    /// A line of the chain: its type and further fields. Its uuid is `u` and its number.
    pub(crate) fn line(mut self, kind: &str, fields: &str) -> Self {
        let number = self.lines.len() + 1;
        let parent = self.parent.take().map_or("null".to_owned(), |parent| format!("\"{parent}\""));
        let seconds = number * 5;
        let time = format!("2026-01-03T15:{:02}:{:02}.000Z", seconds / 60, seconds % 60);
        self.lines.push(format!(
            r#"{{"type":"{kind}","uuid":"u{number}","parentUuid":{parent},"isSidechain":{},"cwd":"/w","timestamp":"{time}",{fields}}}"#,
            self.is_agent
        ));
        self.parent = Some(format!("u{number}"));
        self
    }

    pub(crate) fn prompt(self, text: &str) -> Self {
        let fields = format!(r#""message":{{"role":"user","content":{}}}"#, quoted(text));
        self.line("user", &fields)
    }

    /// A response of one block.
    pub(crate) fn block(mut self, block: &str) -> Self {
        self.responses += 1;
        let id = self.responses;
        let fields = format!(
            r#""message":{{"id":"m{id}","model":"claude-opus-4-5-20251101","content":[{block}],"usage":{{"output_tokens":7}}}}"#
        );
        self.line("assistant", &fields)
    }

    pub(crate) fn say(self, text: &str) -> Self {
        self.block(&format!(r#"{{"type":"text","text":{}}}"#, quoted(text)))
    }

    pub(crate) fn call(self, id: &str, name: &str, input: &str) -> Self {
        self.block(&format!(r#"{{"type":"tool_use","id":"{id}","name":"{name}","input":{input}}}"#))
    }

    /// A result: what the model saw, and what the client kept.
    pub(crate) fn result(self, id: &str, seen: &str, kept: &str) -> Self {
        self.result_of(id, &quoted(seen), kept)
    }

    /// The same, with what the model saw as JSON.
    pub(crate) fn result_of(self, id: &str, seen: &str, kept: &str) -> Self {
        let block = format!(r#"{{"type":"tool_result","tool_use_id":"{id}","content":{seen}}}"#);
        self.line(
            "user",
            &format!(r#""toolUseResult":{kept},"message":{{"role":"user","content":[{block}]}}"#),
        )
    }

    pub(crate) fn failure(self, id: &str, seen: &str) -> Self {
        let block = format!(
            r#"{{"type":"tool_result","tool_use_id":"{id}","is_error":true,"content":{}}}"#,
            quoted(seen)
        );
        self.line(
            "user",
            &format!(r#""toolUseResult":"Error","message":{{"role":"user","content":[{block}]}}"#),
        )
    }
}
