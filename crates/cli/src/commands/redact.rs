//! `annals redact`: secrets leave a session and all that belongs to it, or are only listed.

use annals_store::{Discovery, Store};
use annals_surgery::Session;
use annals_surgery::redact::{Located, Suspect, plan, scan, suspects};
use annals_transcript::redact::Rules;

use crate::args::RedactArgs;
use crate::change::Change;
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::output::Paint;
use crate::session::Target;
use crate::surgery::carry_out;
use crate::words;

pub(crate) fn run(args: &RedactArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let rules = Rules::new(&args.kind, &args.pattern).map_err(|error| {
        Fault::usage(format!("--pattern is no regular expression: {error}"))
            .hint("put it in single quotes, and a backslash before . ( ) [ ] { } + * ? | that are meant as they stand")
    })?;
    let target = Target::find(context, &args.session)?;
    target.check_readable()?;
    let (session, files) = read(&target)?;
    if args.scan {
        return report(&session, &files, &scan(&files, &rules), context);
    }
    let plan = plan(&session, &files, &rules)
        .map_err(|error| Fault::usage(error.to_string()).hint("make the pattern narrower"))?;
    let done = plan.what.replacen("redact", "redacted", 1);
    carry_out(&plan, args.care, Change::of(&target.path), context, &done)
}

/// The session and every file that speaks of it, in whatever store it lies, or in none.
fn read(target: &Target) -> Result<(Session, Vec<Suspect>), Fault> {
    let config = annals_store::ConfigDir::containing(&target.path);
    let discovery = match &config {
        Some(config) => Some(Store::open(config.path()).discover()),
        None => Discovery::near(&target.path).ok(),
    };
    let session = Session::load_from(&target.path, discovery.as_ref())?;
    let files = suspects(&session, discovery.as_ref())?;
    Ok((session, files))
}

fn report(
    session: &Session,
    files: &[Suspect],
    found: &[Located],
    context: &mut Context,
) -> Result<Outcome, Fault> {
    let bytes: usize = files.iter().map(|file| file.bytes.len()).sum();
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
            context.out.line(format!("  line {line}, byte {offset}: {} {}", secret.kind, secret.masked))?;
        }
        let looked =
            format!("{}, {}", words::plural(files.len() as u64, "file", "files"), words::bytes(bytes as u64));
        let count = words::plural(found.len() as u64, "secret", "secrets");
        context.out.line(format!("{count} found in {looked}"))?;
    }
    Ok(if found.is_empty() { Outcome::Done } else { Outcome::ProblemsFound })
}
