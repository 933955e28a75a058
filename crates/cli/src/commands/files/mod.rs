//! `annals files`: the files that sessions read and changed, the versions of one of them, and how to get one back.

mod archived;
mod history;
mod list;
mod restore;

use std::path::{Component, Path, PathBuf};

use annals_index::{TouchingCall, touched_files};

use crate::args::FilesArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::indexed;
use crate::session::ResolvedSession;
use crate::table::one_line;

pub(crate) fn run(args: &FilesArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let mut calls = Vec::new();
    for answer in context.each_store(|context| indexed::query(context, |index| index.touching_calls())) {
        calls.extend(answer?.0);
    }
    let Some(target) = &args.target else {
        return list::run(touched_files(&calls), args, context);
    };
    let is_session_file = target.ends_with(".jsonl");
    let path = if is_session_file { None } else { path_named(target, &calls, context)? };
    let Some(path) = path else {
        // Any path would be taken for a session, and this one is none.
        if !is_session_file && target.contains(std::path::is_separator) {
            return Err(no_such(target));
        }
        let session = match ResolvedSession::find(context, target) {
            Err(fault) if fault.is_nothing_found() => return Err(no_such(target)),
            found => found?,
        };
        if args.restore.is_some() || args.print.is_some() {
            return Err(Fault::usage(format!("{target:?} is a session: name a file"))
                .hint(format!("annals files {target} lists its files")));
        }
        let key = session.key.as_str();
        return list::run(touched_files(calls.iter().filter(|call| call.session == key)), args, context);
    };
    let report = history::FileReport::read(&path, &calls, context)?;
    match (&args.restore, &args.print) {
        (Some(version), _) => restore::run(&report, version, args, context),
        (None, Some(version)) => {
            let version = report.version(version)?;
            let bytes = version.bytes().ok_or_else(|| {
                Fault::nothing_found(format!("version {} has no recorded content", version.number))
            })?;
            context.out.exact(bytes)?;
            Ok(Outcome::Done)
        }
        (None, None) => report.show(context),
    }
}

/// The touched file that an argument names: by its path from here, else by the end of its path.
fn path_named(target: &str, calls: &[TouchingCall], context: &Context) -> Result<Option<PathBuf>, Fault> {
    let here = context.current_dir.clone().unwrap_or_default();
    let named = without_dots(&here.join(target));
    let mut paths: Vec<&str> = calls.iter().map(|call| call.path.as_str()).collect();
    paths.sort_unstable();
    paths.dedup();
    if let Some(path) = paths.iter().find(|path| **path == target || Path::new(path) == named) {
        return Ok(Some(PathBuf::from(path)));
    }
    let end = target.trim_start_matches("./");
    let ends = |path: &&&str| {
        let rest = path.strip_suffix(end);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with(['/', '\\']))
    };
    let several: Vec<&str> = paths.iter().filter(ends).copied().collect();
    match several.as_slice() {
        [] => Ok(None),
        [path] => Ok(Some(PathBuf::from(path))),
        several => {
            let message = format!("{target:?} matches {} files", several.len());
            Err(several.iter().take(10).fold(Fault::usage(message), |fault, path| fault.hint(one_line(path))))
        }
    }
}

fn without_dots(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(out.pop()),
            part => out.push(part),
        }
    }
    out
}

fn no_such(target: &str) -> Fault {
    Fault::nothing_found(format!("no session is called {target:?}, and none read or changed such a file"))
        .hint("annals files lists all files, annals ls all sessions")
}
