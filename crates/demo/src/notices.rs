//! Lines that the client adds itself: commands, hooks, retries, interrupts, compactions.

use crate::clock::Timestamp;
use crate::era::Era;
use crate::id::Uuid;
use crate::json;
use crate::transcript::{ExtraField, LineKind, TranscriptWriter};

/// How a conversation is cut.
pub(crate) struct Compaction<'a> {
    pub(crate) trigger: &'a str,
    pub(crate) before: u64,
    pub(crate) summary: &'a str,
    /// First and last line that stay as they are, and all of them.
    pub(crate) kept: Option<KeptLines>,
}

/// Lines that a compaction leaves alone.
pub(crate) struct KeptLines {
    pub(crate) all: Vec<Uuid>,
    /// The lines come before the summary, not after it.
    pub(crate) ahead: bool,
}

impl TranscriptWriter {
    /// A command of the client's own, as a system line.
    pub(crate) fn local_command(&mut self, name: &str, printed: &str) {
        let call = format!(
            "<command-name>/{name}</command-name>\n            <command-message>{name}</command-message>\n            <command-args></command-args>"
        );
        let printed = format!("<local-command-stdout>{printed}</local-command-stdout>");
        for content in [call, printed] {
            self.system("local_command", |o, identity| {
                o.string("content", &content).string("level", "info");
                identity.time_and_uuid(o);
                o.boolean("isMeta", false);
            });
        }
    }

    /// The same as user lines, as the older clients wrote it: a caveat, the command, its output.
    pub(crate) fn command_lines(&mut self, name: &str, printed: &str) {
        let caveat = "Caveat: what follows was printed by commands that the user ran.";
        self.user(&json::string(caveat), &["isMeta"], &[]);
        let call = format!(
            "<command-name>/{name}</command-name>\n            <command-message>{name}</command-message>\n            <command-args></command-args>"
        );
        // A command is a line by a person, and by the format's rule opens a turn.
        self.truth.prompts += 1;
        self.user(&json::string(&call), &[], &[]);
        let printed = format!("<local-command-stdout>{printed}</local-command-stdout>");
        self.user(&json::string(&printed), &[], &[]);
    }

    /// Hooks that ran when the model stopped.
    pub(crate) fn stop_hooks(&mut self, command: &str, took: u64) {
        let era = self.envelope.era;
        let tool_use = self.random.uuid();
        self.system("stop_hook_summary", |o, identity| {
            o.raw("hookCount", b"1").array("hookInfos", |infos| {
                infos.object(|info| {
                    info.string("command", command);
                    if era >= Era::Attachments {
                        info.number("durationMs", took);
                    }
                });
            });
            o.raw("hookErrors", b"[]");
            if era >= Era::Attachments {
                o.raw("hookAdditionalContext", b"[]");
            }
            o.boolean("preventedContinuation", false).string("stopReason", "").boolean("hasOutput", false);
            o.string("level", "suggestion");
            identity.time_and_uuid(o);
            o.string("toolUseID", tool_use.as_str());
        });
    }

