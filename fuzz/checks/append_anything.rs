//! Any bytes, as the lines that a program feeds to a session: each becomes lines of compact JSON, or is refused.

use std::collections::HashSet;

use annals_json::{Fields, RawJson, Value};
use annals_transcript::draft::{Continuation, Draft, Origin, Placing, PlainDefaults, Thread, drafts_of};
use annals_transcript::line::lines;
use annals_transcript::message::Message;
use annals_transcript::record::{Record, RecordKind};
use annals_transcript::resume::{Client, resume};
use annals_transcript::transcript::Transcript;

/// Panics if the bytes break a promise.
pub(crate) fn check(bytes: &[u8]) {
    let mut session = Session::new();
    for line in lines(bytes) {
        for draft in drafts(line.body()) {
            session.append(&draft);
        }
    }
    session.is_readable();
}

/// What a line asks for: a record, a plain message, or both readings of what could be either.
fn drafts(line: &[u8]) -> Vec<Draft> {
    let mut drafts: Vec<_> = Draft::given(line).into_iter().collect();
    let Ok(value) = Value::parse(line) else {
        assert!(drafts.is_empty());
        return drafts;
    };
    let defaults = PlainDefaults { message: "m".into(), request: "r".into(), model: "c".into() };
    let message = value.fields().and_then(|fields| Message::parse(&fields).ok());
    drafts.extend(message.and_then(|message| drafts_of(&message, &defaults).ok()).into_iter().flatten());
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
        let state = Continuation::new(Thread::Main);
        Self { bytes: Vec::new(), state, origin, ids: HashSet::new(), progress: HashSet::new(), count: 0 }
    }

    fn append(&mut self, draft: &Draft) {
        self.count += 1;
        let fresh = Placing { uuid: format!("fresh {}", self.count), now: 1_767_225_600_000 };
        let Ok(stamp) = self.state.place(draft, fresh) else { return };
        let line = draft.line(&self.origin, &stamp);
        let shown = String::from_utf8_lossy(&line).into_owned();
        assert!(std::str::from_utf8(&line).is_ok(), "not UTF-8: {shown}");
        let parsed = RawJson::parse(&line).unwrap_or_else(|fault| panic!("{fault:?}: {shown}"));
        assert_eq!(parsed.raw(), line, "not compact: {shown}");
        let (fields, _) = Fields::scan(&line).unwrap_or_else(|fault| panic!("{fault:?}: {shown}"));
        let record = Record::new(fields);
        assert_eq!(record.kind(), draft.kind(), "{shown}");
        if record.kind().is_chain() {
            self.has_its_place(&record, &shown);
        }
        self.state.absorb(&record);
        self.bytes.extend_from_slice(&line);
        self.bytes.push(b'\n');
    }

    fn has_its_place(&mut self, record: &Record<'_>, shown: &str) {
        let envelope = record.envelope();
        let uuid = envelope.uuid().unwrap_or_else(|| panic!("no id: {shown}")).to_string();
        if let Some(parent) = envelope.parent().map(|id| id.to_string()) {
            assert!(self.ids.contains(&parent), "an unknown parent: {shown}");
            assert!(!self.progress.contains(&parent), "a child of progress: {shown}");
        }
        assert!(envelope.timestamp().and_then(|time| time.millis()).is_some(), "no time: {shown}");
        assert!(envelope.session().is_some_and(|id| id.is("s")), "another session: {shown}");
        if record.kind() == RecordKind::Progress {
            self.progress.insert(uuid.clone());
        }
        assert!(self.ids.insert(uuid), "a second line with its id: {shown}");
    }

    /// The file is read as it was written, and every client comes to an end with it.
    fn is_readable(&self) {
        let transcript = Transcript::parse(&self.bytes);
        assert_eq!(transcript.nodes().len(), lines(&self.bytes).count());
        Continuation::of(&transcript, Thread::Main);
        for &client in Client::ALL {
            resume(&transcript, client);
        }
    }
}
