//! Imports of a memory file: paths after `@`, outside code.

/// Returns the paths after `@`, outside code.
pub(crate) fn mentions(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let start = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) => {
                // Every second piece between backticks is code.
                for outside in line.split('`').step_by(2) {
                    found.extend(outside.split_whitespace().filter_map(import));
                }
            }
            _ => {}
        }
    }
    found
}

fn import(word: &str) -> Option<String> {
    let path = word.strip_prefix('@')?.trim_end_matches([',', ';', ':', ')', '.']);
    let is_path = !path.is_empty() && !path.starts_with('@') && path.contains(['/', '.']);
    is_path.then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_stand_outside_of_code() {
        let text = "see @docs/a.md, and @b.md.\n`@no.md` @~ @someone mail@x.y\n```\n@no.md\n```\n- @./c/d";
        assert_eq!(mentions(text), ["docs/a.md", "b.md", "./c/d"]);
    }
}
