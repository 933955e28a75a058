//! The first page: projects and sessions, filtered, sorted, and searched as one types.

use std::collections::{BTreeSet, HashSet};

use annals_ui::figures;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use maud::{Markup, html};

use super::{
    PageError, Params, Section, Site, age, blocking, chart, dollars, encoded, html_response, line, moment,
    search, shell,
};
use crate::library::{ArchivedSession, Library, ListedSession, Listing};

/// Sessions on a page.
const PAGE: usize = 100;

/// The fields of the form, in the order in which they stand in addresses.
const FIELDS: [&str; 12] =
    ["q", "project", "model", "tag", "since", "until", "cost", "errors", "agents", "vault", "person", "sort"];

const SORTS: [(&str, &str); 5] = [
    ("active", "last activity"),
    ("created", "created"),
    ("cost", "cost"),
    ("size", "size"),
    ("title", "title"),
];

/// What the address asks for.
struct SessionFilter {
    words: Vec<String>,
    project: Option<String>,
    model: Option<String>,
    tag: Option<String>,
    person: Option<String>,
    since: Option<String>,
    until: Option<String>,
    min_cost: Option<f64>,
    has_errors: bool,
    has_agents: bool,
    is_archived: bool,
    sort: String,
    from: usize,
}

/// What is known of a session wherever it is.
struct SessionFacts<'s> {
    id: &'s str,
    title: &'s str,
    project: &'s str,
    models: &'s [String],
    tag: Option<&'s str>,
    active: Option<i64>,
}

impl SessionFilter {
    fn new(params: &Params) -> Self {
        let owned = |name: &str| params.get(name).map(str::to_owned);
        Self {
            words: params
                .get("q")
                .unwrap_or_default()
                .to_lowercase()
                .split_whitespace()
                .map(str::to_owned)
                .collect(),
            project: owned("project"),
            model: owned("model"),
            tag: owned("tag"),
            person: owned("person"),
            since: owned("since"),
            until: owned("until"),
            min_cost: params.number("cost"),
            has_errors: params.get("errors").is_some(),
            has_agents: params.get("agents").is_some(),
            is_archived: params.get("vault").is_some(),
            sort: owned("sort").unwrap_or_else(|| "active".to_owned()),
            from: params.number("from").unwrap_or_default(),
        }
    }

    fn keeps(&self, library: &Library, session: &ListedSession, failing: &HashSet<(usize, String)>) -> bool {
        let summary = &session.summary;
        let facts = SessionFacts {
            id: session.entry.key.as_str(),
            title: session.title(),
            project: session.project_path(),
            models: &summary.models,
            tag: summary.tag.as_deref(),
            active: summary.last_activity(),
        };
        let has_errors =
            || session.has_errors || failing.contains(&(session.store, session.entry.key.to_string()));
        !(summary.is_empty() || summary.is_warm_up)
            && self.keeps_facts(library, &facts)
            && self.min_cost.is_none_or(|least| session.dollars() >= least)
            && (!self.has_errors || has_errors())
            && (!self.has_agents || session.sub_agents > 0)
            && (!self.is_archived || session.is_archived)
            && (self.person.is_none()
                || session.person.as_ref().is_some_and(|person| is_named(library, &self.person, person)))
    }

    /// Of what only the vault has, neither cost nor errors nor sub-agents are known.
    fn keeps_archived(&self, library: &Library, session: &ArchivedSession) -> bool {
        let facts = SessionFacts {
            id: &session.id,
            title: session.title.as_deref().unwrap_or_default(),
            project: session.project.as_deref().unwrap_or_default(),
            models: &session.models,
            tag: session.tag.as_deref(),
            active: session.active,
        };
        self.min_cost.is_none() && !self.has_errors && !self.has_agents && self.keeps_facts(library, &facts)
    }

    fn keeps_facts(&self, library: &Library, facts: &SessionFacts<'_>) -> bool {
        let day = facts.active.map(|millis| moment(library, millis)).unwrap_or_default();
        let day = day.get(..10).unwrap_or_default();
        let is = |wanted: &Option<String>, of: &str| is_named(library, wanted, of);
        let has_words = || {
            // What was replaced cannot be searched for either.
            let known = library.clean(&[facts.title, facts.project, facts.id].join("\n")).to_lowercase();
            self.words.iter().all(|word| known.contains(word))
        };
        (self.words.is_empty() || has_words())
            && is(&self.project, facts.project)
            && (self.model.is_none() || facts.models.iter().any(|model| is(&self.model, model)))
            && (self.tag.is_none() || facts.tag.is_some_and(|tag| is(&self.tag, tag)))
            && self.since.as_ref().is_none_or(|since| day >= since.as_str())
            && self.until.as_ref().is_none_or(|until| day <= until.as_str())
    }

