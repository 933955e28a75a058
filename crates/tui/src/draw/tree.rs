//! Draws the tree of a session.

use annals_ui::figures::counted;
use ratatui_core::buffer::Buffer;

use super::paint::{fill, put, rest, row};
use super::{theme, title_bar};
use crate::app::App;
use crate::geometry::body;
use crate::reader::OutlineKind;

/// Deeper lines are not indented further: the text needs the columns.
const MAX_INDENT: usize = 12;

pub(super) fn draw(app: &App, buffer: &mut Buffer) {
    let Some(session) = &app.session else { return };
    let tree = &session.tree;
    let area = body(app.size);
    let count = |(kind, one): (OutlineKind, &str)| {
        let count = tree.lines.iter().filter(|line| line.kind == kind).count();
        (count > 0 || kind == OutlineKind::Prompt).then(|| counted(count, one))
    };
    let kinds =
        [(OutlineKind::Prompt, "prompt"), (OutlineKind::Branch, "branch"), (OutlineKind::Agent, "sub-agent")];
    let counts: Vec<String> = kinds.into_iter().filter_map(count).collect();
    title_bar(app, &session.row.title, &counts.join(", "), buffer);
    if tree.lines.is_empty() {
        put(buffer, row(area, 0), "no prompts", theme::DIM);
    }
    for (at, line) in tree.lines.iter().enumerate().skip(tree.top).take(usize::from(area.height)) {
        let (mark, style) = match line.kind {
            OutlineKind::Prompt => ("> ", theme::PLAIN),
            OutlineKind::Compaction => ("━ ", theme::BRANCH),
            OutlineKind::Branch => ("├ branch ", theme::BRANCH),
            OutlineKind::Agent => ("├ agent ", theme::AGENT),
        };
        let cells = row(area, at - tree.top);
        let indent = u16::try_from(line.depth.min(MAX_INDENT) * 2 + 1).unwrap_or(1);
        let used = put(buffer, rest(cells, indent), mark, style);
        put(buffer, rest(cells, indent + used), &line.text, theme::PLAIN);
        if at == tree.selected {
            fill(buffer, cells, theme::SELECTED);
        }
    }
}
