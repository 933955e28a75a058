//! `annals new`: creates an empty session.

use annals_store::SessionWriter;
use annals_store::journal::Effect;
use annals_store::session::NewSession;
use annals_transcript::draft::Draft;

use crate::args::NewArgs;
use crate::change::{ChangeReport, record_change};
use crate::context::Context;
use crate::error::{Fault, Outcome};

pub(crate) fn run(args: &NewArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let data = context.data_dir()?;
    let here = context.current_dir.clone();
    let cwd = match (&args.cwd, here) {
        (Some(given), Some(here)) => here.join(given),
        (Some(given), None) => given.clone(),
        (None, Some(here)) => here,
        (None, None) => {
            return Err(Fault::usage("the working directory is unknown").hint("name one: --cwd DIR"));
        }
    };
    if !cwd.is_absolute() {
        return Err(Fault::usage(format!(
            "{}: the working directory must be an absolute path",
            cwd.display()
        )));
    }
    let new = NewSession {
        id: args.session_id.clone(),
        cwd,
        git_branch: args.git_branch.clone(),
        version: Some(args.client_version.clone()),
        entrypoint: Some(args.entrypoint.clone()),
    };
    let source = context.source;
    let mut writer = SessionWriter::create(context.store.config_dir(), &data, &source, new)?;
    let title = args.title.as_deref().map(Draft::custom_title);
    for draft in title.into_iter().chain(args.tag.as_deref().map(Draft::tag)) {
        writer.append_settled(&draft)?;
    }
    let mut change = ChangeReport::of(writer.path());
    drop(writer);
    let bytes = change.bytes_before.take().unwrap_or(0);
    change.bytes_after = Some(bytes);
    let path = change.file.clone().unwrap_or_default();
    change.undo = Some(record_change(context, &data, "new", vec![Effect::Created { path, bytes }])?);
    let id = change.session.clone().unwrap_or_default();
    if context.json {
        change.report(context, "")?;
    } else {
        // Only the id, which the next command needs.
        context.out.line(id)?;
    }
    Ok(Outcome::Done)
}