    /// The API was overloaded; the client tries again.
    pub(crate) fn overloaded(&mut self, attempt: u64) {
        let request = self.random.token("req_011C", 20);
        let wait = self.random.between(500, 4_000) as f64 + 0.527_859_798;
        let stamp = Timestamp::of(self.now);
        self.system("api_error", |o, identity| {
            o.string("level", "error").object("error", |error| {
                error.raw("status", b"529").object("headers", |headers| {
                    headers.string("date", stamp.as_str()).string("content-type", "application/json");
                    headers.string("x-should-retry", "true").string("request-id", &request);
                });
                error.string("requestID", &request).object("error", |inner| {
                    inner.string("type", "error");
                    inner.raw("error", br#"{"type":"overloaded_error","message":"Overloaded"}"#);
                    inner.string("request_id", &request);
                });
            });
            o.float("retryInMs", wait).number("retryAttempt", attempt).raw("maxRetries", b"10");
            identity.time_and_uuid(o);
        });
        self.wait(600, 5_000);
    }

    /// There was no network; the client tries again.
    pub(crate) fn no_network(&mut self, attempt: u64) {
        let cause =
            br#"{"code":"FailedToOpenSocket","path":"https://api.example.invalid/v1/messages","errno":0}"#;
        let wait = self.random.between(500, 4_000) as f64 + 0.872_745_99;
        self.system("api_error", |o, identity| {
            o.string("level", "error").raw("cause", cause).object("error", |error| {
                error.raw("cause", cause);
            });
            o.float("retryInMs", wait).number("retryAttempt", attempt).raw("maxRetries", b"10");
            identity.time_and_uuid(o);
        });
    }

    /// The person pressed Escape.
    pub(crate) fn interrupted(&mut self, during_tool: bool, extras: &[ExtraField<'_>]) -> Uuid {
        let text = if during_tool {
            "[Request interrupted by user for tool use]"
        } else {
            "[Request interrupted by user]"
        };
        self.user(&json::list([json::text(text).as_slice()]), &[], extras)
    }

    /// The conversation is compacted: a boundary and the summary that opens what follows.
    pub(crate) fn compact(&mut self, compaction: &Compaction<'_>) -> (Uuid, Uuid) {
        let Some(tail) = self.parent else { return (self.prompt_id, self.prompt_id) };
        let (boundary, summary) = (self.random.uuid(), self.random.uuid());
        let era = self.envelope.era;
        let took = self.random.between(20_000, 120_000);
        self.promised = Some(boundary);
        self.chain(LineKind::Boundary(tail), |o, identity| {
            o.string("type", "system").string("subtype", "compact_boundary");
            o.string("content", "Conversation compacted").boolean("isMeta", false);
            identity.time_and_uuid(o);
            o.string("level", "info").object("compactMetadata", |m| {
                m.string("trigger", compaction.trigger).number("preTokens", compaction.before);
                if era >= Era::Attachments {
                    m.number("durationMs", took);
                }
                if let Some(kept) = &compaction.kept {
                    let anchor = if kept.ahead { boundary } else { summary };
                    write_kept(m, kept, anchor);
                }
                if era >= Era::Attachments {
                    m.number("postTokens", compaction.before / 12);
                    m.number("cumulativeDroppedTokens", compaction.before / 12 * 11);
                }
            });
        });
        self.now += took as i64;
        let text = format!(
            "This session is being continued from a previous conversation that ran out of context.\n\n{}",
            compaction.summary
        );
        let flags: &[&str] = if era == Era::First {
            &["isCompactSummary"]
        } else {
            &["isVisibleInTranscriptOnly", "isCompactSummary"]
        };
        let metadata = br#"{"messagesSummarized":6,"direction":"from"}"#;
        let ahead = compaction.kept.as_ref().is_some_and(|kept| kept.ahead);
        let extras: &[ExtraField<'_>] = if ahead { &[("summarizeMetadata", metadata)] } else { &[] };
        self.promised = Some(summary);
        self.user(&json::string(&text), flags, extras);
        (self.context, self.fresh) = (14_000, compaction.summary.len() as u64 / 4);
        (boundary, summary)
    }
}

fn write_kept(m: &mut annals_json::ObjectWriter<'_>, kept: &KeptLines, anchor: Uuid) {
    let (Some(envelope), Some(tail)) = (kept.all.first(), kept.all.last()) else { return };
    m.object("preservedSegment", |segment| {
        segment.string("headUuid", envelope.as_str()).string("anchorUuid", anchor.as_str());
        segment.string("tailUuid", tail.as_str());
    });
    m.object("preservedMessages", |messages| {
        let all = json::strings(kept.all.iter().map(Uuid::as_str));
        messages.string("anchorUuid", anchor.as_str()).raw("uuids", &all).raw("allUuids", &all);
    });
}
