//! Commands that do nothing but print one file: it counts as read.

use annals_policy::shell::{Command, parse};

/// How much of a file a command prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PrintedPart {
    /// All of it, as it is.
    Whole,
    /// Its first lines, as they are.
    Beginning,
    /// Some of its lines, in whatever form.
    Lines,
}

/// Returns the file that a command prints, and how much of it.
pub(super) fn printed_file(command: &str) -> Option<(String, PrintedPart)> {
    let script = parse(command).ok()?;
    let [only] = &script.commands[..] else { return None };
    let is_plain = script.all_redirections().next().is_none()
        && script.functions.is_empty()
        && script.hazards.is_empty()
        && script.assigned.is_empty()
        && script.listed.is_empty()
        && script.compared.is_empty()
        && only.assignments.is_empty();
    let words = is_plain.then(|| words_of(only)).flatten()?;
    let (name, arguments) = words.split_first()?;
    let name = name.rsplit('/').next().unwrap_or(name);
    let (options, operands) = split(name, arguments);
    let has = |short: char, long: &str| {
        options.iter().any(|option| match option.strip_prefix("--") {
            Some(word) => word.split('=').next() == Some(long),
            None => option.contains(short),
        })
    };
    match (name, &operands[..]) {
        ("cat", [file]) if options.is_empty() => Some((file.clone(), PrintedPart::Whole)),
        ("head", [file]) if !has('c', "bytes") => Some((file.clone(), PrintedPart::Beginning)),
        ("cat" | "nl" | "head" | "tail", [file]) => Some((file.clone(), PrintedPart::Lines)),
        ("sed", [_, file]) if has('n', "quiet") && !has('i', "in-place") => {
            Some((file.clone(), PrintedPart::Lines))
        }
        ("grep" | "egrep" | "fgrep" | "rg", [_, file]) if !has('r', "recursive") && !has('R', "files") => {
            Some((file.clone(), PrintedPart::Lines))
        }
        _ => None,
    }
}

fn words_of(command: &Command) -> Option<Vec<String>> {
    command.words.iter().map(|word| word.literal()).collect()
}

/// Splits arguments into options and operands. Options with a value in the next word are known by name.
fn split(name: &str, arguments: &[String]) -> (Vec<String>, Vec<String>) {
    let with_value: &[&str] = match name {
        "head" | "tail" => &["-n", "-c", "--lines", "--bytes"],
        "grep" | "egrep" | "fgrep" | "rg" => &["-A", "-B", "-C", "-m", "--color", "--context"],
        _ => &[],
    };
    let (mut options, mut operands, mut rest) = (Vec::new(), Vec::new(), arguments.iter());
    while let Some(word) = rest.next() {
        if word == "--" {
            operands.extend(rest.by_ref().cloned());
        } else if word.len() > 1 && word.starts_with('-') {
            if with_value.contains(&word.as_str()) {
                rest.next();
            }
            options.push(word.clone());
        } else {
            operands.push(word.clone());
        }
    }
    (options, operands)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_prints_one_file_reads_it() {
        for (command, part) in [
            ("cat f", PrintedPart::Whole),
            ("/bin/cat 'f'", PrintedPart::Whole),
            ("cat -n f", PrintedPart::Lines),
            ("head -n 20 f", PrintedPart::Beginning),
            ("head -20 f", PrintedPart::Beginning),
            ("head -c 20 f", PrintedPart::Lines),
            ("tail -c +3 -- f", PrintedPart::Lines),
            ("sed -n '1,20p' f", PrintedPart::Lines),
            ("grep -n -A 3 'fn main' f", PrintedPart::Lines),
            ("rg x f", PrintedPart::Lines),
        ] {
            assert_eq!(printed_file(command), Some(("f".to_owned(), part)), "{command}");
        }
        for command in [
            "cat f g",
            "cat f | head",
            "cat < f",
            "cat f > g",
            "cat $f",
            "cat f; rm f",
            "sed 's/a/b/' f",
            "sed -n -i p f",
            "grep -r x f",
            "cd d && cat f",
            "cat",
            "if cat f; then x; fi",
            "cat 'unclosed",
        ] {
            assert_eq!(printed_file(command), None, "{command}");
        }
    }
}
