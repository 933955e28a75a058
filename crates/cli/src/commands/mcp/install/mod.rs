//! `annals mcp install`: registers `annals mcp serve` with clients. What will be written is shown first, written in one change,
//! and noted in the journal.

mod clients;
mod difference;

use std::ops::ControlFlow;

use annals_store::changes::{Change, ChangeSet};
use annals_store::digest::sha256_bytes;
use annals_store::files::FolderLock;
use annals_store::mcp_servers::McpEdit;
use annals_store::read::read_below;

use super::{LOCK_TIMEOUT_MS, files, lock_name};
use crate::args::{ClientChoice, McpInstallArgs};
use crate::change::ChangeReport;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::words;
use clients::{Registration, edit_of};

/// The skill, in the folder of skills of the original client.
const SKILL: &str = include_str!("skill.md");
const SKILL_FILE: &str = "skills/annals-memory/SKILL.md";

pub(super) fn run(args: &McpInstallArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let registration = Registration::new(args, context)?;
    let mut edits = Vec::new();
    for (at, client) in args.clients.iter().enumerate() {
        if args.clients[..at].contains(client) {
            continue;
        }
        edits.push(edit_of(*client, &registration, &files(context)?, context)?);
        if *client == ClientChoice::ClaudeCode && !args.no_skill {
            let path = context.store.config_dir().path().join(SKILL_FILE);
            let before =
                path.exists().then(|| read_below(context.store.config_dir().path(), &path)).transpose()?;
            edits.push(McpEdit { path, before, after: SKILL.as_bytes().to_vec() });
        }
    }
    edits.retain(|edit| edit.before.as_ref() != Some(&edit.after));
    if edits.is_empty() {
        ChangeReport::default().report(context, "annals is registered already; nothing to change")?;
        return Ok(Outcome::Done);
    }
    if !context.json {
        for edit in &edits {
            difference::show(edit, context)?;
        }
    }
    let count = words::plural(edits.len() as u64, "file", "files");
    let mut report = ChangeReport {
        file: edits.first().map(|edit| edit.path.clone()),
        notes: edits.iter().skip(1).map(|edit| format!("also {}", edit.path.display())).collect(),
        ..ChangeReport::default()
    };
    if args.confirm.dry_run {
        report.report(context, &format!("would write {count}"))?;
        return Ok(Outcome::Done);
    }
    if !context.confirms(args.confirm, &format!("write {count}?"))? {
        return Ok(Outcome::Declined);
    }
    report.undo = Some(write(&edits, context)?);
    report.report(context, &format!("wrote {count}; restart the clients to use it"))?;
    Ok(Outcome::Done)
}

/// Writes all of them in one change, and returns the id of its entry in the journal.
fn write(edits: &[McpEdit], context: &Context) -> Result<String, Fault> {
    let mut locks = Vec::new();
    for edit in edits.iter().filter(|edit| edit.before.is_some()) {
        // The original client takes a lock of this name for its own file.
        let lock = edit.path.with_file_name(lock_name(&edit.path));
        let held = FolderLock::take(&lock, &context.source, LOCK_TIMEOUT_MS);
        locks.push(held.map_err(|error| Fault::conflict(error.to_string()))?);
    }
    let change = |edit: &McpEdit| {
        let (path, bytes) = (edit.path.clone(), edit.after.clone().into());
        match edit.before {
            Some(_) => Change::Replace { path, bytes },
            None => Change::Create { path, bytes, mode: None },
        }
    };
    let changes: Vec<Change> = edits.iter().map(change).collect();
    let digest = |edit: &McpEdit| Some((edit.path.clone(), sha256_bytes(edit.before.as_ref()?)));
    let based_on: Vec<_> = edits.iter().filter_map(digest).collect();
    let set = ChangeSet {
        changes: &changes,
        what: "register annals mcp serve",
        root: context.store.config_dir().path(),
        based_on: &based_on,
    };
    let entry = set.apply(&context.data_dir()?, &context.source, &mut |_| ControlFlow::Continue(()))?;
    Ok(entry.id)
}
