//! `annals todos set`: replaces a todo list, after checking every item.

use std::io::{Read, stdin};
use std::ops::ControlFlow;
use std::path::Path;

use annals_store::AgentKey;
use annals_store::changes::{Change as FileChange, apply};
use annals_store::files::{PlainName, WriteError};
use annals_store::read::read_input;
use annals_store::todos::{TodoItem, list_bytes};

use super::{TodoEntries, TodoEntry, draw};
use crate::args::TodosSetArgs;
use crate::change::ChangeReport;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::ResolvedSession;
use crate::words;

pub(crate) fn run(args: &TodosSetArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let target = ResolvedSession::find(context, &args.session)?;
    target.check_readable()?;
    check_owner(&target, context)?;
    let agent = AgentKey::new(args.agent.clone().unwrap_or_else(|| target.key.to_string()));
    // First, because the name becomes part of a path.
    PlainName::new(agent.as_str(), "the id of an agent").map_err(WriteError::from)?;
    let items = read_items(&args.file)?;
    let config = context.store.config_dir().clone();
    let path = config.todo(&target.key, &agent);
    let file = path.display().to_string();
    let mut change = ChangeReport {
        session: Some(target.key.to_string()),
        file: Some(path.clone()),
        ..ChangeReport::default()
    };
    if !args.confirm.dry_run {
        if context.can_prompt() && !context.confirms(args.confirm, &format!("replace {file}?"))? {
            return Ok(Outcome::Declined);
        }
        let what = format!("todos set {}", target.key);
        let bytes = list_bytes(&items);
        change.bytes_before = Some(std::fs::metadata(&path).map_or(0, |metadata| metadata.len()));
        change.bytes_after = Some(bytes.len() as u64);
        let replaced = [FileChange::Replace { path: path.clone(), bytes: bytes.into() }];
        let (data, source) = (context.data_dir()?, context.source);
        let mut go_on = |_| ControlFlow::Continue(());
        change.undo = Some(apply(&replaced, &what, config.path(), &data, &source, &mut go_on)?.id);
    }
    if !context.json {
        let shown = |item: &TodoItem| TodoEntry {
            text: item.content.clone(),
            status: item.status.name().to_owned(),
            source: Vec::new(),
        };
        let list = TodoEntries {
            kind: "todos",
            session: target.key.to_string(),
            agent: args.agent.clone(),
            file: file.clone(),
            items: items.iter().map(shown).collect(),
        };
        draw(&[list], &[], context)?;
    }
    let would = if args.confirm.dry_run { "would be " } else { "" };
    let count = words::plural(items.len() as u64, "item", "items");
    change.report(context, &format!("{file}: {would}{count}"))?;
    Ok(Outcome::Done)
}

/// Refuses files outside this store, and files of sub-agents.
fn check_owner(target: &ResolvedSession, context: &Context) -> Result<(), Fault> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let store = context.store.config_dir().projects();
    if !real(&target.path).starts_with(real(&store)) {
        let message = format!("{}: not a session of {}", target.path.display(), store.display());
        return Err(Fault::usage(message).hint("name its store: annals --config-dir DIR todos set ..."));
    }
    if target.is_agent_file() {
        let message = format!("{}: the file of a sub-agent", target.path.display());
        return Err(Fault::usage(message).hint("name its session, and the sub-agent with --agent ID"));
    }
    Ok(())
}

fn read_items(file: &Path) -> Result<Vec<TodoItem>, Fault> {
    let is_standard_input = file == Path::new("-");
    let bytes = if is_standard_input {
        let mut bytes = Vec::new();
        let read = stdin().read_to_end(&mut bytes);
        read.map_err(|error| Fault::usage(format!("standard input: {error}")))?;
        bytes
    } else {
        read_input(file)?
    };
    let place = if is_standard_input { "standard input".to_owned() } else { file.display().to_string() };
    TodoItem::list(&bytes).map_err(|error| {
        Fault::usage(format!("{place}: {error}"))
            .hint("nothing was written; annals help todos set shows what an item is")
    })
}
