//! `annals redact`: replaces secrets in a session and everything that belongs to it, or lists them.

use annals_store::{Discovery, Store};
use annals_surgery::Session;
use annals_surgery::redact::{
    RedactFile, Remedy, SecretLocation, command_copies, files_left_out, files_to_redact, not_searched, plan,
    scan, scan_left_out,
};
use annals_transcript::redact::SecretRules;

use crate::args::RedactArgs;
use crate::change::{ChangeReport, Sentence};
use crate::context::Context;
use crate::drafts;
use crate::error::{Fault, Outcome};
use crate::indexed;
use crate::output::Paint;
use crate::session::ResolvedSession;
use crate::surgery::carry_out;
use crate::words;

pub(crate) fn run(args: &RedactArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let rules =
        SecretRules::new(&args.kind, &context.redaction_patterns(&args.pattern)).map_err(|error| {
            Fault::usage(format!("--pattern is not a regular expression: {error}"))
                .hint("quote it, and put a backslash before . ( ) [ ] { } + * ? | to match them literally")
        })?;
    let target = ResolvedSession::find(context, &args.session)?;
    target.check_readable()?;
    let (session, files) = read(&target, context)?;
    if args.scan {
        let mut found = scan(&files, &rules);
        found.extend(scan_left_out(&files_left_out(&session), &rules));
        return report(&session, &files, &found, context);
    }
    if !args.confirm.dry_run {
        drafts::remove_left_behind(context.data_dir()?.path());
    }
    let plan = plan(&session, &files, &rules)
        .map_err(|error| Fault::usage(error.to_string()).hint("make the pattern narrower"))?;
    let rest = plan.what.strip_prefix("redact ").unwrap_or(&plan.what);
    let done = Sentence::new("redact", "redacted", rest);
    let outcome = carry_out(&plan, args.confirm, ChangeReport::of(&target.path), context, &done)?;
    let is_changed = outcome == Outcome::Done && !plan.is_empty() && !args.confirm.dry_run;
    if is_changed && indexed::exists(context) {
        forget_index(context);
    }
    // What was not searched may hold secrets.
    let is_whole = not_searched(&session, &files).is_empty();
    Ok(if outcome == Outcome::Done && !is_whole { Outcome::ProblemsFound } else { outcome })
}

/// Removes the search index, which holds the old text; bringing it up to date would leave that in free pages of the file.
fn forget_index(context: &Context) {
    match indexed::remove(context) {
        Ok(()) => context
            .say("the search index contained the old text and was removed; the next search builds it again"),
        Err(_) => context.say("the search index still contains the old text; run: annals index --rebuild"),
    }
}

/// Reads the session and every file that refers to it, in any store or none.
fn read(target: &ResolvedSession, context: &Context) -> Result<(Session, Vec<RedactFile>), Fault> {
    let config = annals_store::ConfigDir::containing(&target.path);
    let discovery = match &config {
        Some(config) => Some(Store::open(config.path()).discover()),
        None => Discovery::near(&target.path).ok(),
    };
    let session = Session::load_from(&target.path, discovery.as_ref())?;
    let mut files = files_to_redact(&session, discovery.as_ref())?;
    files.extend(command_copies(&session, &context.data_dir()?)?);
    Ok((session, files))
}

fn report(
    session: &Session,
    files: &[RedactFile],
    found: &[SecretLocation],
    context: &mut Context,
) -> Result<Outcome, Fault> {
    let bytes: usize = files.iter().map(|file| file.bytes.len()).sum();
    let skipped = not_searched(session, files);
    if context.json {
        context.out.json(|object| {
            object.string("session", session.key.as_str());
            object.number("files", files.len() as u64).number("bytes", bytes as u64);
            object.array("findings", |list| {
                for secret in found {
                    list.object(|object| {
                        object.string("kind", secret.kind.name());
                        object.string("file", &secret.path.to_string_lossy());
                        object.number("line", secret.line as u64).number("offset", secret.offset as u64);
                        object.string("preview", &secret.masked);
                        object.string_if("left", left(secret.remedy));
                    });
                }
            });
            object.array("notSearched", |list| {
                for entry in &skipped {
                    list.object(|object| {
                        object.string("file", &entry.path.to_string_lossy()).string("reason", entry.why);
                    });
                }
            });
        })?;
    } else {
        let mut last = None;
        for secret in found {
            if last != Some(&secret.path) {
                let head = context.out.paint(Paint::Bold, secret.path.display().to_string());
                context.out.line(head)?;
                last = Some(&secret.path);
            }
            let (line, offset) = (secret.line, secret.offset);
            let rest = left(secret.remedy).map_or(String::new(), |why| format!(" (left: {why})"));
            context
                .out
                .line(format!("  line {line}, byte {offset}: {} {}{rest}", secret.kind, secret.masked))?;
        }
        let looked =
            format!("{}, {}", words::plural(files.len() as u64, "file", "files"), words::bytes(bytes as u64));
        let count = words::plural(found.len() as u64, "secret", "secrets");
        context.out.line(format!("{count} found in {looked}"))?;
        for entry in &skipped {
            context.say(entry.to_string());
        }
    }
    Ok(if found.is_empty() && skipped.is_empty() { Outcome::Done } else { Outcome::ProblemsFound })
}

/// Why a secret is not replaced.
fn left(remedy: Remedy) -> Option<&'static str> {
    match remedy {
        Remedy::Replace => None,
        Remedy::KeepStructure => Some("structure"),
        Remedy::KeepShared => Some("shared file"),
    }
}
