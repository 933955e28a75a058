//! Changes of a session: the plan first, then the change itself, through the same plans, locks and journal as the command line.

use std::ops::ControlFlow;

use annals_store::session::append_side_record;
use annals_surgery::apply::apply as apply_plan;
use axum::extract::{Path, RawQuery, Request, State};
use axum::response::Response;
use maud::{Markup, html};

use super::planned_change::PlannedChange;
use super::{
    FoundSession, PageError, Params, Section, SessionRequest, Site, blocking, encoded, html_response, line,
    shell,
};
use crate::body;
use crate::guard::FORM_FIELD;
use crate::library::Library;

/// What the menu of a session offers.
pub(super) const MENU: [(&str, &str); 7] = [
    ("rename", "Rename"),
    ("tag", "Tag"),
    ("fork", "Fork"),
    ("strip", "Strip"),
    ("redact", "Redact secrets"),
    ("repair", "Repair"),
    ("trash", "Move to trash"),
];
/// Asks for what a change needs, or shows its plan and asks whether to do it.
pub(crate) async fn plan(
    State(site): State<Site>,
    Path((id, what)): Path<(String, String)>,
    RawQuery(query): RawQuery,
) -> Result<Response, PageError> {
    let fields = Params::parse(query.as_deref());
    let request = SessionRequest::new(id, &fields);
    let form_token = site.guard.token.form_value();
    let page = blocking(&site, move |library| {
        check_changeable(library)?;
        let found = request.find(library)?;
        let label = MENU.iter().find(|(name, _)| *name == what).map(|(_, label)| *label);
        let label = label.ok_or_else(|| PageError::not_found("There is no such change."))?;
        let title = line(library, found.listed.title());
        let is_asked = match what.as_str() {
            "rename" | "tag" => fields.get("value").is_some() || fields.get("done").is_some(),
            "strip" => {
                ["tools", "thinking", "images", "progress"].iter().any(|name| fields.get(name).is_some())
            }
            _ => true,
        };
        let body = html! {
            h1 { (label) ": " (title) }
            @if is_asked { (confirmation(library, &what, &found, &fields, &form_token)?) } @else { (question(&what, &found)) }
            p { a href={ "/session/" (encoded(&request.id)) "?in=" (encoded(found.listed.entry.slug.as_str())) } { "Back to the session" } }
        };
        Ok(shell(library, label, Section::Sessions, &body))
    });
    Ok(html_response(page.await?))
}

pub(super) fn check_changeable(library: &Library) -> Result<(), PageError> {
    match library.is_changeable() {
        true => Ok(()),
        false => Err(PageError::conflict(
            "This server shows redacted sessions to others: nothing is changed from here.",
        )),
    }
}

fn question(what: &str, found: &FoundSession) -> Markup {
    let slug = annals_ui::one_line(found.listed.entry.slug.as_str());
    let (tag, title) = (found.listed.summary.tag.as_deref(), found.listed.summary.display_title());
    let value = if what == "tag" { tag } else { title }.map(annals_ui::one_line);
    html! {
        form {
            input type="hidden" name="in" value=(slug);
            @if what == "strip" {
                @for (name, label) in [("tools", "output of tools"), ("thinking", "thinking"), ("images", "images"), ("progress", "progress records")] {
                    label class="check" { input type="checkbox" name=(name) value="1"; " " (label) }
                }
            } @else {
                label for="value" { (if what == "tag" { "Tag " } else { "Title " }) }
                input id="value" name="value" required maxlength="200" value=[value];
            }
            " " button { "Show the plan" }
        }
    }
}

/// The plan, and the button that does it.
fn confirmation(
    library: &Library,
    what: &str,
    found: &FoundSession,
    fields: &Params,
    form_token: &str,
) -> Result<Markup, PageError> {
    let planned = PlannedChange::of(library, what, found, fields)?;
    let (sentences, is_empty) = (planned.sentences(), planned.is_empty());
    let id = found.listed.entry.key.as_str();
    let slug = annals_ui::one_line(found.listed.entry.slug.as_str());
    let store = library.stores[found.listed.store].config_dir().path();
    Ok(html! {
        p { "Session " code { (line(library, id)) } " in " code { (line(library, &store.display().to_string())) } }
        ul class="plan" { @for sentence in &sentences { li { (line(library, sentence)) } } }
        @if is_empty { p { "There is nothing to do." } } @else {
            form method="post" action={ "/session/" (encoded(id)) "/change/" (what) } {
                input type="hidden" name=(FORM_FIELD) value=(form_token);
                input type="hidden" name="in" value=(slug);
                @for name in ["value", "at", "tools", "thinking", "images", "progress"] {
                    @if let Some(value) = fields.get(name) { input type="hidden" name=(name) value=(value); }
                }
                button id="confirm" { "Do it" }
                " " small { "It can be undone." }
            }
        }
    })
}

/// Does a change, and offers to undo it.
pub(crate) async fn apply(
    State(site): State<Site>,
    Path((id, what)): Path<(String, String)>,
    request: Request,
) -> Result<Response, PageError> {
    let fields = form(&site, request).await?;
    let page = blocking(&site, move |library| {
        check_changeable(library)?;
        let wanted = SessionRequest::new(id, &fields);
        let found = wanted.find(library)?;
        let go_on = &mut |_| ControlFlow::Continue(());
        let entry = match PlannedChange::of(library, &what, &found, &fields)? {
            PlannedChange::Draft(draft, _) => {
                let what = format!("{what} {}", wanted.id);
                let path = &found.listed.entry.path;
                let written = append_side_record(path, &draft, &what, &library.data, &library.source, go_on);
                written.map_err(|error| PageError::conflict(error.to_string()))?.entry
            }
            PlannedChange::Plan(plan) => {
                let applied = apply_plan(&plan, &library.data, &library.source, go_on);
                applied.map_err(|error| PageError::conflict(error.to_string()))?
            }
        };
        if what == "redact" {
            // The index holds the old text.
            let _ =
                annals_index::Index::remove(library.stores[found.listed.store].config_dir(), &library.data);
        }
        library.forget_listing();
        Ok(entry.id)
    });
    let id = page.await?;
    Ok(super::see_other(&format!("/undo?done={}", encoded(&id))))
}

/// Reads a form that has to be one of ours.
pub(super) async fn form(site: &Site, request: Request) -> Result<Params, PageError> {
    let fields = body::form(request.into_body()).await;
    let fields = fields.ok_or_else(|| PageError::bad_request("The form could not be read."))?;
    let fields = Params::of(fields);
    match fields.get(FORM_FIELD) {
        Some(value) if site.guard.token.matches_form(value) => Ok(fields),
        _ => Err(PageError::bad_request(
            "This form is not from a page of this server. Open the session again.",
        )),
    }
}
