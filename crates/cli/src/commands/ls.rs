//! `annals ls`: lists sessions, newest first. Plain lists read only the ends of files; `--long` and JSON
//! use the index and the files that are shown; without an index or a limit they read the whole store.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::path::PathBuf;

use annals_json::ObjectWriter;
use annals_store::source::Clock as _;
use annals_store::{Discovery, SessionKey, Summary};
use annals_transcript::time::format_millis;

use super::usage::FORK_NOTE;
use crate::args::{LsArgs, SortKey};
use crate::context::Context;
use crate::deletion::Deletions;
use crate::error::{Fault, Outcome};
use crate::full_overview::{FullOverview, SessionOverview};
use crate::indexed_overview::IndexedOverview;
use crate::output::Paint;
use crate::short_ids::ShortIds;
use crate::stores::Stores;
use crate::table::{Align, Table};
use crate::{json, team_store, vault, when, words};

/// Sessions, which of them only the vault has, and how many there are in total.
type ListedSessions = (Vec<SessionOverview>, HashSet<PathBuf>, usize);

/// The default limit on a terminal.
const ON_A_SCREEN: usize = 20;

/// Branches and projects are recognized by this much.
pub(crate) const MIN_NAME: usize = 12;

/// A title needs this much to say what a session is about.
pub(crate) const MIN_TITLE: usize = 30;

pub(crate) fn run(args: &LsArgs, context: &mut Context) -> Result<Outcome, Fault> {
    if let Some(engine) = args.at.open(context)? {
        team_store::fetch_all(&engine, &args.at.scope.scope(), context)?;
    }
    let filter = SessionFilter::new(args, context)?;
    let by_numbers = matches!(args.sort, SortKey::Cost | SortKey::Tokens | SortKey::Turns);
    if context.json || args.long || by_numbers {
        return full(args, &filter, context);
    }
    let discovery = context.discover_all();
    let (mut summaries, problems) = context.store.summaries(&discovery);
    context.note_unread(problems);
    let kept = vault::of_all_stores(context, vault::deleted_summaries)?;
    let in_vault: HashSet<PathBuf> = kept.iter().map(|summary| summary.path.clone()).collect();
    summaries.extend(kept);
    summaries.retain(|summary| filter.keeps(summary));
    summaries.sort_by(|left, right| order(args.sort, left, right));
    let total = summaries.len();
    summaries.truncate(limit(args, context));
    let ids = ShortIds::new(&discovery, context);
    let mut table = Table::new(&[
        ("session", Align::Left),
        ("active", Align::Left),
        ("age", Align::Right),
        ("size", Align::Right),
        ("branch", Align::Left),
        ("project", Align::Left),
        ("title", Align::Left),
    ])
    .paint(0, Paint::Cyan)
    .paint(1, Paint::Dim)
    .optional(&[3, 1, 4, 5])
    .at_least(4, MIN_NAME)
    .at_least(5, MIN_NAME)
    .at_least(6, MIN_TITLE);
    for summary in &summaries {
        table.row(vec![
            ids.shown(summary.session.as_str()),
            active(summary, context),
            age(summary, context),
            words::bytes(summary.bytes),
            branch(summary),
            project_name(summary),
            marked_title(summary, &in_vault, &ids, context),
        ]);
    }
    table.add_stores(&context.store, summaries.iter().map(|summary| summary.path.as_path()));
    let shown = summaries.len();
    finish(&table, &discovery, total, shown, context)
}

