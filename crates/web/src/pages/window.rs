//! Draws the items of a window, with what only a server can add: links to branches, sub-agents that open in place, images.

use annals_ui::html::{self, HtmlOptions, ImageSource};
use annals_ui::view::{Branch, ImageRef, Item, ItemBody, ToolOutput};
use maud::{Markup, html};

use super::{SessionRequest, encoded, line};
use crate::library::{AgentRef, Library, OpenSession};

/// The longest text of an item that is drawn whole; the rest is in the raw record.
const MAX_TEXT: usize = 200_000;

/// Where images of a session are served.
struct ServedImages<'s> {
    session: &'s str,
    slug: Option<&'s str>,
}

impl ImageSource for ServedImages<'_> {
    fn address(&self, agent: Option<&str>, image: ImageRef) -> Option<String> {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(agent.map(|agent| ("agent", agent)));
        query.extend_pairs(self.slug.map(|slug| ("in", slug)));
        let query = query.finish();
        let mark = if query.is_empty() { "" } else { "?" };
        Some(format!("/session/{}/image/{}/{}{mark}{query}", encoded(self.session), image.line, image.number))
    }
}

/// Draws items in order.
pub(crate) fn draw(
    library: &Library,
    request: &SessionRequest,
    session: &OpenSession,
    mut items: Vec<Item>,
    out: &mut String,
) {
    items.iter_mut().for_each(shorten);
    let zone = |millis: i64| library.minutes_from_utc(millis);
    let served = ServedImages { session: &request.id, slug: request.slug.as_deref() };
    // A picture cannot be searched for secrets.
    let images: &dyn ImageSource = if library.is_changeable() { &served } else { &html::NoImages };
    let options =
        HtmlOptions { zone: &zone, images, agent: request.agent.as_deref(), ..HtmlOptions::default() };
    let mut from = 0;
    for (at, item) in items.iter().enumerate() {
        let added = match &item.body {
            ItemBody::Branch(branch) => {
                html::items(&items[from..at], &options, out);
                from = at + 1;
                Some(ways(library, request, branch))
            }
            ItemBody::ToolCall(call) => session.agents.get(&call.id).map(|agents| {
                html::items(&items[from..=at], &options, out);
                from = at + 1;
                agents_in_place(request, agents)
            }),
            _ => None,
        };
        out.push_str(&added.map(maud::PreEscaped::into_string).unwrap_or_default());
    }
    html::items(&items[from..], &options, out);
}

/// The other branches from here; each leads to the same page along it.
fn ways(library: &Library, request: &SessionRequest, branch: &Branch) -> Markup {
    html! {
        nav class="branch" aria-label="Branches" {
            p class="who" { "Other branches from here" }
            ul {
                @for way in &branch.ways {
                    li {
                        @if let Some(uuid) = &way.uuid {
                            a class="way" href={ "?" (branch_query(request, uuid)) "#L" (way.line) } { (line(library, &way.opening)) }
                        } @else { (line(library, &way.opening)) }
                        " " small { "line " (way.line) ", " (annals_ui::figures::counted(way.messages, "message")) }
                    }
                }
            }
        }
    }
}

/// The query of the page along a branch.
pub(super) fn branch_query(request: &SessionRequest, uuid: &str) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(request.slug.as_ref().map(|slug| ("in", slug)));
    query.append_pair("branch", uuid);
    query.finish()
}

/// Sub-agents that open where they were started.
pub(crate) fn agents_in_place(request: &SessionRequest, agents: &[AgentRef]) -> Markup {
    html! {
        @for agent in agents {
            details class="agent file" data-src={ "/session/" (encoded(&request.id)) "/agent/" (encoded(&agent.key)) (in_query(request)) } {
                summary { "Agent " (agent.label.as_deref().map(annals_ui::one_line).unwrap_or_default()) " · " (annals_ui::one_line(&agent.key)) }
                div class="inside" {}
            }
        }
    }
}

fn in_query(request: &SessionRequest) -> String {
    request.slug.as_ref().map(|slug| format!("?in={}", encoded(slug))).unwrap_or_default()
}

/// Cuts texts that would keep a browser busy for seconds.
fn shorten(item: &mut Item) {
    match &mut item.body {
        ItemBody::Prompt(prompt) => cut(&mut prompt.text),
        ItemBody::Text(text) => cut(&mut text.text),
        ItemBody::Thinking(Some(text)) => cut(text),
        ItemBody::Note(note) => cut(&mut note.text),
        ItemBody::Hook(hook) => cut(&mut hook.text),
        ItemBody::ToolCall(call) => {
            cut(&mut call.headline);
            call.input.iter_mut().for_each(|field| cut(&mut field.value));
            let outputs = call.result.iter_mut().flat_map(|result| &mut result.outputs);
            for output in outputs {
                match output {
                    ToolOutput::Text(text) | ToolOutput::Markdown(text) | ToolOutput::Complaint(text) => {
                        cut(text)
                    }
                    ToolOutput::File(file) => cut(&mut file.text),
                    ToolOutput::Diff(diff) => {
                        let mut left = MAX_TEXT;
                        for hunk in &mut diff.hunks {
                            hunk.lines.retain(|line| {
                                left = left.saturating_sub(line.text.len() + 1);
                                left > 0
                            });
                        }
                    }
                    _ => {}
                }
            }
            let agents = call.agents.iter_mut().flat_map(|agent| &mut agent.conversation.items);
            agents.for_each(shorten);
        }
        ItemBody::Agent(agent) => agent.conversation.items.iter_mut().for_each(shorten),
        _ => {}
    }
}

fn cut(text: &mut String) {
    if text.len() > MAX_TEXT {
        let end = (0..=MAX_TEXT).rev().find(|&at| text.is_char_boundary(at)).unwrap_or_default();
        let rest = annals_ui::figures::size((text.len() - end) as u64);
        text.truncate(end);
        text.push_str(&format!("\n… {rest} more: the raw record has all of it"));
    }
}
