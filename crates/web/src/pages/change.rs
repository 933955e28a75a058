//! Changes of a session: the plan first, then the change itself, through the same plans, locks and journal as the command line.

use std::ops::ControlFlow;

use annals_store::journal::{Journal, JournalEntry, Stage};
use annals_store::session::append_side_record;
use annals_surgery::apply::apply as apply_plan;
use annals_surgery::fork::{ForkIds, ForkPoint};
use annals_surgery::preview::preview;
use annals_surgery::redact::files_to_redact;
use annals_surgery::repair::{RepairOptions, SubagentFiles, repair};
use annals_surgery::strip::{CallMode, StripOptions, StripPart, ToolNames, ToolSelection, TurnRange, strip};
use annals_surgery::trash::PromptHistory;
use annals_surgery::{Plan, Session, fork, redact, trash};
use annals_transcript::draft::Draft;
use annals_transcript::redact::SecretRules;
use annals_ui::figures;
use axum::extract::{Path, RawQuery, Request, State};
use axum::response::Response;
use maud::{Markup, html};

use super::{
    FoundSession, PageError, Params, Section, SessionRequest, Site, blocking, encoded, html_response, line,
    moment, shell,
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
/// Edits of a file that a plan lists.
const MAX_LISTED: usize = 12;

/// A planned change.
enum PlannedChange {
    /// A record is appended.
    Draft(Draft, String),
    /// Files are edited, created or moved.
    Plan(Box<Plan>),
}

/// Makes the plan that the fields ask for.
fn planned(
    library: &Library,
    what: &str,
    found: &FoundSession,
    fields: &Params,
) -> Result<PlannedChange, PageError> {
    let path = &found.listed.entry.path;
    let bad = |error: &dyn std::error::Error| PageError::bad_request(error.to_string());
    let discovery = library.listing().discoveries[found.listed.store].clone();
    let value = fields.get("value").unwrap_or_default();
    let load = || Session::load_from(path, Some(&discovery)).map_err(|error| PageError::unreadable(&error));
    let plan = match what {
        "rename" => {
            return Ok(PlannedChange::Draft(
                Draft::custom_title(value),
                format!("Set the title to {value:?}"),
            ));
        }
        "tag" => return Ok(PlannedChange::Draft(Draft::tag(value), format!("Set the tag to {value:?}"))),
        "fork" => {
            let session = load()?;
            let files = annals_surgery::session_files::session_files(&session, &discovery);
            let files = files.map_err(|error| PageError::unreadable(&error))?;
            let at = fields.get("at").map_or(ForkPoint::End, |uuid| ForkPoint::Record(uuid.to_owned()));
            fork::plan(&session, &files, &at, ForkIds::New, &library.source)
                .map_err(|error| bad(&error))?
                .plan
        }
        "strip" => {
            let tools = ToolSelection { names: ToolNames::All, calls: CallMode::Kept };
            let parts = [
                ("thinking", StripPart::Thinking),
                ("images", StripPart::Images),
                ("progress", StripPart::Progress),
            ];
            let parts =
                parts.into_iter().filter(|(name, _)| fields.get(name).is_some()).map(|(_, part)| part);
            let options = StripOptions {
                tools: fields.get("tools").map(|_| tools),
                parts: parts.collect(),
                large_results: None,
                range: TurnRange::Any,
            };
            strip(&load()?, &options).map_err(|error| bad(&error))?
        }
        "redact" => {
            let rules = SecretRules::new(&[], &library.redaction_patterns).map_err(|error| bad(&error))?;
            let session = load()?;
            let files =
                files_to_redact(&session, Some(&discovery)).map_err(|error| PageError::unreadable(&error))?;
            redact::plan(&session, &files, &rules).map_err(|error| bad(&error))?
        }
        "repair" => {
            let options = RepairOptions { only: Default::default(), agents: SubagentFiles::Repaired };
            repair(&load()?, &options).map_err(|error| bad(&error))?
        }
        "trash" => {
            let plan = trash::plan(std::slice::from_ref(path), &discovery, PromptHistory::Keep);
            plan.map_err(|error| bad(&error))?.plan
        }
        _ => return Err(PageError::not_found("There is no such change.")),
    };
    Ok(PlannedChange::Plan(Box::new(plan)))
}

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
        Ok(shell(library.theme, label, Section::Sessions, &body))
    });
    Ok(html_response(page.await?))
}

