//! Prints hits as JSON.

use std::collections::HashMap;

use annals_index::search::{SearchResults, SessionCard};
use annals_transcript::time::format_millis;

use crate::context::Context;

/// Titles and projects of the sessions, by id.
pub(super) type Cards = HashMap<String, SessionCard>;

pub(super) fn write(found: &SearchResults, cards: &Cards, context: &mut Context) -> std::io::Result<()> {
    context.out.json(|object| {
        object.number("total", found.total).boolean("isMore", found.is_more);
        object.array("hits", |list| {
            for hit in &found.hits {
                list.object(|object| {
                    let card = cards.get(&hit.session);
                    object.string("session", &hit.session).string("file", &hit.file.display().to_string());
                    object.string_or_null("title", card.and_then(SessionCard::title));
                    object.string_or_null("project", card.and_then(|card| card.cwd.as_deref()));
                    object.number("sessionHits", hit.session_hits);
                    object.string_or_null("uuid", hit.uuid.as_deref());
                    object.number("line", hit.line).number("offset", hit.offset);
                    object.number("block", u64::from(hit.block));
                    object.string("role", hit.role.name()).string("kind", hit.kind.name());
                    object.string_or_null("tool", hit.tool.as_deref());
                    object.string_if("toolUseId", hit.call.as_deref());
                    object.string_or_null("agentId", hit.agent.as_deref());
                    object.string_or_null("timestamp", hit.millis.map(format_millis).as_deref());
                    object.float("score", (hit.score * 1000.0).round() / 1000.0);
                    object.string("snippet", &hit.snippet.text);
                    object.array("marks", |list| {
                        for mark in &hit.snippet.marks {
                            list.item()
                                .extend_from_slice(format!("[{},{}]", mark.start, mark.end).as_bytes());
                        }
                    });
                    object.boolean("deleted", !hit.is_there).boolean("cut", hit.is_cut);
                });
            }
        });
    })
}
