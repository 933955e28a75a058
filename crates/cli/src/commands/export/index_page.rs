//! The list of what a folder holds, by project.

use annals_ui::html::{self, IndexGroup, IndexRow};
use annals_ui::markdown;

use super::manifest::Manifest;
use crate::args::{ExportArgs, ExportFormat};

/// Returns the name and the bytes of the list, if there are several files of the format to list.
pub(super) fn of(args: &ExportArgs, manifest: &Manifest) -> Option<(String, Vec<u8>)> {
    let ending = format!(".{}", args.form.extension());
    let is_listed = |file: &str, source: &str| file.ends_with(&ending) && !source.is_empty();
    let mut rows: Vec<_> =
        manifest.entries.iter().filter(|entry| is_listed(&entry.file, &entry.source)).collect();
    if rows.len() < 2 || !matches!(args.form, ExportFormat::Html | ExportFormat::Markdown) {
        return None;
    }
    // Projects by name, the newest session of each first.
    rows.sort_by(|a, b| {
        a.row[2].cmp(&b.row[2]).then_with(|| b.row[3].cmp(&a.row[3])).then_with(|| a.file.cmp(&b.file))
    });
    let group = |entries: &[&super::manifest::ManifestEntry]| IndexGroup {
        project: entries[0].row[2].clone(),
        rows: entries
            .iter()
            .map(|entry| {
                let [id, title, _, date, turns, cost] = entry.row.clone();
                IndexRow { file: entry.file.clone(), title, id, date, turns, cost }
            })
            .collect(),
    };
    let groups: Vec<IndexGroup> = rows.chunk_by(|a, b| a.row[2] == b.row[2]).map(group).collect();
    let (name, mut page) = (format!("index{ending}"), String::new());
    match args.form {
        ExportFormat::Html => html::index("Sessions", &groups, &mut page),
        _ => markdown::index("Sessions", &groups, &mut page),
    }
    Some((name, page.into_bytes()))
}