    fn sort(&self, sessions: &mut [&ListedSession]) {
        match self.sort.as_str() {
            "created" => sessions.sort_by_key(|session| std::cmp::Reverse(session.summary.created_millis)),
            "cost" => sessions.sort_by(|left, right| right.dollars().total_cmp(&left.dollars())),
            "size" => sessions.sort_by_key(|session| std::cmp::Reverse(session.summary.bytes)),
            "title" => sessions.sort_by_cached_key(|session| session.title().to_lowercase()),
            _ => {}
        }
    }
}

pub(crate) async fn page(State(site): State<Site>, RawQuery(query): RawQuery) -> Result<Response, PageError> {
    let params = Params::parse(query.as_deref());
    let page = blocking(&site, move |library| {
        let listing = library.listing();
        let body = html! {
            h1 { "Sessions" }
            (filters(library, &listing, &params))
            div id="list" data-live=[library.is_local().then_some("/events")] { (list(library, &listing, &params)) }
        };
        Ok(shell(library, "Sessions", Section::Sessions, &body))
    });
    Ok(html_response(page.await?))
}

/// The list alone, for what is typed.
pub(crate) async fn fragment(
    State(site): State<Site>,
    RawQuery(query): RawQuery,
) -> Result<Response, PageError> {
    let params = Params::parse(query.as_deref());
    Ok(html_response(blocking(&site, move |library| Ok(list(library, &library.listing(), &params))).await?))
}

/// Names without secrets and control characters, each once: what a filter is chosen from and compared with.
fn names<'n>(library: &Library, names: impl Iterator<Item = &'n str>) -> BTreeSet<String> {
    names.map(|name| line(library, name)).collect()
}

/// Whether a name is the one that a filter asks for, if it asks for any.
fn is_named(library: &Library, wanted: &Option<String>, name: &str) -> bool {
    wanted.as_ref().is_none_or(|wanted| line(library, name) == *wanted)
}

fn filters(library: &Library, listing: &Listing, params: &Params) -> Markup {
    let sessions = || listing.sessions.iter();
    let projects = names(library, sessions().map(ListedSession::project_path));
    let models = names(library, sessions().flat_map(|session| &session.summary.models).map(String::as_str));
    let tags = names(library, sessions().filter_map(|session| session.summary.tag.as_deref()));
    let people = names(library, sessions().filter_map(|session| session.person.as_deref()));
    let choice = |name: &str, label: &str, values: &BTreeSet<String>| {
        html! {
            label { (label) " "
                select name=(name) {
                    option value="" { "all" }
                    @for value in values { option value=(value) selected[params.get(name) == Some(value)] { (value) } }
                }
            }
        }
    };
    let check = |name: &str, label: &str| {
        html! {
            label class="check" { input type="checkbox" name=(name) value="1" checked[params.get(name).is_some()]; " " (label) }
        }
    };
    html! {
        form id="filters" action="/" aria-label="Filters" {
            input type="search" name="q" value=[params.get("q")] placeholder="Title, project, id, or words in the text" aria-label="Find sessions" autocomplete="off";
            details open[FIELDS[1..11].iter().any(|name| params.get(name).is_some())] {
                summary { "Filters" }
                div class="grid" {
                    (choice("project", "Project", &projects))
                    (choice("model", "Model", &models))
                    @if !tags.is_empty() { (choice("tag", "Tag", &tags)) }
                    @if !people.is_empty() { (choice("person", "Person", &people)) }
                    label { "From " input type="date" name="since" value=[params.get("since")]; }
                    label { "To " input type="date" name="until" value=[params.get("until")]; }
                    label { "Cost from $ " input type="number" name="cost" min="0" step="0.01" value=[params.get("cost")]; }
                    @if library.is_local() { (check("errors", "has errors")) }
                    (check("agents", "has sub-agents"))
                    @if library.is_local() { (check("vault", "in the vault")) }
                    label { "Sort by "
                        select name="sort" {
                            @for (value, label) in SORTS { option value=(value) selected[params.get("sort") == Some(value)] { (label) } }
                        }
                    }
                }
            }
            noscript { button { "Show" } }
        }
    }
}

