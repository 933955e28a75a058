//! Every page and topic is short, wrapped once, and cites only what exists; every example is a command line that parses.

use clap::{Command, FromArgMatches as _};

use super::examples::{calls, of};
use super::{GROUPS, TOPICS, command, names};
use crate::args::{Args, command_line_of};
use crate::remote::Question;

/// The widest line of hand-wrapped text: it fits a terminal of 80 columns, so that clap does not wrap it again.
const MAX_COLUMNS: usize = 79;

/// Every command with its subcommands, built.
fn pages() -> Vec<(String, Command)> {
    let mut root = command();
    root.build();
    let mut pages = Vec::new();
    for page in root.get_subcommands() {
        pages.push((page.get_name().to_owned(), page.clone()));
        for own in page.get_subcommands().filter(|own| own.get_name() != "help") {
            pages.push((format!("{} {}", page.get_name(), own.get_name()), own.clone()));
        }
    }
    pages.retain(|(_, page)| !page.is_hide_set());
    pages
}

fn after_help(page: &Command) -> String {
    page.get_after_help().map(ToString::to_string).unwrap_or_default()
}

#[test]
fn every_command_is_in_one_group() {
    let mut listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    let root = command();
    let mut there: Vec<&str> =
        root.get_subcommands().filter(|page| !page.is_hide_set()).map(Command::get_name).collect();
    listed.sort_unstable();
    there.sort_unstable();
    assert_eq!(listed, there);
}

#[test]
fn first_lines_are_short_and_start_with_a_capital_letter() {
    for (name, page) in pages() {
        let about = page.get_about().unwrap().to_string();
        assert!(about.split_whitespace().count() <= 10, "{name}: {about}");
        assert!(about.starts_with(char::is_uppercase) && !about.ends_with('.'), "{name}: {about}");
    }
}

#[test]
fn every_page_has_two_examples_and_all_of_them_parse() {
    for (name, page) in pages() {
        let text = after_help(&page);
        let examples = of(&text);
        assert!(examples.len() >= 2, "{name}: {examples:?}");
        for example in examples {
            let calls = calls(example);
            assert!(!calls.is_empty(), "{name}: {example}");
            assert!(calls.iter().any(|call| call[1..].join(" ").contains(&name)), "{name}: {example}");
            for call in calls {
                let parsed = command().try_get_matches_from(&call);
                assert!(parsed.is_ok(), "{name}: {call:?}: {}", parsed.unwrap_err());
            }
        }
    }
}

/// Most calls are parsed by a command line that has no other command.
#[test]
fn a_command_alone_parses_what_all_of_them_parse() {
    let parsed = |line: Command, call: &[String]| {
        let matches = line.try_get_matches_from(call).unwrap();
        (format!("{:?}", Args::from_arg_matches(&matches)), format!("{:?}", Question::of(&matches)))
    };
    let pages = pages();
    let examples: Vec<String> = pages.iter().map(|(_, page)| after_help(page)).collect();
    let mut compared = 0;
    for call in examples.iter().flat_map(|text| of(text)).flat_map(calls) {
        let Some(alone) = call.get(1).and_then(|name| command_line_of(name.as_ref())) else { continue };
        assert_eq!(parsed(alone, &call), parsed(command(), &call), "{call:?}");
        compared += 1;
    }
    assert!(compared > pages.len(), "{compared}");
    assert!(command_line_of("--json".as_ref()).is_none() && command_line_of("grep".as_ref()).is_some());
}

#[test]
fn texts_are_wrapped_once() {
    let texts = pages().into_iter().map(|(name, page)| (name, after_help(&page)));
    let topics = TOPICS.iter().map(|topic| (topic.name.to_owned(), topic.text.to_owned()));
    for (name, text) in texts.chain(topics) {
        for line in text.lines() {
            assert!(line.chars().count() <= MAX_COLUMNS, "{name}: {line}");
        }
    }
    for width in [80, 120] {
        let mut root = command().term_width(width);
        let page = root.render_long_help().to_string();
        assert!(page.lines().all(|line| line.chars().count() <= width), "{page}");
    }
}

#[test]
fn topics_are_no_commands() {
    let names = names();
    for (at, name) in names.iter().enumerate() {
        assert!(!names[..at].contains(name), "{name} is twice in {names:?}");
    }
}

#[test]
fn a_command_line_is_split_as_a_shell_does() {
    let line = "git diff | annals chat -p 'a | b' > out";
    assert_eq!(calls(line), [["annals", "chat", "-p", "a | b"].map(str::to_owned).to_vec()]);
    assert_eq!(calls("annals tag x ''")[0].last().map(String::as_str), Some(""));
    assert_eq!(
        of("Text.\n\nExamples:\n  # a\n  annals ls\n\n  # b\n  annals man"),
        ["annals ls", "annals man"]
    );
}