fn check_changeable(library: &Library) -> Result<(), PageError> {
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
    let (sentences, is_empty) = match planned(library, what, found, fields)? {
        PlannedChange::Draft(_, sentence) => (vec![sentence], false),
        PlannedChange::Plan(plan) => (sentences(&plan), plan.is_empty()),
    };
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

fn sentences(plan: &Plan) -> Vec<String> {
    let mut all = vec![plan.what.clone()];
    for file in preview(plan) {
        let name = file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (removed, changed, added) = file.lines;
        let (before, after) = file.bytes;
        all.push(format!(
            "{name}: {removed} lines removed, {changed} changed, {added} added; {} → {}",
            figures::size(before),
            figures::size(after)
        ));
        for client in file.clients {
            let count = |messages: Option<usize>| {
                messages.map_or("refuses it".to_owned(), |count| figures::counted(count, "message"))
            };
            all.push(format!(
                "client {}: {} → {}",
                client.client.version(),
                count(client.messages.0),
                count(client.messages.1)
            ));
        }
    }
    let changes = plan.changes.len();
    all.extend(
        (changes > 0)
            .then(|| format!("{} created, moved or put into the trash", figures::counted(changes, "file"))),
    );
    all.extend(plan.notes.iter().take(MAX_LISTED).cloned());
    all
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
        let entry = match planned(library, &what, &found, &fields)? {
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
async fn form(site: &Site, request: Request) -> Result<Params, PageError> {
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

/// Lists the changes of these stores, each with a way back.
pub(crate) async fn undo_page(
    State(site): State<Site>,
    RawQuery(query): RawQuery,
) -> Result<Response, PageError> {
    let fields = Params::parse(query.as_deref());
    let form_token = site.guard.token.form_value();
    let page = blocking(&site, move |library| {
        check_changeable(library)?;
        let entries = entries(library);
        let body = html! {
            h1 { "Changes" }
            @if let Some(done) = fields.get("done") {
                @if let Some(entry) = entries.iter().find(|entry| entry.id == done) {
                    p class="notice" role="status" { (if entry.stage == Stage::Undone { "Undone: " } else { "Done: " }) (line(library, &entry.what)) }
                }
            }
            @if entries.is_empty() { p { "annals has changed nothing here." } }
            ul class="sessions" {
                @for entry in entries.iter().take(50) {
                    li {
                        span class="title" { (line(library, &entry.what)) }
                        span class="facts" { span { (moment(library, entry.time)) } span { (entry.stage.name()) } }
                        @if entry.stage != Stage::Undone {
                            form method="post" action="/undo" {
                                input type="hidden" name=(FORM_FIELD) value=(form_token);
                                input type="hidden" name="id" value=(entry.id);
                                button { "Undo" }
                            }
                        }
                    }
                }
            }
        };
        Ok(shell(library.theme, "Changes", Section::None, &body))
    });
    Ok(html_response(page.await?))
}

fn entries(library: &Library) -> Vec<JournalEntry> {
    let mut entries = Journal::new(&library.data).entries();
    entries.retain(|entry| library.stores.iter().any(|store| entry.is_of(store.config_dir())));
    entries
}

/// Undoes a change.
pub(crate) async fn undo(State(site): State<Site>, request: Request) -> Result<Response, PageError> {
    let fields = form(&site, request).await?;
    let id = blocking(&site, move |library| {
        check_changeable(library)?;
        let id = fields.get("id").unwrap_or_default();
        let entry = entries(library).into_iter().find(|entry| entry.id == id);
        let entry = entry.ok_or_else(|| PageError::not_found("There is no such change."))?;
        let entry = Journal::new(&library.data).undo(entry);
        let entry = entry.map_err(|error| PageError::conflict(error.to_string()))?;
        library.forget_listing();
        Ok(entry.id)
    });
    let id = id.await?;
    Ok(super::see_other(&format!("/undo?done={}", encoded(&id))))
}
