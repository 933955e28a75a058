//! `annals mcp`: the MCP servers that `annals chat` starts, and the one that annals is itself.

mod add;
mod approve;
mod definition;
mod install;
mod list;
mod login;
mod remove;
pub(super) mod serve;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use annals_policy::paths::Disk;
use annals_policy::{Trust, TrustFile};
use annals_store::changes::{Change, ChangeSet};
use annals_store::digest::sha256_bytes;
use annals_store::files::FolderLock;
use annals_store::mcp_servers::{McpEdit, McpFileError, McpFiles, McpScope};

use super::chat::servers::{FoundServer, ServerSearch, find, managed_file};
use crate::args::{ConfirmArgs, McpArgs, McpCommand, ScopeChoice};
use crate::change::ChangeReport;
use crate::context::Context;
use crate::error::{Fault, Outcome};

/// How long another program may hold the lock of a file, in milliseconds.
const LOCK_TIMEOUT_MS: u64 = 2000;

pub(crate) fn run(args: &McpArgs, context: &mut Context) -> Result<Outcome, Fault> {
    match &args.command {
        McpCommand::Serve(args) => serve::run(args, context),
        McpCommand::Install(args) => install::run(args, context),
        McpCommand::Add(args) => add::run(args, context),
        McpCommand::AddJson(args) => add::run_json(args, context),
        McpCommand::List(args) => list::run(args, context),
        McpCommand::Get(args) => list::get(args, context),
        McpCommand::Remove(args) => remove::run(args, context),
        McpCommand::Approve(args) => approve::run(args, context),
        McpCommand::Login(args) => login::run(args, context),
        McpCommand::Logout(args) => login::logout(args, context),
    }
}

impl ScopeChoice {
    fn scope(self) -> McpScope {
        match self {
            Self::Local => McpScope::Local,
            Self::Project => McpScope::Project,
            Self::User => McpScope::User,
        }
    }
}

fn folder(context: &Context) -> Result<PathBuf, Fault> {
    context.current_dir.clone().ok_or_else(|| Fault::usage("the current folder no longer exists"))
}

fn files(context: &Context) -> Result<McpFiles, Fault> {
    Ok(McpFiles::new(context.store.config_dir(), context.home.as_deref(), &folder(context)?))
}

/// Returns the servers that are configured for this folder; those of folders that nobody trusts are named, and not started.
fn configured(context: &Context) -> Result<Vec<FoundServer>, Fault> {
    let cwd = folder(context)?;
    let trust = TrustFile::new(&context.data_dir()?);
    let is_trusted = |folder: &&Path| trust.of(&Disk, folder).is_ok_and(|trust| trust == Trust::Trusted);
    let mut trusted: Vec<PathBuf> = cwd.ancestors().filter(is_trusted).map(Path::to_path_buf).collect();
    trusted.reverse();
    // Whether it is trusted or not, the folder's own servers are listed.
    let is_here = trusted.last() == Some(&cwd);
    trusted.extend(Some(cwd.clone()).filter(|_| !is_here));
    let settings = super::chat::settings_here(context);
    let (settings, managed) = (&settings, &managed_file());
    let search =
        ServerSearch { context, cwd: &cwd, given: &[], is_strict: false, trusted, settings, managed };
    let (found, problems) = find(&search)?;
    problems.iter().for_each(|problem| context.say(problem));
    Ok(found)
}

/// Makes a change of one entry: asks, writes with a lock and an undo entry, and reports.
fn change(
    edit: McpEdit,
    confirm: ConfirmArgs,
    (what, done): (&str, &str),
    context: &mut Context,
) -> Result<Outcome, Fault> {
    let file = edit.path.display().to_string();
    let mut report = ChangeReport {
        file: Some(edit.path.clone()),
        bytes_before: Some(edit.before.as_ref().map_or(0, |bytes| bytes.len() as u64)),
        bytes_after: Some(edit.after.len() as u64),
        ..ChangeReport::default()
    };
    if confirm.dry_run {
        report.report(context, &format!("would {what} in {file}"))?;
        return Ok(Outcome::Done);
    }
    if !context.confirms(confirm, &format!("{what} in {file}?"))? {
        return Ok(Outcome::Declined);
    }
    let data = context.data_dir()?;
    let lock = edit.path.with_file_name(lock_name(&edit.path));
    // The original client takes a lock of this name.
    let held = FolderLock::take(&lock, &context.source, LOCK_TIMEOUT_MS);
    let _lock = held.map_err(|error| Fault::conflict(error.to_string()))?;
    let bytes = edit.after.into();
    let changes = match &edit.before {
        Some(_) => [Change::Replace { path: edit.path.clone(), bytes }],
        None => [Change::Create { path: edit.path.clone(), bytes, mode: None }],
    };
    let based_on: Vec<_> =
        edit.before.iter().map(|before| (edit.path.clone(), sha256_bytes(before))).collect();
    let set =
        ChangeSet { changes: &changes, what, root: context.store.config_dir().path(), based_on: &based_on };
    let entry = set.apply(&data, &context.source, &mut |_| ControlFlow::Continue(()))?;
    report.undo = Some(entry.id);
    report.report(context, &format!("{done} in {file}"))?;
    Ok(Outcome::Done)
}

fn lock_name(path: &Path) -> String {
    format!("{}.lock", path.file_name().unwrap_or_default().to_string_lossy())
}

impl From<McpFileError> for Fault {
    fn from(error: McpFileError) -> Self {
        match error {
            McpFileError::Read(error) => error.into(),
            McpFileError::NotFound { .. } => Self::nothing_found(error.to_string()),
            error => Self::usage(error.to_string()),
        }
    }
}
