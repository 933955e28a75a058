//! `--restore`: writes an old version of a file back.

use annals_surgery::file_versions::{RestoreBlock, RestoreOptions, plan_restore};
use annals_surgery::rewind::ForeignChanges;

use super::history::FileReport;
use crate::args::FilesArgs;
use crate::change::{ChangeReport, Sentence};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::surgery::carry_out;

pub(super) fn run(
    report: &FileReport,
    name: &str,
    args: &FilesArgs,
    context: &mut Context,
) -> Result<Outcome, Fault> {
    let version = report.version(name)?;
    let history = &report.history;
    let session = history
        .session_of(version)
        .ok_or_else(|| Fault::nothing_found(format!("session {} is gone", version.session)))?;
    context.name_session(&session.path);
    let foreign = if args.force { ForeignChanges::Overwritten } else { ForeignChanges::Left };
    let home = context.home.clone();
    let options = RestoreOptions { foreign, home: home.as_deref() };
    let planned = plan_restore(session, &history.path, &history.versions, version, options).map_err(fault)?;
    let change = ChangeReport {
        file: Some(history.path.clone()),
        bytes_before: Some(planned.now.as_ref().map_or(0, |now| now.len() as u64)),
        bytes_after: Some(version.bytes().map_or(0, |bytes| bytes.len() as u64)),
        ..ChangeReport::default()
    };
    let rest = format!("{} to version {}", history.path.display(), version.number);
    carry_out(&planned.plan, args.confirm, change, context, &Sentence::new("restore", "restored", rest))
}

fn fault(block: RestoreBlock) -> Fault {
    let message = block.to_string();
    match block {
        RestoreBlock::ChangedSince { .. } => Fault::conflict(message)
            .hint("nothing was changed")
            .hint("--force restores it anyway; annals undo brings back the current content"),
        RestoreBlock::Protected { .. } => {
            Fault::usage(message).hint("nothing was changed; --force restores it anyway")
        }
        RestoreBlock::Path { .. } | RestoreBlock::Folder { .. } => {
            Fault::usage(message).hint("nothing was changed; --print VERSION prints it")
        }
        RestoreBlock::Unrecorded { .. } | RestoreBlock::Unreadable { .. } => Fault::usage(message),
    }
}
