//! Checks that any bytes, appended to a session line by line, become compact JSON records or are refused.

use std::collections::HashSet;

use annals_json::{Fields, RawJson, Value};
use annals_transcript::draft::{
    Continuation, Draft, Origin, PlacementDefaults, ResponseDefaults, ThreadKind, drafts_from_message,
};
use annals_transcript::line::lines;
use annals_transcript::message::Message;
use annals_transcript::record::{Record, RecordKind};
use annals_transcript::resume::{Client, resume};
use annals_transcript::transcript::Transcript;

/// Panics if a check fails.
pub(crate) fn check(bytes: &[u8]) {
    let mut session = Session::new();
    for line in lines(bytes) {
        for draft in drafts(line.body()) {
            session.append(&draft);
        }
    }
    session.check_readable();
}

/// The drafts of a line, as a record and as a plain message.
fn drafts(line: &[u8]) -> Vec<Draft> {
    let mut drafts: Vec<_> = Draft::from_json(line).into_iter().collect();
    let Ok(value) = Value::parse(line) else {
        assert!(drafts.is_empty());
        return drafts;
    };
    let defaults = ResponseDefaults { message: "m".into(), request: "r".into(), model: "c".into() };
    let message = value.fields().and_then(|fields| Message::parse(&fields).ok());
    drafts.extend(
        message.and_then(|message| drafts_from_message(&message, &defaults).ok()).into_iter().flatten(),
    );
    drafts
}

struct Session {
    bytes: Vec<u8>,
    state: Continuation,
    origin: Origin,
    ids: HashSet<String>,
    progress: HashSet<String>,
    count: usize,
}

impl Session {
    fn new() -> Self {
        let origin = Origin {
            session: "s".into(),
            agent: None,
            cwd: "/w".into(),
            version: "2.1.112".into(),
            git_branch: "main".into(),
            entrypoint: Some("cli".into()),
            slug: None,
        };
        let state = Continuation::new(ThreadKind::Main);
        Self { bytes: Vec::new(), state, origin, ids: HashSet::new(), progress: HashSet::new(), count: 0 }
    }

    fn append(&mut self, draft: &Draft) {
        self.count += 1;
        let defaults = PlacementDefaults { uuid: format!("fresh {}", self.count), now: 1_767_225_600_000 };
        let Ok(placement) = self.state.place(draft, defaults) else { return };
        let line = draft.line(&self.origin, &placement);
        let text = String::from_utf8_lossy(&line).into_owned();
        assert!(std::str::from_utf8(&line).is_ok(), "not UTF-8: {text}");
        let parsed = RawJson::parse(&line).unwrap_or_else(|error| panic!("{error:?}: {text}"));
        assert_eq!(parsed.raw(), line, "not compact: {text}");
        let (fields, _) = Fields::scan(&line).unwrap_or_else(|error| panic!("{error:?}: {text}"));
        let record = Record::new(fields);
        assert_eq!(record.kind(), draft.kind(), "{text}");
        if record.kind().is_chain() {
            self.check_placement(&record, &text);
        }
        self.state.absorb(&record);
        self.bytes.extend_from_slice(&line);
        self.bytes.push(b'\n');
    }

    fn check_placement(&mut self, record: &Record<'_>, text: &str) {
        let envelope = record.envelope();
        let uuid = envelope.uuid().unwrap_or_else(|| panic!("no id: {text}")).to_string();
        if let Some(parent) = envelope.parent().map(|id| id.to_string()) {
            assert!(self.ids.contains(&parent), "an unknown parent: {text}");
            assert!(!self.progress.contains(&parent), "a child of progress: {text}");
        }
        assert!(envelope.timestamp().and_then(|time| time.millis()).is_some(), "no time: {text}");
        assert!(envelope.session().is_some_and(|id| id.is("s")), "another session: {text}");
        if record.kind() == RecordKind::Progress {
            self.progress.insert(uuid.clone());
        }
        assert!(self.ids.insert(uuid), "a second line with its id: {text}");
    }

    /// The file is read as it was written, and every client terminates on it.
    fn check_readable(&self) {
        let transcript = Transcript::parse(&self.bytes);
        assert_eq!(transcript.nodes().len(), lines(&self.bytes).count());
        Continuation::of(&transcript, ThreadKind::Main);
        for &client in Client::ALL {
            resume(&transcript, client);
        }
    }
}
