//! `annals import`: puts the session of a bundle into a store.

use std::io;
use std::path::Path;

use annals_store::read::read_input;
use annals_surgery::bundle::{
    Bundle, BundleError, ImportIds, ImportPlan, ImportPlanError, ImportTarget, plan,
};

use crate::args::ImportArgs;
use crate::change::{ChangeReport, Sentence};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::surgery::carry_out;
use crate::words;

pub(crate) fn run(args: &ImportArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let bundle = read(&args.file)?;
    let cwd = args.project.as_deref().map(|folder| real(folder, context));
    let target = ImportTarget { config: context.store.config_dir().clone(), cwd };
    let ids = if args.new_id { ImportIds::New } else { ImportIds::Keep };
    let discovery = context.discover();
    let mut import = plan(&bundle, &args.file, &target, ids, &discovery, &context.source).map_err(fault)?;
    add_notes(&mut import, args);
    let files = words::plural(bundle.files.len() as u64, "file", "files");
    let records = words::plural(import.records as u64, "record", "records");
    let name = match ids {
        ImportIds::Keep => import.session.to_string(),
        ImportIds::New => format!("{} as {}", bundle.session, import.session),
    };
    let mut done = Sentence::new("import", "imported", format!("{name}: {records}, {files}"));
    if args.new_id {
        // Ids are random: a preview cannot know the one that the change will make.
        done.would.push_str("; the actual id will differ");
    }
    let change = ChangeReport { bytes_before: Some(0), ..ChangeReport::of(&import.path) };
    carry_out(&import.plan, args.confirm, change, context, &done)
}

/// Reads the bundle; what is wrong with it names the file.
fn read(path: &Path) -> Result<Bundle, Fault> {
    let bundle = match path == Path::new("-") {
        true => Bundle::read(io::stdin().lock()),
        false => Bundle::read(&read_input(path)?[..]),
    };
    bundle.map_err(|error| unreadable(&path.display().to_string(), error))
}

/// Explains why a bundle is not read.
pub(super) fn unreadable(name: &str, error: BundleError) -> Fault {
    let message = format!("{name}: {error}");
    let fault = match error {
        BundleError::NotABundle => Fault::usage(message).hint("annals export SESSION --as bundle writes one"),
        BundleError::Version { .. } => Fault::usage(message).hint("use a newer release of annals"),
        _ => Fault::damage(message).hint("ask for the file again"),
    };
    fault.hint("nothing was changed")
}

/// The working directory as the client takes it: absolute, links resolved.
fn real(folder: &Path, context: &Context) -> String {
    let folder = context.current_dir.as_ref().map_or_else(|| folder.to_path_buf(), |here| here.join(folder));
    folder.canonicalize().unwrap_or(folder).to_string_lossy().into_owned()
}

fn add_notes(import: &mut ImportPlan, args: &ImportArgs) {
    let missing = import.cwd.as_ref().filter(|cwd| !Path::new(cwd).is_dir());
    if let Some(cwd) = missing.filter(|_| args.project.is_none()) {
        import.plan.notes.push(format!("its folder {cwd} is missing here: --project DIR chooses another"));
    }
}

/// Explains why a bundle cannot be imported.
pub(super) fn fault(error: ImportPlanError) -> Fault {
    let message = error.to_string();
    match error {
        ImportPlanError::Exists { .. } => {
            Fault::conflict(message).hint("nothing was changed: --new-id imports it as another session")
        }
        ImportPlanError::InTheWay { .. } => {
            Fault::conflict(message).hint("nothing was changed: --new-id imports it under other names")
        }
        ImportPlanError::Rewrite(_) => Fault::usage(message).hint("nothing was changed"),
        _ => Fault::damage(message).hint("nothing was changed"),
    }
}
