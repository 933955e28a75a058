//! Responses of the model: one line per block, with message id, request id and usage repeated on each.

use annals_json::ObjectWriter;

use crate::era::Era;
use crate::id::Uuid;
use crate::json;
use crate::plan::Tokens;
use crate::transcript::{LineKind, TranscriptWriter};

/// One answer of the API.
#[derive(Debug, Clone)]
pub(crate) struct Response {
    pub(crate) id: String,
    pub(crate) request: Option<String>,
    pub(crate) model: &'static str,
    pub(crate) tokens: Tokens,
    pub(crate) thinking_tokens: u64,
    pub(crate) stop: &'static str,
    pub(crate) tier: &'static str,
    pub(crate) speed: &'static str,
    /// `attribution…` and other fields that ride on some lines.
    pub(crate) extras: Vec<(String, Vec<u8>)>,
    blocks: u64,
}

/// Whether more blocks of the same response follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockPosition {
    More,
    Last,
}

impl TranscriptWriter {
    /// Opens a response of `output` tokens; from here on it counts.
    pub(crate) fn response(&mut self, model: &'static str, output: u64, stop: &'static str) -> Response {
        let hour = self.envelope.era >= Era::Attachments && self.envelope.agent.is_none() && !self.sidechain;
        let fresh = std::mem::take(&mut self.fresh);
        let tokens = Tokens {
            input: self.random.between(1, 12),
            output,
            cache_read: self.context,
            cache_write_5m: if hour { 0 } else { fresh },
            cache_write_1h: if hour { fresh } else { 0 },
            web_searches: 0,
        };
        self.context += fresh;
        self.fresh = output;
        self.response_with(model, tokens, stop)
    }

    /// Opens a response with the usage given.
    pub(crate) fn response_with(
        &mut self,
        model: &'static str,
        tokens: Tokens,
        stop: &'static str,
    ) -> Response {
        self.wait(900, 7_000);
        self.truth.responses += 1;
        self.truth.tokens += tokens;
        Response {
            id: self.random.token("msg_01", 22),
            request: Some(self.random.token("req_011C", 20)),
            model,
            tokens,
            thinking_tokens: 0,
            stop,
            tier: "standard",
            speed: "standard",
            extras: Vec::new(),
            blocks: 0,
        }
    }

    /// Writes one block of a response.
    pub(crate) fn write_block(
        &mut self,
        response: &mut Response,
        place: BlockPosition,
        block: &[u8],
    ) -> Uuid {
        self.wait(120, 2_400);
        let era = self.envelope.era;
        let index = response.blocks;
        response.blocks += 1;
        self.messages += 1;
        let response = &*response;
        let effort = self.envelope.patch() >= 215;
        let requested = if response.tokens.cache_write_1h > 0 { "1h" } else { "5m" };
        let reference = Uuid::from_bits(response.id.len() as u64 ^ self.prompt_seed(), index);
        self.chain(LineKind::Other, |o, identity| {
            o.object("message", |message| write_message(message, era, response, place, block));
            if era == Era::Newest {
                o.number("apiBlockIndex", index);
            }
            o.string_if("requestId", response.request.as_deref());
            if era == Era::Newest {
                o.string("requestRef", reference.as_str()).string("requestedModel", response.model);
                o.string("promptCacheRequested", requested);
            }
            for (key, value) in &response.extras {
                o.raw(key, value);
            }
            o.string("type", "assistant");
            identity.uuid_and_time(o);
            if era == Era::Attachments && effort {
                o.string("effort", "high");
            }
            if era == Era::Newest {
                o.string("effort", "medium").string("perTurnEffort", "medium").string("madeBy", "model");
            }
        })
    }

    fn prompt_seed(&self) -> u64 {
        self.prompt_id
            .as_str()
            .bytes()
            .fold(7, |acc, byte| acc.wrapping_mul(31).wrapping_add(u64::from(byte)))
    }

    /// A whole response that is one text.
    pub(crate) fn reply(&mut self, model: &'static str, text: &str) -> Uuid {
        let mut response = self.response(model, tokens_of(text), "end_turn");
        self.write_block(&mut response, BlockPosition::Last, &json::text(text))
    }

