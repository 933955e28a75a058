//! Differences between two texts in the form in which sessions keep them: `structuredPatch`.

use std::time::Duration;

use annals_json::{ArrayWriter, Items};
use annals_transcript::tool_result::PatchHunk;
use similar::{Algorithm, ChangeTag, TextDiff};

/// Lines around a change.
const AROUND: usize = 3;
/// The marker after a last line without a line end.
const NO_END: &str = "\\ No newline at end of file";

/// Writes the hunks between two texts as a JSON array.
pub fn structured(old: &str, new: &str) -> Vec<u8> {
    // After the deadline the difference is coarser, but still correct.
    let (olds, news): (Vec<&str>, Vec<&str>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let difference = TextDiff::configure()
        .algorithm(Algorithm::Myers)
        .timeout(Duration::from_secs(2))
        .diff_slices(&olds, &news);
    let mut out = Vec::new();
    let mut list = ArrayWriter::begin(&mut out);
    for hunk in difference.unified_diff().context_radius(AROUND).iter_hunks() {
        let (mut olds, mut news) = (0_u64, 0_u64);
        let mut lines: Vec<String> = Vec::new();
        for change in hunk.iter_changes() {
            let sign = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            olds += u64::from(change.tag() != ChangeTag::Insert);
            news += u64::from(change.tag() != ChangeTag::Delete);
            let value = change.value();
            lines.push(format!("{sign}{}", value.strip_suffix('\n').unwrap_or(value)));
            if !value.ends_with('\n') {
                lines.push(NO_END.to_owned());
            }
        }
        let first =
            |position: Option<usize>, count: u64| position.map_or(0, |at| at as u64 + u64::from(count > 0));
        let ops = hunk.ops();
        let old_start = first(ops.first().map(|op| op.old_range().start), olds);
        let new_start = first(ops.first().map(|op| op.new_range().start), news);
        list.object(|hunk| {
            hunk.number("oldStart", old_start).number("oldLines", olds);
            hunk.number("newStart", new_start).number("newLines", news);
            hunk.array("lines", |list| {
                for line in &lines {
                    list.string(line);
                }
            });
        });
    }
    list.end();
    out
}

/// Applies a `structuredPatch` to the text that it was made from; `None` if it does not match.
pub fn apply(old: &str, patch: Items<'_>) -> Option<String> {
    let lines: Vec<&str> = old.split_inclusive('\n').collect();
    let (mut out, mut at) = (String::new(), 0_usize);
    for hunk in PatchHunk::list(patch) {
        let start = usize::try_from(hunk.old_start()?).ok()?;
        let start = if hunk.old_lines()? > 0 { start.checked_sub(1)? } else { start };
        out.extend(lines.get(at..start)?.iter().copied());
        at = start;
        let written: Vec<String> =
            hunk.lines()?.filter_map(|line| Some(line.text()?.decode().into_owned())).collect();
        for (number, line) in written.iter().enumerate() {
            let ends = if written.get(number + 1).is_some_and(|next| next == NO_END) { "" } else { "\n" };
            let mut letters = line.chars();
            let sign = letters.next()?;
            let text = format!("{}{ends}", letters.as_str());
            match sign {
                '\\' => {}
                '+' => out.push_str(&text),
                _ => {
                    if *lines.get(at)? != text {
                        return None;
                    }
                    at += 1;
                    if sign == ' ' {
                        out.push_str(&text);
                    }
                }
            }
        }
    }
    out.extend(lines.get(at..)?.iter().copied());
    Some(out)
}
