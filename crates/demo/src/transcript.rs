//! A session file being written: the envelope of chain lines, the chain itself, and side records.
//!
//! Handles the order of keys in each era of the client; texts come from elsewhere.

use annals_json::ObjectWriter;

use crate::clock::Timestamp;
use crate::era::Era;
use crate::id::Uuid;
use crate::plan::Truth;
use crate::random::Random;

/// What every line of a file repeats.
#[derive(Debug, Clone)]
pub(crate) struct Envelope {
    pub(crate) session: Uuid,
    pub(crate) cwd: String,
    pub(crate) version: &'static str,
    pub(crate) era: Era,
    pub(crate) branch: String,
    /// The session's three-word name, which also names its plan.
    pub(crate) slug: Option<String>,
    pub(crate) entrypoint: &'static str,
    pub(crate) agent: Option<String>,
    pub(crate) team: Option<&'static str>,
}

impl Envelope {
    /// Lines name the git branch since 1.0.55.
    fn names_branch(&self) -> bool {
        self.era > Era::First || self.patch() >= 55
    }

    /// The last part of the version.
    pub(crate) fn patch(&self) -> u32 {
        self.version.rsplit('.').next().and_then(|part| part.parse().ok()).unwrap_or(0)
    }
}

/// A field that some lines have, with its JSON value.
pub(crate) type ExtraField<'a> = (&'a str, &'a [u8]);

/// What a line is, as far as the envelope cares.
#[derive(Clone, Copy)]
pub(crate) enum LineKind {
    User,
    Other,
    /// A compaction: the chain restarts, and the line before it is named separately.
    Boundary(Uuid),
}

/// Identity of the line that is being written.
pub(crate) struct LineIdentity {
    pub(crate) uuid: Uuid,
    pub(crate) stamp: Timestamp,
}

impl LineIdentity {
    /// The usual end of a body.
    pub(crate) fn uuid_and_time(&self, o: &mut ObjectWriter<'_>) {
        o.string("uuid", self.uuid.as_str()).string("timestamp", self.stamp.as_str());
    }

    /// The order that system lines have.
    pub(crate) fn time_and_uuid(&self, o: &mut ObjectWriter<'_>) {
        o.string("timestamp", self.stamp.as_str()).string("uuid", self.uuid.as_str());
    }
}

/// A session or sub-agent file in the making.
pub(crate) struct TranscriptWriter {
    pub(crate) out: Vec<u8>,
    pub(crate) envelope: Envelope,
    /// The moment of the last line.
    pub(crate) now: i64,
    pub(crate) started: i64,
    /// The line that the next one hangs on.
    pub(crate) parent: Option<Uuid>,
    pub(crate) random: Random,
    pub(crate) truth: Truth,
    pub(crate) prompt_id: Uuid,
    /// Tokens in the model's context so far, for believable usage.
    pub(crate) context: u64,
    /// Tokens that the next request will add to the cache.
    pub(crate) fresh: u64,
    /// Lines for `history.jsonl`.
    pub(crate) history: Vec<u8>,
    pub(crate) first_prompt: String,
    pub(crate) last_prompt: String,
    /// User and assistant lines.
    pub(crate) messages: u64,
    /// `isSidechain` of the lines to come.
    pub(crate) sidechain: bool,
    /// The id of the next line, if it was referred to in advance.
    pub(crate) promised: Option<Uuid>,
}

impl TranscriptWriter {
    pub(crate) fn new(envelope: Envelope, started: i64, mut random: Random) -> Self {
        let prompt_id = random.uuid();
        let sidechain = envelope.agent.is_some();
        Self {
            out: Vec::new(),
            envelope,
            now: started,
            started,
            parent: None,
            random,
            truth: Truth::default(),
            prompt_id,
            context: 0,
            fresh: 14_000,
            history: Vec::new(),
            first_prompt: String::new(),
            last_prompt: String::new(),
            messages: 0,
            sidechain,
            promised: None,
        }
    }