    /// A synthetic line of the client, in the model's name: costs nothing.
    pub(crate) fn synthetic(&mut self, text: &str, extras: &[(&str, &[u8])]) -> Uuid {
        let message_id = self.random.uuid();
        self.chain(LineKind::Other, |o, identity| {
            o.string("type", "assistant");
            identity.uuid_and_time(o);
            o.object("message", |m| {
                m.string("id", message_id.as_str()).raw("container", b"null").string("model", "<synthetic>");
                m.string("role", "assistant")
                    .string("stop_reason", "stop_sequence")
                    .string("stop_sequence", "");
                m.string("type", "message").object("usage", |u| {
                    u.raw("input_tokens", b"0").raw("output_tokens", b"0");
                    u.raw("cache_creation_input_tokens", b"0").raw("cache_read_input_tokens", b"0");
                    u.raw("server_tool_use", br#"{"web_search_requests":0,"web_fetch_requests":0}"#);
                    u.raw("service_tier", b"null");
                    u.raw(
                        "cache_creation",
                        br#"{"ephemeral_1h_input_tokens":0,"ephemeral_5m_input_tokens":0}"#,
                    );
                });
                m.raw("content", &json::list([json::text(text).as_slice()]))
                    .raw("context_management", b"null");
            });
            for (key, value) in extras {
                o.raw(key, value);
            }
        })
    }
}

/// Four characters a token, as everybody estimates.
pub(crate) fn tokens_of(text: &str) -> u64 {
    text.len() as u64 / 4 + 3
}

fn write_message(m: &mut ObjectWriter<'_>, era: Era, r: &Response, place: BlockPosition, block: &[u8]) {
    if era == Era::First {
        m.string("id", &r.id).string("type", "message").string("role", "assistant").string("model", r.model);
    } else {
        m.string("model", r.model).string("id", &r.id).string("type", "message").string("role", "assistant");
    }
    let content = m.key("content");
    content.push(b'[');
    content.extend_from_slice(block);
    content.push(b']');
    let stop = match (era, place) {
        (Era::Attachments | Era::Newest, _) | (Era::First, BlockPosition::Last) => Some(r.stop),
        (Era::Second, _) => Some(r.stop),
        _ => None,
    };
    m.string_or_null("stop_reason", stop).raw("stop_sequence", b"null");
    if era == Era::Attachments {
        m.raw("stop_details", b"null");
    }
    m.object("usage", |u| write_usage(u, era, r, place));
    match era {
        Era::Attachments => {
            m.raw("diagnostics", b"null");
        }
        Era::Newest => {
            m.raw("stop_details", b"null");
        }
        _ => {}
    }
}

fn write_usage(u: &mut ObjectWriter<'_>, era: Era, r: &Response, place: BlockPosition) {
    let t = &r.tokens;
    let written = t.cache_write_5m + t.cache_write_1h;
    let output = if place == BlockPosition::Last || era.usage_is_final_everywhere() {
        t.output
    } else {
        t.output.min(8)
    };
    u.number("input_tokens", t.input).number("cache_creation_input_tokens", written);
    u.number("cache_read_input_tokens", t.cache_read);
    if era < Era::Attachments {
        if era > Era::First {
            u.object("cache_creation", |c| {
                c.number("ephemeral_5m_input_tokens", t.cache_write_5m);
                c.number("ephemeral_1h_input_tokens", t.cache_write_1h);
            });
        }
        u.number("output_tokens", output).string("service_tier", r.tier);
        if era == Era::Progress {
            u.string("inference_geo", "not_available");
        }
        return;
    }
    u.number("output_tokens", output);
    if era == Era::Newest {
        u.object("output_tokens_details", |d| {
            d.number("thinking_tokens", r.thinking_tokens);
        });
    }
    u.object("server_tool_use", |s| {
        s.number("web_search_requests", t.web_searches).raw("web_fetch_requests", b"0");
    });
    u.string("service_tier", r.tier).object("cache_creation", |c| {
        c.number("ephemeral_1h_input_tokens", t.cache_write_1h);
        c.number("ephemeral_5m_input_tokens", t.cache_write_5m);
    });
    u.string("inference_geo", "not_available").array("iterations", |iterations| {
        iterations.object(|i| {
            i.number("input_tokens", t.input).number("output_tokens", output);
            i.number("cache_read_input_tokens", t.cache_read).number("cache_creation_input_tokens", written);
            i.object("cache_creation", |c| {
                c.number("ephemeral_5m_input_tokens", t.cache_write_5m);
                c.number("ephemeral_1h_input_tokens", t.cache_write_1h);
            });
            i.string("type", "message");
        });
    });
    u.string("speed", r.speed);
    if era == Era::Newest {
        u.raw("fallback_credit", b"null");
    }
}
