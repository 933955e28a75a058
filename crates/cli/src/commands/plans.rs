//! `annals plans`: lists plans with their sessions, or prints one.

use annals_json::ObjectWriter;
use annals_store::plans::{Plan, plans};
use annals_transcript::time::format_millis;
use annals_ui::TerminalText;

use crate::args::PlansArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::Paint;
use crate::table::{Align, Table};
use crate::{json, words};

pub(crate) fn run(args: &PlansArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let discovery = context.discover();
    let (summaries, _) = context.store.summaries(&discovery);
    let mut all = plans(&discovery, &summaries);
    all.sort_by_key(|plan| std::cmp::Reverse(plan.modified));
    if let Some(name) = &args.name {
        return show(&all, name, context);
    }
    if context.json {
        write_json(&all, context)?;
    } else {
        draw(&all, context)?;
    }
    Ok(if all.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}

fn show(all: &[Plan], name: &str, context: &mut Context) -> Result<Outcome, Fault> {
    let name = name.strip_suffix(".md").unwrap_or(name);
    let Some(plan) = all.iter().find(|plan| plan.name == name) else {
        return Err(Fault::nothing_found(format!("no plan {name:?}")).hint("annals plans lists them"));
    };
    let text = plan.text()?;
    if context.json {
        context.out.json(|object| {
            write_plan(plan, object);
            object.string("text", &text);
        })?;
    } else {
        context.out.page();
        context.out.text(TerminalText::block(&text))?;
    }
    Ok(Outcome::Done)
}

fn draw(all: &[Plan], context: &mut Context) -> std::io::Result<()> {
    let heads =
        [("plan", Align::Left), ("modified", Align::Left), ("size", Align::Right), ("sessions", Align::Left)];
    let mut table = Table::new(&heads).paint(0, Paint::Cyan).paint(1, Paint::Dim);
    for plan in all {
        let sessions: Vec<String> =
            plan.sessions.iter().map(|key| key.as_str().chars().take(8).collect()).collect();
        table.row(vec![
            plan.name.clone(),
            plan.modified.map(|ms| words::moment(ms, &context.zone)).unwrap_or_default(),
            words::bytes(plan.bytes),
            sessions.join(" "),
        ]);
    }
    if table.is_empty() { context.out.line("no plans") } else { table.draw(&mut context.out) }
}

fn write_plan(plan: &Plan, object: &mut ObjectWriter<'_>) {
    object.string("name", &plan.name).string("file", &plan.path.display().to_string());
    object
        .string_or_null("modified", plan.modified.map(format_millis).as_deref())
        .number("bytes", plan.bytes);
    json::names(object, "sessions", plan.sessions.iter().map(|key| key.as_str()));
}

fn write_json(all: &[Plan], context: &mut Context) -> std::io::Result<()> {
    context.out.json(|object| {
        object.array("plans", |list| {
            for plan in all {
                list.object(|object| write_plan(plan, object));
            }
        });
    })
}
