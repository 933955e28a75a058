//! The template of a command, filled with arguments, as text and shell commands.
//!
//! Shell commands are recognized in the file alone: an argument may become part of one, where the rules see it, but never
//! makes one. The same holds for the output of a command.

use super::arguments::Arguments;
use crate::context::mentions;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TemplatePart {
    Text(String),
    /// A shell command, replaced by its output.
    Shell(String),
}

/// Returns the parts in order. If the template has no placeholder, the arguments follow at the end.
pub(crate) fn parts(body: &str, arguments: &str) -> Vec<TemplatePart> {
    let arguments = Arguments::of(arguments);
    let mut places = 0;
    let mut parts = Vec::new();
    for part in split(body) {
        let mut filled = |text: &str| {
            let (text, found) = arguments.fill(text);
            places += found;
            text
        };
        parts.push(match part {
            TemplatePart::Text(words) => TemplatePart::Text(filled(&words)),
            TemplatePart::Shell(command) => TemplatePart::Shell(filled(&command)),
        });
    }
    if places == 0 && !arguments.whole().is_empty() {
        parts.push(TemplatePart::Text(format!("\n\nARGUMENTS: {}", arguments.whole())));
    }
    parts
}

/// Returns the paths mentioned as `@path`, each once.
pub(crate) fn mentioned(parts: &[TemplatePart]) -> Vec<String> {
    let words = parts.iter().map(|part| match part {
        TemplatePart::Text(words) => words.as_str(),
        TemplatePart::Shell(_) => " ",
    });
    let mut paths: Vec<String> = Vec::new();
    for path in mentions(&words.collect::<String>()) {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

/// Splits text from commands: `` !`…` `` at the start of a line or after a space, and blocks between `` ```! `` and `` ``` ``.
fn split(body: &str) -> Vec<TemplatePart> {
    let mut parts = vec![TemplatePart::Text(String::new())];
    let mut lines = body.split_inclusive('\n');
    while let Some(line) = lines.next() {
        if line.trim_end() != "```!" {
            split_line(line, &mut parts);
            continue;
        }
        let mut after = lines.clone();
        let inside: String = after.by_ref().take_while(|line| line.trim_end() != "```").collect();
        let length = inside.lines().count();
        let end = lines.clone().nth(length);
        if inside.trim().is_empty() || end.is_none() {
            words(line, &mut parts);
            continue;
        }
        parts.push(TemplatePart::Shell(inside.trim().to_owned()));
        let is_ended = end.is_some_and(|line| line.ends_with('\n'));
        words(if is_ended { "\n" } else { "" }, &mut parts);
        lines = after;
    }
    parts
}

fn split_line(line: &str, parts: &mut Vec<TemplatePart>) {
    let mut rest = line;
    let mut from = 0;
    while let Some(at) = rest[from..].find("!`").map(|at| from + at) {
        let is_free = rest[..at].chars().next_back().is_none_or(char::is_whitespace);
        let command = rest[at + 2..].split_once('`').map(|(command, _)| command);
        match command.filter(|command| is_free && !command.trim().is_empty()) {
            Some(command) => {
                words(&rest[..at], parts);
                parts.push(TemplatePart::Shell(command.trim().to_owned()));
                rest = &rest[at + 3 + command.len()..];
                // What follows directly is not at the start of a line.
                from = usize::from(rest.starts_with('!'));
            }
            None => from = at + 2,
        }
    }
    words(rest, parts);
}

fn words(text: &str, parts: &mut Vec<TemplatePart>) {
    match parts.last_mut() {
        Some(TemplatePart::Text(words)) => words.push_str(text),
        _ if text.is_empty() => {}
        _ => parts.push(TemplatePart::Text(text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words as they are, commands in braces.
    fn shown(body: &str, arguments: &str) -> String {
        let shown = parts(body, arguments).into_iter().map(|part| match part {
            TemplatePart::Text(words) => words,
            TemplatePart::Shell(command) => format!("{{{command}}}"),
        });
        shown.collect()
    }

    #[test]
    fn commands_for_the_shell_are_told_from_words() {
        for (body, expected) in [
            ("- now: !`git status` end\n", "- now: {git status} end\n"),
            ("!`a` !`b`\n!`c`", "{a} {b}\n{c}"),
            // Behind something else, inside of code, without an end, without a command.
            ("x!`a` `!`b`` !`c\n`d` !` ` !`e`!`f`", "x!`a` `!`b`` !`c\n`d` !` ` {e}!`f`"),
            ("one\n```!\necho a\necho b\n```\ntwo", "one\n{echo a\necho b}\ntwo"),
            ("```!\nno end", "```!\nno end"),
            ("```!\n```\nx", "```!\n```\nx"),
            ("```\n!`a`\n```", "```\n{a}\n```"),
        ] {
            assert_eq!(shown(body, ""), expected, "{body}");
        }
    }

    #[test]
    fn arguments_fill_places_and_make_no_commands() {
        assert_eq!(shown("say $ARGUMENTS", "!`rm x`"), "say !`rm x`");
        assert_eq!(shown("!`echo $0` $1", "a b"), "{echo a} b");
        assert_eq!(shown("!`echo $0`", "'a` !`b'"), "{echo a` !`b}", "it stays one command");
        assert_eq!(shown("nothing\n", "a b"), "nothing\n\n\nARGUMENTS: a b");
        assert_eq!(shown("nothing\n", ""), "nothing\n");
    }

    #[test]
    fn files_are_mentioned_in_words_and_arguments() {
        let parts = parts("see @a.txt, @a.txt `@b.txt` !`cat @c.txt` $0", "@d/e");
        assert_eq!(mentioned(&parts), ["a.txt", "d/e"]);
    }
}