    /// Lets `low` to `high` milliseconds pass.
    pub(crate) fn wait(&mut self, low: u64, high: u64) {
        self.now += self.random.between(low, high) as i64;
    }

    /// One line of the chain. `body` writes everything that is not envelope, its own type and identity included.
    pub(crate) fn chain(
        &mut self,
        kind: LineKind,
        body: impl FnOnce(&mut ObjectWriter<'_>, &LineIdentity),
    ) -> Uuid {
        self.now += self.random.between(1, 40) as i64;
        if self.envelope.era >= Era::Third && self.random.below(40) == 0 {
            self.now -= 60; // Lines are not always written in the order in which things happened.
        }
        let uuid = self.promised.take().unwrap_or_else(|| self.random.uuid());
        let identity = LineIdentity { uuid, stamp: Timestamp::of(self.now) };
        let era = self.envelope.era;
        let mut o = ObjectWriter::begin(&mut self.out);
        let parent = match kind {
            LineKind::Boundary(_) => None,
            _ => self.parent.as_ref(),
        };
        o.string_or_null("parentUuid", parent.map(Uuid::as_str));
        if let LineKind::Boundary(logical) = kind {
            o.string("logicalParentUuid", logical.as_str());
        }
        o.boolean("isSidechain", self.sidechain);
        if era.envelope_last() {
            if matches!(kind, LineKind::User) {
                o.string("promptId", self.prompt_id.as_str());
            }
            o.string_if("agentId", self.envelope.agent.as_deref());
            body(&mut o, &identity);
            o.string("userType", "external").string("entrypoint", self.envelope.entrypoint);
            o.string("cwd", &self.envelope.cwd).string("sessionId", self.envelope.session.as_str());
            o.string("version", self.envelope.version).string("gitBranch", &self.envelope.branch);
            o.string_if("slug", self.envelope.slug.as_deref());
        } else {
            o.string("userType", "external").string("cwd", &self.envelope.cwd);
            o.string("sessionId", self.envelope.session.as_str()).string("version", self.envelope.version);
            if self.envelope.names_branch() {
                o.string("gitBranch", &self.envelope.branch);
            }
            o.string_if("agentId", self.envelope.agent.as_deref())
                .string_if("slug", self.envelope.slug.as_deref());
            o.string_if("teamName", self.envelope.team);
            body(&mut o, &identity);
        }
        o.end();
        self.out.push(b'\n');
        self.parent = Some(identity.uuid);
        identity.uuid
    }

    /// A user line: `content` is JSON, `flags` are keys that are true, `extras` follow the timestamp.
    pub(crate) fn user(&mut self, content: &[u8], flags: &[&str], extras: &[ExtraField<'_>]) -> Uuid {
        self.messages += 1;
        self.chain(LineKind::User, |o, identity| {
            o.string("type", "user").object("message", |message| {
                message.string("role", "user").raw("content", content);
            });
            for flag in flags {
                o.boolean(flag, true);
            }
            identity.uuid_and_time(o);
            for (key, value) in extras {
                o.raw(key, value);
            }
        })
    }

    /// A line outside the chain; `fill` writes what follows the type.
    pub(crate) fn side(&mut self, kind: &str, fill: impl FnOnce(&mut ObjectWriter<'_>)) {
        let mut o = ObjectWriter::begin(&mut self.out);
        o.string("type", kind);
        fill(&mut o);
        o.end();
        self.out.push(b'\n');
    }

    /// A side record that is one value and the session.
    pub(crate) fn note(&mut self, kind: &str, key: &str, value: &str) {
        let session = self.envelope.session;
        self.side(kind, |o| {
            o.string(key, value).string("sessionId", session.as_str());
        });
    }

    /// The moment of the last line, as text.
    pub(crate) fn stamp(&self) -> Timestamp {
        Timestamp::of(self.now)
    }
}
