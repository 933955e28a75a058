//! Exit codes that do not mean a failure.

/// What exit code 1 of a command means, for programs that use it as an answer; `None` if it is a failure.
pub(super) fn of_one(command: &str) -> Option<&'static str> {
    let last = last_command(command);
    let mut words =
        last.split_whitespace().skip_while(|word| word.contains('=') && !word.starts_with(['[', '"', '\'']));
    match (words.next()?, words.next()) {
        ("grep" | "egrep" | "fgrep" | "rg" | "zgrep", _) | ("git", Some("grep")) => Some("No matches found"),
        ("diff" | "cmp", _) | ("git", Some("diff")) => Some("The two differ"),
        ("find", _) => Some("Some folders could not be read"),
        ("test" | "[" | "[[", _) => Some("The condition is false"),
        _ => None,
    }
}

/// The last command of a line: what follows the last unquoted `|`, `&`, `;` or line end.
fn last_command(command: &str) -> &str {
    let (mut start, mut quote, mut skip) = (0, None, false);
    let command = command.trim_end_matches([' ', '\n', ';']);
    for (at, letter) in command.char_indices() {
        if std::mem::take(&mut skip) {
            continue;
        }
        match (quote, letter) {
            (None | Some('"'), '\\') => skip = true,
            (None, '"' | '\'') => quote = Some(letter),
            (Some(open), letter) if letter == open => quote = None,
            (None, '|' | '&' | ';' | '\n') => start = at + 1,
            _ => {}
        }
    }
    command[start..].trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_answered_with_no_is_no_failure() {
        for command in [
            "grep x f",
            "grep 'a|b' f",
            "cat f | rg \"x;y\"",
            "cd a && git diff --quiet",
            "[ -f x ]",
            "LC_ALL=C grep x",
        ] {
            assert!(of_one(command).is_some(), "{command}");
        }
        for command in ["false", "grep x f | head", "cargo test", "grep x f; make", "git push", ""] {
            assert_eq!(of_one(command), None, "{command}");
        }
    }
}