fn list(library: &Library, listing: &Listing, params: &Params) -> Markup {
    let filter = SessionFilter::new(params);
    let failing = if filter.has_errors { library.sessions_with_failures() } else { HashSet::new() };
    let mut found: Vec<_> =
        listing.sessions.iter().filter(|session| filter.keeps(library, session, &failing)).collect();
    let archived: Vec<_> =
        listing.archived.iter().filter(|session| filter.keeps_archived(library, session)).collect();
    filter.sort(&mut found);
    let total = found.len();
    let cost: f64 = found.iter().map(|session| session.dollars()).sum();
    let shown: Vec<_> = found.into_iter().skip(filter.from).take(PAGE).collect();
    html! {
        p class="facts" {
            span { (figures::counted(total, "session")) }
            @if listing.has_usage { span { (dollars(cost)) } }
            @if listing.problems > 0 { span { (figures::counted(listing.problems, "file")) " could not be read: annals check --all" } }
            @if listing.left_out > 0 { span { (figures::amount(listing.left_out)) " older sessions are not listed; search finds them" } }
        }
        @if let Some(failure) = &listing.failure { p role="alert" { (annals_ui::one_line(&failure.to_string())) } }
        ul class="sessions" {
            @for session in &shown {
                (row(library, session))
            }
        }
        @if filter.from + PAGE < total {
            p { a class="more" href={ "?" (with_field(params, "from", &(filter.from + PAGE).to_string())) } { "Older sessions" } }
        }
        @if filter.is_archived { (vault_only(library, &archived)) } @else if !archived.is_empty() {
            p class="facts" { a href={ "?" (with_field(params, "vault", "1")) } { (figures::counted(archived.len(), "session")) " that only the vault has" } }
        }
        @if shown.is_empty() && archived.is_empty() && params.get("q").is_none() {
            p { "No sessions here. " @if library.is_local() { code { "annals demo --out DIR" } " writes a made-up store." } }
        }
        @if let Some(words) = params.get("q").filter(|words| words.chars().count() > 1) {
            section aria-label="In the text" { h2 { "In the text" } (search::results(library, words, 8)) }
        }
    }
}

/// The query of the same filters with another field.
fn with_field(params: &Params, field: &str, value: &str) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    for name in FIELDS.into_iter().filter(|name| *name != field) {
        query.extend_pairs(params.get(name).map(|value| (name, value)));
    }
    query.append_pair(field, value);
    query.finish()
}

/// Sessions that only the vault has: what is known of them, and how to get them back.
fn vault_only(library: &Library, sessions: &[&ArchivedSession]) -> Markup {
    html! {
        @if !sessions.is_empty() {
            section aria-label="Only in the vault" {
                h2 { "Only in the vault" }
                ul class="sessions" { @for session in sessions.iter().take(PAGE) { (vault_row(library, session)) } }
                @if sessions.len() > PAGE { p { (sessions.len() - PAGE) " more: annals restore" } }
            }
        }
    }
}

fn vault_row(library: &Library, session: &ArchivedSession) -> Markup {
    let id = line(library, &session.id);
    html! {
        li {
            span class="title" { (session.title.as_deref().map_or_else(|| id.clone(), |title| line(library, title))) }
            span class="facts" {
                @if let Some(project) = &session.project { span { b { (line(library, project)) } } }
                @if let Some(millis) = session.active { span title=(moment(library, millis)) { (age(library, millis)) } }
                span { "archived " (age(library, session.archived)) }
                @for model in session.models.iter().take(2) { span { (line(library, figures::model(model))) } }
                @if let Some(tag) = &session.tag { span class="tag" { (line(library, tag)) } }
                span { (figures::size(session.bytes)) }
            }
            span class="resume" {
                code { "annals restore " (id) }
                button type="button" class="copy" data-copy={ "annals restore " (id) } { "Copy" }
            }
        }
    }
}

fn row(library: &Library, session: &ListedSession) -> Markup {
    let summary = &session.summary;
    let id = session.entry.key.as_str();
    let link = format!("/session/{}?in={}", encoded(id), encoded(session.entry.slug.as_str()));
    html! {
        li {
            a class="title" href=(link) { (line(library, session.title())) }
            span class="facts" {
                span { b { (line(library, session.project())) } }
                @if let Some(person) = &session.person { span { (line(library, person)) } }
                @if let Some(branch) = summary.git_branch.as_ref().filter(|branch| *branch != "HEAD") { span { (line(library, branch)) } }
                @if let Some(millis) = summary.last_activity() { span title=(moment(library, millis)) { (age(library, millis)) } }
                @if let Some(usage) = &session.usage { span class="cost" { (figures::cost(usage)) } }
                @for model in summary.models.iter().take(2) { span { (line(library, figures::model(model))) } }
                @if session.sub_agents > 0 { span { (figures::counted(session.sub_agents, "sub-agent")) } }
                @if let Some(tag) = &summary.tag { span class="tag" { (line(library, tag)) } }
                @if session.has_errors { span class="bad" { "damaged" } }
                @if session.is_archived { span { "in the vault" } }
                span { (figures::size(summary.bytes)) }
                span class="id" { (line(library, &id.chars().take(8).collect::<String>())) }
            }
            @if session.spark.iter().filter(|value| **value > 0.0).count() > 2 { (chart::spark(&session.spark, "Cost over the session's time")) }
        }
    }
}
