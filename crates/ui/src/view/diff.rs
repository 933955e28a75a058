//! Changes of files: as the client recorded them, or computed from the replaced text.

use annals_json::{Fields, Items};
use annals_transcript::tool_result::PatchHunk;

use super::text::relative;
use super::tool::{Diff, DiffLine, DiffSign, Hunk};

/// The difference in a `structuredPatch`; `None` if it is empty.
pub(super) fn of_patch(path: &str, cwd: Option<&str>, patch: Option<Items<'_>>) -> Option<Diff> {
    let hunks: Vec<_> = PatchHunk::list(patch?).map(|hunk| of_hunk(&hunk)).collect();
    (!hunks.is_empty()).then(|| Diff { path: relative(path, cwd), hunks })
}

fn of_hunk(hunk: &PatchHunk<'_>) -> Hunk {
    let lines = hunk.lines().into_iter().flatten().filter_map(|line| line.text()).filter_map(|line| {
        let line = line.decode();
        let mut rest = line.chars();
        let sign = match rest.next() {
            Some('+') => DiffSign::Added,
            Some('-') => DiffSign::Removed,
            // "\ No newline at end of file" is about the line before it.
            Some('\\') => return None,
            _ => DiffSign::Kept,
        };
        Some(DiffLine { sign, text: rest.as_str().to_owned() })
    });
    Hunk { old_start: hunk.old_start(), new_start: hunk.new_start(), lines: lines.collect() }
}

/// The difference that an `Edit` or `MultiEdit` requested.
pub(super) fn of_input(input: &Fields<'_>, cwd: Option<&str>) -> Option<Diff> {
    let path = input.text("file_path")?.decode();
    let pair = |edit: &Fields<'_>| -> Option<Hunk> {
        let (old, new) = (edit.text("old_string")?.decode(), edit.text("new_string")?.decode());
        Some(of_strings(&old, &new))
    };
    let hunks: Vec<Hunk> = match input.get("edits") {
        Some(edits) => edits.items().filter_map(|edit| pair(&edit.fields()?)).collect(),
        None => pair(input).into_iter().collect(),
    };
    (!hunks.is_empty()).then(|| Diff { path: relative(&path, cwd), hunks })
}

/// What changed between two texts: common lines at both ends stay, the rest goes and comes.
fn of_strings(old: &str, new: &str) -> Hunk {
    let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
    let shortest = old.len().min(new.len());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let tail =
        old.iter().rev().zip(new.iter().rev()).take(shortest - head).take_while(|(a, b)| a == b).count();
    let line = |sign: DiffSign| move |text: &&str| DiffLine { sign, text: (*text).to_owned() };
    let mut lines: Vec<DiffLine> = old[..head].iter().map(line(DiffSign::Kept)).collect();
    lines.extend(old[head..old.len() - tail].iter().map(line(DiffSign::Removed)));
    lines.extend(new[head..new.len() - tail].iter().map(line(DiffSign::Added)));
    lines.extend(old[old.len() - tail..].iter().map(line(DiffSign::Kept)));
    Hunk { old_start: None, new_start: None, lines }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_lines_at_both_ends_stay() {
        let hunk = of_strings("a\nb\nc\nd", "a\nx\nd");
        let lines: Vec<_> = hunk.lines.iter().map(|line| (line.sign, line.text.as_str())).collect();
        use DiffSign::{Added, Kept, Removed};
        assert_eq!(lines, [(Kept, "a"), (Removed, "b"), (Removed, "c"), (Added, "x"), (Kept, "d")]);
        assert_eq!(of_strings("a\na", "a").lines.len(), 2);
    }
}
