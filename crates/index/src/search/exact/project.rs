//! Whether a file belongs to a project, by the rule of the index: the name of its folder or a working directory of its
//! records.

use annals_transcript::line::Line;
use annals_transcript::objects::read_objects;
use annals_transcript::record::{Record, RecordKind};
use annals_transcript::record_lines::record_lines;
use memchr::memmem::Finder;

/// Whether the project's folder or a working directory contains the given text; case does not matter.
pub(super) fn is_of_project(slug: &str, bytes: &[u8], project: &str) -> bool {
    let project = project.to_ascii_lowercase();
    let as_slug = project.replace(['/', '.', '_'], "-");
    slug.to_ascii_lowercase().contains(&as_slug) || names_folder(bytes, &project)
}

fn names_folder(bytes: &[u8], project: &str) -> bool {
    let finder = Finder::new(b"\"cwd\"");
    // Nearly every line has a working directory, and nearly always one that was checked already.
    let mut known: Vec<Vec<u8>> = Vec::new();
    record_lines(bytes).any(|line| {
        let is_known = |place: usize| known.iter().any(|known| line.raw()[place..].starts_with(known));
        if finder.find_iter(line.raw()).all(is_known) {
            return false;
        }
        folders(&line).into_iter().any(|(written, folder)| {
            known.push(written);
            folder.to_ascii_lowercase().contains(project)
        })
    })
}

/// The working directories of a line: as written with their key, and decoded.
fn folders(line: &Line<'_>) -> Vec<(Vec<u8>, String)> {
    let mut found = Vec::new();
    let look = |fields: annals_json::Fields<'_>, _| {
        let record = Record::new(fields);
        if record.kind() == RecordKind::Relocated {
            return;
        }
        if let Some(folder) = record.fields().text("cwd") {
            let written = [b"\"cwd\":\"", folder.raw(), b"\""].concat();
            found.push((written, folder.decode().into_owned()));
        }
    };
    read_objects(line, look, |_| ());
    found
}
