//! Invariants of the session and the sent requests after every scenario.

use std::collections::{HashMap, HashSet};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use annals_json::Value;
use annals_testkit::api::RecordedRequest;
use annals_transcript::content::{Block, Content};
use annals_transcript::record::Record;
use annals_transcript::resume::{Client, resume};
use annals_transcript::transcript::Transcript;

use super::{KEY, Stage};

/// No file is longer than a multiple of what was sent and served, and a bit.
const MAX_TIMES: usize = 12;

impl Stage {
    /// All of it, for every session of the store.
    pub(super) fn holds(&self) {
        for file in self.files().into_iter().chain(self.agent_files()) {
            let bytes = std::fs::read(&file).unwrap();
            lines_are_whole(&bytes);
            calls_have_one_result(&bytes);
            let said: usize = self.api.requests().iter().map(|request| request.body.len()).sum();
            assert!(bytes.len() < MAX_TIMES * (said + 4096), "{} bytes for {said}", bytes.len());
        }
        for request in self.api.requests() {
            assert_eq!(request.violations, [], "{}", String::from_utf8_lossy(&request.body));
        }
        only_ours(self.home.path());
    }

    /// The requests so far, as the messages that each had, without cache marks.
    pub(super) fn sent(&self) -> Vec<Vec<String>> {
        self.api.requests().iter().map(messages).collect()
    }

    /// The bodies of all requests.
    pub(super) fn bodies(&self) -> Vec<String> {
        let bodies = self
            .api
            .requests()
            .into_iter()
            .map(|request| String::from_utf8_lossy(&request.body).into_owned());
        bodies.collect()
    }

    /// Each request begins with the messages of the one before, and the file says the same again.
    pub(super) fn only_grew(&self) {
        let sent = self.sent();
        for pair in sent.windows(2) {
            assert!(pair[1].starts_with(&pair[0]), "{:#?}\n---- is no beginning of\n{:#?}", pair[0], pair[1]);
        }
        let file = resumed(&std::fs::read(self.file()).unwrap());
        let last = sent.last().unwrap();
        assert!(file.starts_with(last), "{last:#?}\n---- was sent, and the file says\n{file:#?}");
    }
}

/// The messages that the newest client would send.
pub(super) fn resumed(bytes: &[u8]) -> Vec<String> {
    let transcript = Transcript::parse(bytes);
    let resumed = resume(&transcript, Client::NEWEST);
    let json = |message: &annals_transcript::resume::ApiMessage<'_>| {
        let mut json = Vec::new();
        message.write_json(&mut json);
        String::from_utf8(json).unwrap()
    };
    resumed.messages().iter().map(json).collect()
}

fn messages(request: &RecordedRequest) -> Vec<String> {
    let body = Value::parse(&request.body).unwrap();
    let text = |message: Value<'_>| String::from_utf8(message.raw().to_vec()).unwrap();
    let plain = |text: String| text.replace(r#","cache_control":{"type":"ephemeral"}"#, "");
    body.get("messages").unwrap().items().map(|message| plain(text(message))).collect()
}

/// Every line is JSON and ends; ids are there once; parents stand above; time does not go back.
fn lines_are_whole(bytes: &[u8]) {
    assert!(bytes.is_empty() || bytes.ends_with(b"\n"));
    let mut seen = HashSet::new();
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let value = Value::parse(line).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(line)));
        let text = |key: &str| value.get(key).and_then(Value::text).map(|text| text.to_string());
        if let Some(parent) = text("parentUuid") {
            assert!(seen.contains(&parent), "{parent} is nowhere above");
        }
        if let Some(uuid) = text("uuid") {
            assert!(seen.insert(uuid.clone()), "{uuid} is there twice");
        }
    }
    let transcript = Transcript::parse(bytes);
    assert!(transcript.problems().is_empty(), "{:?}", transcript.problems());
}

fn calls_have_one_result(bytes: &[u8]) {
    let transcript = Transcript::parse(bytes);
    let mut results: HashMap<String, usize> = HashMap::new();
    let mut note = |content: Content<'_>| {
        for block in content.blocks() {
            match block {
                Block::ToolUse(call) => {
                    results.entry(call.id().unwrap().to_string()).or_default();
                }
                Block::ToolResult(result) => {
                    *results.entry(result.tool_use().unwrap().to_string()).or_default() += 1;
                }
                _ => {}
            }
        }
    };
    for (_, record) in transcript.records() {
        match record {
            Record::Assistant(assistant) => note(assistant.content()),
            Record::User(user) => note(user.content()),
            _ => {}
        }
    }
    assert!(results.values().all(|count| *count == 1), "{results:?}");
}

/// Files are the owner's alone, and none holds the key.
fn only_ours(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let (path, metadata) = (entry.path(), entry.metadata().unwrap());
        if metadata.is_dir() {
            only_ours(&path);
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        assert!(memchr(&bytes, KEY.as_bytes()).is_none(), "{} holds the key", path.display());
        if path.extension().is_some_and(|ending| ending == "jsonl") {
            assert_eq!(metadata.permissions().mode() & 0o777, 0o600, "{}", path.display());
        }
    }
}

fn memchr(bytes: &[u8], word: &[u8]) -> Option<usize> {
    bytes.windows(word.len()).position(|window| window == word)
}
