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
    let lines = hunk.lines().into_iter().flatten().filter_map(|line| line.text());
    let lines = lines.filter_map(|line| signed(&line.decode()));
    Hunk { old_start: hunk.old_start(), new_start: hunk.new_start(), lines: lines.collect() }
}

/// The difference in a unified diff; lines before its first heading are none of it.
pub(super) fn of_unified(path: &str, text: &str) -> Diff {
    let mut hunks: Vec<Hunk> = Vec::new();
    for line in text.split_terminator('\n') {
        if let Some((old_start, new_start)) = starts(line) {
            hunks.push(Hunk { old_start, new_start, lines: Vec::new() });
        } else if let Some(hunk) = hunks.last_mut() {
            hunk.lines.extend(signed(line));
        }
    }
    Diff { path: path.to_owned(), hunks }
}

/// The first lines that a heading such as `@@ -3,7 +3,9 @@` names.
fn starts(heading: &str) -> Option<(Option<u64>, Option<u64>)> {
    let (old, rest) = heading.strip_prefix("@@ -")?.split_once(" +")?;
    let new = rest.split_once(" @@")?.0;
    let first = |range: &str| range.split(',').next().and_then(|number| number.parse().ok());
    Some((first(old), first(new)))
}

/// A line by the sign before it.
fn signed(line: &str) -> Option<DiffLine> {
    let mut rest = line.chars();
    let sign = match rest.next() {
        Some('+') => DiffSign::Added,
        Some('-') => DiffSign::Removed,
        // "\ No newline at end of file" is about the line before it.
        Some('\\') => return None,
        _ => DiffSign::Kept,
    };
    Some(DiffLine { sign, text: rest.as_str().to_owned() })
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

    #[test]
    fn a_unified_diff_has_hunks_with_numbers() {
        let text = "@@ -1,2 +1,2 @@\n a\n-@@ -9 +9 @@\n+b\n\\ No newline at end of file\n@@ -0,0 +7 @@\n+\n";
        let diff = of_unified("x.rs", text);
        let starts: Vec<_> = diff.hunks.iter().map(|hunk| (hunk.old_start, hunk.new_start)).collect();
        assert_eq!(starts, [(Some(1), Some(1)), (Some(0), Some(7))]);
        let lines: Vec<_> = diff.hunks[0].lines.iter().map(|line| (line.sign, line.text.as_str())).collect();
        use DiffSign::{Added, Kept, Removed};
        assert_eq!(lines, [(Kept, "a"), (Removed, "@@ -9 +9 @@"), (Added, "b")]);
        assert_eq!(of_unified("x.rs", "").hunks.len(), 0);
    }
}
