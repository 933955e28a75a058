//! `annals plans`: lists plans with their sessions, or memory files of projects, or prints one of them.

use annals_json::ObjectWriter;
use annals_store::memory::{MemoryFile, memory_files};
use annals_store::plans::{Plan, plans};
use annals_transcript::time::format_millis;
use annals_ui::TerminalText;

use crate::args::PlansArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::Paint;
use crate::stores::Stores;
use crate::table::{Align, Table, one_line};
use crate::{json, words};

pub(crate) fn run(args: &PlansArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let discovery = context.discover_all();
    if args.memory {
        return memory(args, &memory_files(&discovery), context);
    }
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
    let named: Vec<_> = all.iter().filter(|plan| plan.name == name).collect();
    let plan = match named.as_slice() {
        [plan] => plan,
        [] => return Err(Fault::nothing_found(format!("no plan {name:?}")).hint("annals plans lists them")),
        several => {
            let fault = Fault::usage(format!("{} stores have a plan {name:?}", several.len()));
            let store = |plan: &Plan| context.store.name_of(&plan.path).unwrap_or_default();
            return Err(several
                .iter()
                .fold(fault, |fault, plan| fault.hint(format!("--config-dir {}", one_line(&store(plan))))));
        }
    };
    print(&plan.text()?, |object, stores| write_plan(plan, stores, object), context)
}

fn print(
    text: &str,
    describe: impl FnOnce(&mut ObjectWriter<'_>, &Stores),
    context: &mut Context,
) -> Result<Outcome, Fault> {
    if context.json {
        context.out.json(|object| {
            describe(object, &context.store);
            object.string("text", text);
        })?;
    } else {
        context.out.page();
        context.out.text(TerminalText::block(text))?;
    }
    Ok(Outcome::Done)
}

fn memory(args: &PlansArgs, all: &[MemoryFile], context: &mut Context) -> Result<Outcome, Fault> {
    if let Some(name) = &args.name {
        let is_named = |file: &&MemoryFile| {
            let full = file.full_name();
            full == *name || full.ends_with(&format!("/{name}"))
        };
        let named: Vec<_> = all.iter().filter(is_named).collect();
        return match named.as_slice() {
            [file] => print(&file.text()?, |object, stores| write_memory(file, stores, object), context),
            [] => Err(Fault::nothing_found(format!("no memory file {name:?}"))
                .hint("annals plans --memory lists them")),
            several => {
                let fault = Fault::usage(format!("{name:?} matches {} memory files", several.len()));
                Err(several
                    .iter()
                    .take(10)
                    .fold(fault, |fault, file| fault.hint(one_line(&file.full_name()))))
            }
        };
    }
    if context.json {
        context.out.json(|object| {
            object.array("plans", |_| ());
            object.array("memory", |list| {
                for file in all {
                    list.object(|object| write_memory(file, &context.store, object));
                }
            });
        })?;
    } else {
        let heads = [("memory file", Align::Left), ("modified", Align::Left), ("size", Align::Right)];
        let mut table = Table::new(&heads).paint(0, Paint::Cyan).paint(1, Paint::Dim);
        for file in all {
            let modified = file.modified.map(|ms| words::moment(ms, &context.zone)).unwrap_or_default();
            table.row(vec![file.full_name(), modified, words::bytes(file.bytes)]);
        }
        table.add_stores(&context.store, all.iter().map(|file| file.path.as_path()));
        match table.is_empty() {
            true => context.out.line("no memory files")?,
            false => table.draw(&mut context.out)?,
        }
    }
    Ok(if all.is_empty() { Outcome::NothingFound } else { Outcome::Done })
}

fn write_memory(file: &MemoryFile, stores: &Stores, object: &mut ObjectWriter<'_>) {
    object.string("name", &file.full_name()).string("project", file.slug.as_str());
    object.string("file", &file.path.display().to_string());
    object
        .string_or_null("modified", file.modified.map(format_millis).as_deref())
        .number("bytes", file.bytes);
    stores.write_name(&file.path, object);
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
    table.add_stores(&context.store, all.iter().map(|plan| plan.path.as_path()));
    if table.is_empty() { context.out.line("no plans") } else { table.draw(&mut context.out) }
}

fn write_plan(plan: &Plan, stores: &Stores, object: &mut ObjectWriter<'_>) {
    object.string("name", &plan.name).string("file", &plan.path.display().to_string());
    object
        .string_or_null("modified", plan.modified.map(format_millis).as_deref())
        .number("bytes", plan.bytes);
    stores.write_name(&plan.path, object);
    json::names(object, "sessions", plan.sessions.iter().map(|key| key.as_str()));
}

fn write_json(all: &[Plan], context: &mut Context) -> std::io::Result<()> {
    context.out.json(|object| {
        object.array("plans", |list| {
            for plan in all {
                list.object(|object| write_plan(plan, &context.store, object));
            }
        });
    })
}