fn full(args: &LsArgs, filter: &SessionFilter, context: &mut Context) -> Result<Outcome, Fault> {
    let most = limit(args, context);
    let (sessions, in_vault, total) = match by_index(args, filter, context)? {
        Some(few) => few,
        None => {
            let overview = FullOverview::of_stores(context);
            context.note_unread(overview.problems);
            let mut sessions = overview.sessions;
            let kept = vault::of_all_stores(context, vault::deleted_survey)?;
            let in_vault = kept.iter().map(|session| session.full.summary.path.clone()).collect();
            sessions.extend(kept);
            sessions.retain(|session| filter.keeps(&session.full.summary));
            sort(&mut sessions, args.sort);
            let total = sessions.len();
            sessions.truncate(most);
            (sessions, in_vault, total)
        }
    };
    if context.json {
        write_json(&sessions, &in_vault, context)?;
        return Ok(if sessions.is_empty() { Outcome::NothingFound } else { Outcome::Done });
    }
    let discovery = context.discover_all();
    let ids = ShortIds::new(&discovery, context);
    let mut table = Table::new(&[
        ("session", Align::Left),
        ("active", Align::Left),
        ("age", Align::Right),
        ("turns", Align::Right),
        ("agents", Align::Right),
        ("tokens", Align::Right),
        ("cost", Align::Right),
        ("branch", Align::Left),
        ("project", Align::Left),
        ("title", Align::Left),
    ])
    .paint(0, Paint::Cyan)
    .paint(1, Paint::Dim)
    .paint(6, Paint::Green)
    .optional(&[4, 5, 1, 3, 7, 8])
    .at_least(7, MIN_NAME)
    .at_least(8, MIN_NAME)
    .at_least(9, MIN_TITLE);
    for session in &sessions {
        let summary = &session.full.summary;
        // These are for the client, which takes whole ids only.
        let id = if args.long { summary.session.to_string() } else { ids.shown(summary.session.as_str()) };
        table.row(vec![
            id,
            active(summary, context),
            age(summary, context),
            words::count(session.full.turns as u64),
            words::count(session.sub_agents as u64),
            words::short_count(session.usage.tokens.total()),
            words::cost(&session.usage),
            branch(summary),
            project_name(summary),
            marked_title(summary, &in_vault, &ids, context),
        ]);
    }
    table.add_stores(&context.store, sessions.iter().map(|session| session.full.summary.path.as_path()));
    let is_free_fork = |session: &SessionOverview| {
        session.full.summary.forked_from.is_some() && session.usage.responses == 0 && session.full.turns > 0
    };
    let outcome = finish(&table, &discovery, total, sessions.len(), context)?;
    if sessions.iter().any(is_free_fork) && context.verbosity >= 0 {
        context.out.painted_note(Some(Paint::Dim), FORK_NOTE)?;
    }
    Ok(outcome)
}

/// Lists sessions by the index, reading only the files that are shown. `None` if more has to be read.
fn by_index(
    args: &LsArgs,
    filter: &SessionFilter,
    context: &Context,
) -> Result<Option<ListedSessions>, Fault> {
    let most = limit(args, context);
    // Turns, models and tags are only known from the whole file.
    let needs_all = args.sort == SortKey::Turns || filter.model.is_some() || filter.tag.is_some();
    if needs_all || most == usize::MAX || !vault::of_all_stores(context, vault::deleted_summaries)?.is_empty()
    {
        return Ok(None);
    }
    let Some(glance) = IndexedOverview::of(context) else { return Ok(None) };
    let mut summaries: Vec<_> = glance.summaries.iter().filter(|summary| filter.keeps(summary)).collect();
    match args.sort {
        SortKey::Cost => summaries.sort_by_cached_key(|summary| Reverse(glance.usage(summary).cost)),
        SortKey::Tokens => {
            summaries.sort_by_cached_key(|summary| Reverse(glance.usage(summary).tokens.total()))
        }
        other => summaries.sort_by(|left, right| order(other, left, right)),
    }
    let total = summaries.len();
    summaries.truncate(most);
    Ok(Some((glance.read(&summaries, context), HashSet::new(), total)))
}

