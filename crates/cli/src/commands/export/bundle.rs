//! `--as bundle`: a session with its sub-agents and side files in one file, for `annals import`.

use std::path::{Path, PathBuf};

use annals_store::files::replace_file;
use annals_surgery::bundle::{Bundle, GatherError, gather};

use crate::args::{ExportArgs, ExportDetail};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::ResolvedSession;
use crate::words;

pub(super) fn run(
    args: &ExportArgs,
    targets: &[ResolvedSession],
    context: &mut Context,
) -> Result<Outcome, Fault> {
    if args.redact || args.detail != ExportDetail::Full {
        return Err(Fault::usage("a bundle is the session itself, whole and unchanged")
            .hint("to share less, export a page, or redact or strip a clone first"));
    }
    let is_stdout = args.to == Path::new("-");
    if is_stdout && context.out.is_terminal {
        return Err(Fault::usage("cannot write a bundle to a terminal").hint("name a file: --to FILE"));
    }
    let is_folder = args.to.is_dir() || args.to.as_os_str().to_string_lossy().ends_with('/');
    if targets.len() > 1 && !is_folder {
        let count = targets.len();
        return Err(Fault::usage(format!("a bundle has one session, but {count} were named"))
            .hint("name a folder that exists: --to DIR"));
    }
    let mut written = Vec::new();
    for target in targets {
        let (bundle, bytes) = pack(target, context)?;
        if is_stdout {
            context.out.exact(&bytes)?;
            return Ok(Outcome::Done);
        }
        let name = format!("{}.bundle", target.key);
        let file = if is_folder { args.to.join(name) } else { args.to.clone() };
        if file.symlink_metadata().is_ok() && !args.force {
            return Err(Fault::conflict(format!("{}: the file already exists", file.display()))
                .hint("--force replaces it"));
        }
        replace_file(&file, &bytes)?;
        written.push((bundle, file, bytes.len() as u64));
    }
    report(&written, context)
}

/// The bundle of a session.
pub(crate) fn bundle_of(target: &ResolvedSession, context: &Context) -> Result<Vec<u8>, Fault> {
    pack(target, context).map(|(_, bytes)| bytes)
}

/// Packs a session in memory, and says what does not go with it.
fn pack(target: &ResolvedSession, context: &Context) -> Result<(Bundle, Vec<u8>), Fault> {
    let path = std::path::absolute(&target.path).unwrap_or_else(|_| target.path.clone());
    let (bundle, left_out) = gather(&path).map_err(|error| match error {
        GatherError::Read(error) => error.into(),
        GatherError::NotASession { .. } => {
            Fault::usage(error.to_string()).hint("name the session that it belongs to")
        }
    })?;
    for path in left_out {
        context.say(format!(
            "{} stays here: it is not for other machines",
            target.display_path(&path).display()
        ));
    }
    let mut bytes = Vec::new();
    bundle.write(&mut bytes)?;
    Ok((bundle, bytes))
}

fn report(written: &[(Bundle, PathBuf, u64)], context: &mut Context) -> Result<Outcome, Fault> {
    let place = |file: &Path| file.display().to_string();
    if context.json {
        context.out.json(|object| {
            object.array("written", |list| {
                for (bundle, file, size) in written {
                    list.object(|object| {
                        object.string("session", bundle.session.as_str()).string("file", &place(file));
                        object.number("files", bundle.files.len() as u64).number("bytes", bundle.bytes());
                        object.number("stored", *size);
                    });
                }
            });
        })?;
        return Ok(Outcome::Done);
    }
    for (bundle, file, size) in written {
        let files = words::plural(bundle.files.len() as u64, "file", "files");
        let (bytes, size) = (words::bytes(bundle.bytes()), words::bytes(*size));
        let place = place(file);
        context.out.line(format!("{place}: {}, {files}, {bytes} in {size}", bundle.session))?;
    }
    if let [(_, file, _)] = written
        && context.verbosity >= 0
    {
        context.out.line(format!("  to put it into another store: annals import {}", place(file)))?;
    }
    Ok(Outcome::Done)
}
