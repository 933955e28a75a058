//! The turns of a session, as a list.

use annals_ui::figures;
use axum::extract::{Path, RawQuery, State};
use axum::response::Response;
use maud::{Markup, html};

use super::{PageError, Params, SessionRequest, Site, blocking, dollars, encoded, html_response, moment};
use crate::library::{Library, OpenSession, TurnRow};

/// Turns that the page itself lists.
const MAX_TURNS: usize = 200;

/// The list of turns; a long one is loaded when it is opened.
pub(super) fn outline_of(library: &Library, request: &SessionRequest, session: &OpenSession) -> Markup {
    let all = &session.outline.turns;
    let is_long = all.len() > MAX_TURNS;
    let address = format!("/session/{}/turns?{}", encoded(&request.id), request.query(session.bytes));
    html! {
        details class="outline" data-src=[is_long.then_some(address)] {
            summary { "Turns" }
            div class="inside" { @if !is_long { (turn_list(library, all)) } }
        }
    }
}

fn turn_list(library: &Library, turns: &[TurnRow]) -> Markup {
    html! {
        nav aria-label="Turns" {
            ol tabindex="0" {
                @for turn in turns {
                    li class=[turn.has_errors.then_some("has-errors")] {
                        a href={ "#L" (turn.line) } { (turn.opening) }
                        small { @for fact in turn_facts(library, turn) { span { (fact) } } }
                    }
                }
            }
        }
    }
}

/// The list of turns alone.
pub(crate) async fn turns(
    State(site): State<Site>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, PageError> {
    let request = SessionRequest::new(id, &Params::parse(query.as_deref()));
    let list = blocking(&site, move |library| {
        let (_, session) = request.open(library)?;
        Ok(turn_list(library, &session.outline.turns))
    });
    Ok(html_response(list.await?))
}

fn turn_facts(library: &Library, turn: &TurnRow) -> Vec<String> {
    let mut facts: Vec<String> = turn.started.map(|millis| moment(library, millis)).into_iter().collect();
    facts.extend(turn.duration_ms.map(figures::duration));
    facts.extend((turn.tool_calls > 0).then(|| figures::counted(turn.tool_calls, "tool call")));
    facts.extend((turn.tokens > 0).then(|| figures::tokens(turn.tokens)));
    facts.extend((turn.dollars > 0.0).then(|| dollars(turn.dollars)));
    facts.extend((turn.context > 0).then(|| format!("context {}", figures::amount(turn.context))));
    facts
}
