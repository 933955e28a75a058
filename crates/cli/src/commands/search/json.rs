//! Prints hits as JSON.

use std::collections::HashMap;
use std::sync::Arc;

use annals_index::search::{Hit, SearchResults, SessionCard};
use annals_json::ObjectWriter;
use annals_transcript::time::format_millis;

use super::passage_context::{self, IndexedParts, NearbyMessage, PassageContext};
use crate::context::Context;
use crate::stores::MachineLabel;

/// Titles and projects of the sessions, by id.
pub(super) type Cards = HashMap<String, SessionCard>;

pub(super) fn write(
    found: &SearchResults,
    cards: &Cards,
    contexts: &HashMap<usize, PassageContext>,
    owners: &[MachineLabel],
    context: &mut Context,
) -> std::io::Result<()> {
    context.out.json(|object| {
        object.number("total", found.total).boolean("isMore", found.is_more);
        object.array("hits", |list| {
            for (at, hit) in found.hits.iter().enumerate() {
                list.object(|object| {
                    let card = cards.get(&hit.session);
                    object.string("session", &hit.session).string("file", &hit.file.display().to_string());
                    match owners.get(at) {
                        Some(owner) => owner.write(object),
                        None => context.store.write_name(&hit.file, object),
                    }
                    object.string_or_null("title", card.and_then(super::title).as_deref());
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
                    if let Some(around) = contexts.get(&at) {
                        object.string_or_null("call", around.call.as_deref());
                        messages(object, "before", &around.before);
                        messages(object, "after", &around.after);
                    }
                });
            }
        });
    })
}

/// What surrounds each hit, by its place in the list; nothing unless it is asked for.
pub(super) fn contexts_of(
    found: &SearchResults,
    around: usize,
    context: &Context,
) -> HashMap<usize, PassageContext> {
    let mut all = HashMap::new();
    if around == 0 {
        return all;
    }
    let discovery = Arc::new(context.discover_all());
    let mut groups: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, hit) in found.hits.iter().enumerate() {
        groups.entry(&hit.session).or_default().push(at);
    }
    for (session, places) in groups {
        let hits: Vec<&Hit> = places.iter().map(|at| &found.hits[*at]).collect();
        all.extend(places.into_iter().zip(passage_context::read(
            session,
            &hits,
            around,
            &IndexedParts::default(),
            Some(&discovery),
        )));
    }
    all
}

fn messages(object: &mut ObjectWriter<'_>, key: &str, messages: &[NearbyMessage]) {
    object.array(key, |list| {
        for message in messages {
            list.object(|object| {
                object.number("line", message.line).string("speaker", &message.speaker);
                object.string("text", &message.text);
            });
        }
    });
}
