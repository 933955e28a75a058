//! Shows what a change of a file adds and removes.

use annals_store::mcp_servers::McpEdit;

use crate::context::Context;
use crate::output::Paint;

/// Prints the path, and the lines between what stays at the beginning and at the end.
pub(super) fn show(edit: &McpEdit, context: &mut Context) -> std::io::Result<()> {
    let before = String::from_utf8_lossy(edit.before.as_deref().unwrap_or_default()).into_owned();
    let after = String::from_utf8_lossy(&edit.after).into_owned();
    let note = if edit.before.is_none() { " (new)" } else { "" };
    let heading = context.out.paint(Paint::Bold, format!("{}{note}", edit.path.display()));
    context.out.line(heading)?;
    let (removed, added) = changed_lines(&before, &after);
    for (lines, sign, paint) in [(removed, "-", Paint::Red), (added, "+", Paint::Green)] {
        for line in lines {
            let line = context.out.paint(paint, format!("  {sign} {line}"));
            context.out.line(line)?;
        }
    }
    Ok(())
}

fn changed_lines<'t>(before: &'t str, after: &'t str) -> (Vec<&'t str>, Vec<&'t str>) {
    let (mut old, mut new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let start = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    old.drain(..start);
    new.drain(..start);
    let end = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    old.truncate(old.len() - end);
    new.truncate(new.len() - end);
    (old, new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changes_is_shown() {
        assert_eq!(changed_lines("a\nb\nc", "a\nx\ny\nc"), (vec!["b"], vec!["x", "y"]));
        assert_eq!(changed_lines("a\na", "a\na\na"), (vec![], vec!["a"]));
        assert_eq!(changed_lines("", "a"), (vec![], vec!["a"]));
    }
}