fn sort(sessions: &mut [SessionOverview], key: SortKey) {
    sessions.sort_by(|left, right| match key {
        SortKey::Cost => right.usage.cost.cmp(&left.usage.cost),
        SortKey::Tokens => right.usage.tokens.total().cmp(&left.usage.tokens.total()),
        SortKey::Turns => right.full.turns.cmp(&left.full.turns),
        other => order(other, &left.full.summary, &right.full.summary),
    });
}

fn finish(
    table: &Table,
    discovery: &Discovery,
    total: usize,
    shown: usize,
    context: &mut Context,
) -> Result<Outcome, Fault> {
    if table.is_empty() {
        context.out.line(format!("no sessions found in {}", context.store.names()))?;
        return Ok(Outcome::NothingFound);
    }
    context.out.page();
    table.draw(&mut context.out)?;
    let mut notes = Vec::new();
    if shown < total {
        notes.push(format!("{} more: use --limit N or --all", total - shown));
    }
    if context.out.is_terminal && context.verbosity >= 0 {
        let resume = "annals chat --resume ID, or claude --resume with the whole ID (ls --long)";
        notes.push(format!("Next: annals show ID, {resume}"));
    }
    if !notes.is_empty() {
        context.out.line("")?;
    }
    for note in notes {
        context.out.painted_note(Some(Paint::Dim), note)?;
    }
    if context.store.are_of_team() {
        return Ok(Outcome::Done);
    }
    for warning in Deletions::of(discovery, context).warnings() {
        // What is piped is a list of sessions.
        match context.out.is_terminal {
            true => context.out.painted_note(Some(Paint::Yellow), warning)?,
            false => context.say(warning),
        }
    }
    Ok(Outcome::Done)
}

fn limit(args: &LsArgs, context: &Context) -> usize {
    let usual = if context.out.is_terminal && !context.json && !args.all { ON_A_SCREEN } else { usize::MAX };
    args.limit.unwrap_or(usual)
}

fn order(key: SortKey, left: &Summary, right: &Summary) -> std::cmp::Ordering {
    let by_name = || left.path.cmp(&right.path);
    match key {
        SortKey::Created => right.created_millis.cmp(&left.created_millis).then_with(by_name),
        SortKey::Size => right.bytes.cmp(&left.bytes).then_with(by_name),
        SortKey::Title => title(left).to_lowercase().cmp(&title(right).to_lowercase()).then_with(by_name),
        _ => right.recency().cmp(&left.recency()).then_with(by_name),
    }
}

/// When something last happened in it, for a column; nothing if no line says when.
pub(crate) fn active(summary: &Summary, context: &Context) -> String {
    summary.active_millis.map(|millis| words::moment(millis, &context.zone)).unwrap_or_default()
}

/// How long ago that was.
pub(crate) fn age(summary: &Summary, context: &Context) -> String {
    summary.active_millis.map(|millis| words::age(millis, context.source.now())).unwrap_or_default()
}

/// The git branch, unless no branch was checked out.
pub(crate) fn branch(summary: &Summary) -> String {
    summary.git_branch.clone().filter(|branch| branch != "HEAD").unwrap_or_default()
}

/// The last part of the project's path.
pub(crate) fn project_name(summary: &Summary) -> String {
    let path = summary.project.as_ref().map_or(summary.slug.as_str(), |project| project.path.as_str());
    path.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(path).to_owned()
}

/// The title, marked if only the vault or the team has the session, and with the session that it was forked from.
fn marked_title(summary: &Summary, in_vault: &HashSet<PathBuf>, ids: &ShortIds, context: &Context) -> String {
    let mark = match in_vault.contains(&summary.path) {
        true => "[vault] ",
        false if context.store.is_gone(&summary.path) => "[deleted] ",
        false => "",
    };
    format!("{mark}{}", told_apart(summary, ids))
}

/// The title, with the session that it was forked from: both have the same title.
pub(crate) fn told_apart(summary: &Summary, ids: &ShortIds) -> String {
    match &summary.forked_from {
        Some(origin) => format!("[fork of {}] {}", ids.shown(origin.as_str()), title(summary)),
        None => title(summary),
    }
}

