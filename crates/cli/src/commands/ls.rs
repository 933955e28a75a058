//! `annals ls`: lists sessions, newest first. Plain lists read only the ends of files; `--long` uses the index and the files
//! that are shown; JSON, and `--long` without an index, read the whole store.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::path::PathBuf;

use annals_json::ObjectWriter;
use annals_store::Summary;
use annals_transcript::time::format_millis;

use crate::args::{LsArgs, SortKey};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::full_overview::{FullOverview, SessionOverview};
use crate::indexed_overview::IndexedOverview;
use crate::output::Paint;
use crate::table::{Align, Table};
use crate::{json, vault, when, words};

/// Sessions, which of them only the vault has, and how many there are in total.
type ListedSessions = (Vec<SessionOverview>, HashSet<PathBuf>, usize);

/// The default limit on a terminal.
const ON_A_SCREEN: usize = 20;

pub(crate) fn run(args: &LsArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let filter = SessionFilter::new(args, context)?;
    let by_numbers = matches!(args.sort, SortKey::Cost | SortKey::Tokens | SortKey::Turns);
    if context.json || args.long || by_numbers {
        return full(args, &filter, context);
    }
    let discovery = context.discover();
    let (mut summaries, problems) = context.store.summaries(&discovery);
    context.note_unread(problems);
    let kept = vault::deleted_summaries(context)?;
    let in_vault: HashSet<PathBuf> = kept.iter().map(|summary| summary.path.clone()).collect();
    summaries.extend(kept);
    summaries.retain(|summary| filter.keeps(summary));
    summaries.sort_by(|left, right| order(args.sort, left, right));
    let total = summaries.len();
    summaries.truncate(limit(args, context));
    let mut table = Table::new(&[
        ("session", Align::Left),
        ("active", Align::Left),
        ("size", Align::Right),
        ("project", Align::Left),
        ("title", Align::Left),
    ])
    .paint(0, Paint::Cyan)
    .paint(1, Paint::Dim)
    .keys(&[0, 1])
    .optional(&[2]);
    for summary in &summaries {
        table.row(vec![
            short_id(summary),
            summary.last_activity().map(|ms| words::moment(ms, &context.zone)).unwrap_or_default(),
            words::bytes(summary.bytes),
            project_name(summary),
            marked_title(summary, &in_vault),
        ]);
    }
    finish(&table, total, summaries.len(), context)
}

fn full(args: &LsArgs, filter: &SessionFilter, context: &mut Context) -> Result<Outcome, Fault> {
    let most = limit(args, context);
    let (sessions, in_vault, total) = match by_index(args, filter, context)? {
        Some(few) => few,
        None => {
            let overview = FullOverview::of(&context.store, &context.prices);
            context.note_unread(overview.problems);
            let mut sessions = overview.sessions;
            let kept = vault::deleted_survey(context)?;
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
    let mut table = Table::new(&[
        ("session", Align::Left),
        ("active", Align::Left),
        ("turns", Align::Right),
        ("agents", Align::Right),
        ("tokens", Align::Right),
        ("cost", Align::Right),
        ("project", Align::Left),
        ("title", Align::Left),
    ])
    .paint(0, Paint::Cyan)
    .paint(1, Paint::Dim)
    .paint(5, Paint::Green)
    .keys(&[0, 1])
    .optional(&[3, 4, 2, 6]);
    for session in &sessions {
        let summary = &session.full.summary;
        table.row(vec![
            short_id(summary),
            summary.last_activity().map(|ms| words::moment(ms, &context.zone)).unwrap_or_default(),
            words::count(session.full.turns as u64),
            words::count(session.sub_agents as u64),
            words::short_count(session.usage.tokens.total()),
            words::dollars(session.usage.cost.dollars()),
            project_name(summary),
            marked_title(summary, &in_vault),
        ]);
    }
    finish(&table, total, sessions.len(), context)
}

/// Lists sessions by the index, reading only the files that are shown. `None` if more has to be read.
fn by_index(
    args: &LsArgs,
    filter: &SessionFilter,
    context: &Context,
) -> Result<Option<ListedSessions>, Fault> {
    let most = limit(args, context);
    // Turns, models and tags are only known from the whole file.
    let needs_all =
        context.json || args.sort == SortKey::Turns || filter.model.is_some() || filter.tag.is_some();
    if needs_all || most == usize::MAX || !vault::deleted_summaries(context)?.is_empty() {
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

fn finish(table: &Table, total: usize, shown: usize, context: &mut Context) -> Result<Outcome, Fault> {
    if table.is_empty() {
        context.out.line(format!("no sessions found in {}", context.store.config_dir().path().display()))?;
        return Ok(Outcome::NothingFound);
    }
    table.draw(&mut context.out)?;
    if shown < total {
        context.out.line("")?;
        let more = format!("{} more: use --limit N or --all", total - shown);
        let more = context.out.paint(Paint::Dim, more);
        context.out.line(more)?;
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
        _ => right.last_activity().cmp(&left.last_activity()).then_with(by_name),
    }
}

/// The first eight characters of the id.
pub(crate) fn short_id(summary: &Summary) -> String {
    summary.session.as_str().chars().take(8).collect()
}

/// The last part of the project's path.
pub(crate) fn project_name(summary: &Summary) -> String {
    let path = summary.project.as_ref().map_or(summary.slug.as_str(), |project| project.path.as_str());
    path.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(path).to_owned()
}

/// The title, marked if only the vault has the session.
fn marked_title(summary: &Summary, in_vault: &HashSet<PathBuf>) -> String {
    let mark = if in_vault.contains(&summary.path) { "[vault] " } else { "" };
    format!("{mark}{}", title(summary))
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
                    write_session(session, object);
                    if in_vault.contains(&session.full.summary.path) {
                        object.boolean("vault", true);
                    }
                });
            }
        });
    })
}

fn write_session(session: &SessionOverview, object: &mut ObjectWriter<'_>) {
    let summary = &session.full.summary;
    object.string("id", summary.session.as_str()).string("file", &summary.path.display().to_string());
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
    object.string_or_null("tag", summary.tag.as_deref());
    json::names(object, "versions", &summary.versions);
    json::names(object, "models", &summary.models);
    json::tokens(object, "tokens", &session.usage.tokens);
    json::cost(object, &session.usage);
    object.number("problems", session.full.problem_count() as u64);
}
