//! The text of a command with its arguments, in pieces: words, and what the shell is to say in their place.
//!
//! Commands for the shell are looked for in the file alone: what a person or a pipe hands in as an argument may stand
//! inside of one, where the rules see it, and never makes one. The same goes for what a command prints.

use super::arguments::Arguments;
use crate::context::mentions;

/// A piece of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Words.
    Words(String),
    /// A command, in whose place stands what it prints.
    Shell(String),
}

/// The pieces, in order. Arguments for which the text has no place stand behind it.
pub(crate) fn pieces(body: &str, arguments: &str) -> Vec<Piece> {
    let arguments = Arguments::of(arguments);
    let mut places = 0;
    let mut pieces = Vec::new();
    for piece in split(body) {
        let mut filled = |text: &str| {
            let (text, found) = arguments.fill(text);
            places += found;
            text
        };
        pieces.push(match piece {
            Piece::Words(words) => Piece::Words(filled(&words)),
            Piece::Shell(command) => Piece::Shell(filled(&command)),
        });
    }
    if places == 0 && !arguments.whole().is_empty() {
        pieces.push(Piece::Words(format!("\n\nARGUMENTS: {}", arguments.whole())));
    }
    pieces
}

/// The paths that words mention as `@path`, each once.
pub(crate) fn mentioned(pieces: &[Piece]) -> Vec<String> {
    let words = pieces.iter().map(|piece| match piece {
        Piece::Words(words) => words.as_str(),
        Piece::Shell(_) => " ",
    });
    let mut paths: Vec<String> = Vec::new();
    for path in mentions(&words.collect::<String>()) {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

/// Words and commands: `` !`…` `` at the beginning of a line or behind a space, and blocks between `` ```! `` and `` ``` ``.
fn split(body: &str) -> Vec<Piece> {
    let mut pieces = vec![Piece::Words(String::new())];
    let mut lines = body.split_inclusive('\n');
    while let Some(line) = lines.next() {
        if line.trim_end() != "```!" {
            split_line(line, &mut pieces);
            continue;
        }
        let mut after = lines.clone();
        let inside: String = after.by_ref().take_while(|line| line.trim_end() != "```").collect();
        let length = inside.lines().count();
        let end = lines.clone().nth(length);
        if inside.trim().is_empty() || end.is_none() {
            words(line, &mut pieces);
            continue;
        }
        pieces.push(Piece::Shell(inside.trim().to_owned()));
        let is_ended = end.is_some_and(|line| line.ends_with('\n'));
        words(if is_ended { "\n" } else { "" }, &mut pieces);
        lines = after;
    }
    pieces
}

fn split_line(line: &str, pieces: &mut Vec<Piece>) {
    let mut rest = line;
    let mut from = 0;
    while let Some(at) = rest[from..].find("!`").map(|at| from + at) {
        let is_free = rest[..at].chars().next_back().is_none_or(char::is_whitespace);
        let command = rest[at + 2..].split_once('`').map(|(command, _)| command);
        match command.filter(|command| is_free && !command.trim().is_empty()) {
            Some(command) => {
                words(&rest[..at], pieces);
                pieces.push(Piece::Shell(command.trim().to_owned()));
                rest = &rest[at + 3 + command.len()..];
                // What follows at once is not at the beginning of a line.
                from = usize::from(rest.starts_with('!'));
            }
            None => from = at + 2,
        }
    }
    words(rest, pieces);
}

fn words(text: &str, pieces: &mut Vec<Piece>) {
    match pieces.last_mut() {
        Some(Piece::Words(words)) => words.push_str(text),
        _ if text.is_empty() => {}
        _ => pieces.push(Piece::Words(text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words as they are, commands in braces.
    fn shown(body: &str, arguments: &str) -> String {
        let shown = pieces(body, arguments).into_iter().map(|piece| match piece {
            Piece::Words(words) => words,
            Piece::Shell(command) => format!("{{{command}}}"),
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
        let pieces = pieces("see @a.txt, @a.txt `@b.txt` !`cat @c.txt` $0", "@d/e");
        assert_eq!(mentioned(&pieces), ["a.txt", "d/e"]);
    }
}
