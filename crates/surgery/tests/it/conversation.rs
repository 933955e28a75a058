//! What a client sends of a file, for tests that compare it before and after.

use annals_json::{ObjectWriter, Value};
use annals_surgery::verify::verify;
use annals_surgery::{Plan, Session};
use annals_testkit::api::{Rule, Violation, validate};
use annals_testkit::home::Home;
use annals_transcript::resume::{ApiBlock, BlockBody, BlockOrigin, Client, resume};
use annals_transcript::transcript::Transcript;

/// A session with these lines in a store of its own.
pub(crate) fn session(bytes: &[u8]) -> (Home, Session) {
    let home = Home::new();
    let path = home.write("projects/-home-dev-garden/5e550000-0000-4000-8000-000000000000.jsonl", bytes);
    let session = Session::load(&path).unwrap();
    (home, session)
}

/// The only edited file after the plan, verified.
#[track_caller]
pub(crate) fn result(plan: &Plan) -> Vec<u8> {
    assert_eq!(plan.edits.len(), 1);
    let after = plan.edits[0].result();
    assert_eq!(verify(&plan.edits[0], &after), []);
    after
}

/// One block that is sent: role, record and JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) role: &'static str,
    pub(crate) uuid: Option<String>,
    pub(crate) json: String,
}

impl Sent {
    pub(crate) fn kind(&self) -> String {
        self.value("type")
    }

    /// The text without surrounding white space, which clients change where they join texts.
    pub(crate) fn text(&self) -> String {
        self.value("text").trim().to_owned()
    }

    fn value(&self, key: &str) -> String {
        let value = Value::parse(self.json.as_bytes()).unwrap();
        value.get(key).and_then(Value::text).map(|text| text.to_string()).unwrap_or_default()
    }
}

/// The blocks of the file that a client sends; `None` if it refuses the file. Reminders and fillers, which the client
/// makes, are left out.
pub(crate) fn sent(bytes: &[u8], client: Client) -> Option<Vec<Sent>> {
    let transcript = Transcript::parse(bytes);
    let resumed = resume(&transcript, client);
    let messages = resumed.outcome.ok()?;
    let is_own = |block: &&ApiBlock<'_>| {
        matches!(block.body, BlockBody::Block(_) | BlockBody::Changed(_) | BlockBody::Text(_))
    };
    let mut found = Vec::new();
    for message in &messages {
        for block in message.blocks.iter().filter(is_own) {
            let BlockOrigin::Record(node) = block.origin else { continue };
            let mut json = Vec::new();
            block.write_json(&mut json);
            found.push(Sent {
                role: message.role.name(),
                uuid: transcript.nodes()[node].uuid.map(|uuid| uuid.to_string()),
                json: String::from_utf8_lossy(&json).into_owned(),
            });
        }
    }
    Some(found)
}

/// What the API would refuse of the request with which a client continues from a file. The scripted API cannot check
/// signatures of real thinking, and missing images were cut before.
pub(crate) fn refused(bytes: &[u8], client: Client) -> Vec<Violation> {
    let transcript = Transcript::parse(bytes);
    let resumed = resume(&transcript, client);
    let mut body = Vec::new();
    let mut object = ObjectWriter::begin(&mut body);
    object.string("model", "m").number("max_tokens", 9).array("messages", |list| {
        for message in resumed.messages() {
            message.write_json(list.item());
        }
        list.object(|message| {
            message.string("role", "user").string("content", "And now?");
        });
    });
    object.end();
    let mut found = validate(&body);
    found.retain(|violation| {
        !matches!(violation.rule, Rule::ThinkingUnchanged | Rule::RedactedUnchanged | Rule::ImageDecodes)
    });
    found
}