/// The title, or a placeholder.
pub(crate) fn title(summary: &Summary) -> String {
    let none = if summary.bytes == 0 { "(empty)" } else { "(no prompt)" };
    summary.display_title().unwrap_or(none).to_owned()
}

/// Which sessions are listed.
struct SessionFilter {
    project: Option<String>,
    model: Option<String>,
    tag: Option<String>,
    since: Option<i64>,
    until: Option<i64>,
    everything: bool,
}

impl SessionFilter {
    fn new(args: &LsArgs, context: &Context) -> Result<Self, Fault> {
        let (since, until) = when::parse_bounds(args.since.as_deref(), args.until.as_deref(), &context.zone)?;
        Ok(Self {
            project: args.project.as_ref().map(|text| text.to_lowercase()),
            model: args.model.as_ref().map(|text| text.to_lowercase()),
            tag: args.tag.clone(),
            since,
            until,
            everything: args.all,
        })
    }

    fn keeps(&self, summary: &Summary) -> bool {
        let contains = |text: &str, part: &str| text.to_lowercase().contains(part);
        let in_project = |part: &String| {
            contains(summary.slug.as_str(), part)
                || summary.project.as_ref().is_some_and(|p| contains(&p.path, part))
        };
        let moment = summary.last_activity();
        (self.everything || !(summary.is_empty() || summary.is_warm_up))
            && self.project.as_ref().is_none_or(in_project)
            && self.model.as_ref().is_none_or(|part| summary.models.iter().any(|model| contains(model, part)))
            && self.tag.as_ref().is_none_or(|tag| summary.tag.as_ref() == Some(tag))
            && self.since.is_none_or(|since| moment.is_some_and(|at| at >= since))
            && self.until.is_none_or(|until| moment.is_some_and(|at| at < until))
    }
}

fn write_json(
    sessions: &[SessionOverview],
    in_vault: &HashSet<PathBuf>,
    context: &mut Context,
) -> std::io::Result<()> {
    context.out.json(|object| {
        object.array("sessions", |list| {
            for session in sessions {
                list.object(|object| {
                    write_session(session, &context.store, object);
                    context.store.write_name(&session.full.summary.path, object);
                    if in_vault.contains(&session.full.summary.path) {
                        object.boolean("vault", true);
                    }
                    if context.store.is_gone(&session.full.summary.path) {
                        object.boolean("deleted", true);
                    }
                });
            }
        });
    })
}

fn write_session(session: &SessionOverview, stores: &Stores, object: &mut ObjectWriter<'_>) {
    let summary = &session.full.summary;
    let file = stores.display_path(&summary.path);
    object.string("id", summary.session.as_str()).string("file", &file.display().to_string());
    object.string("slug", summary.slug.as_str());
    object.string_or_null("project", summary.project.as_ref().map(|project| project.path.as_str()));
    object.string_or_null("title", summary.display_title());
    object.string_or_null("firstPrompt", summary.first_prompt.as_deref());
    object.string_or_null("created", summary.created.as_deref());
    object.string_or_null("modified", summary.modified.map(format_millis).as_deref());
    object.string_or_null("active", summary.last_activity().map(format_millis).as_deref());
    object.number("bytes", summary.bytes).number("records", session.full.records as u64);
    object.number("turns", session.full.turns as u64).number("subAgents", session.sub_agents as u64);
    object.string_or_null("gitBranch", summary.git_branch.as_deref());
    object.string_or_null("forkedFrom", summary.forked_from.as_ref().map(SessionKey::as_str));
    object.string_or_null("tag", summary.tag.as_deref());
    json::names(object, "versions", &summary.versions);
    json::names(object, "models", &summary.models);
    json::tokens(object, "tokens", &session.usage.tokens);
    json::cost(object, &session.usage);
    object.number("problems", session.full.problem_count() as u64);
}
