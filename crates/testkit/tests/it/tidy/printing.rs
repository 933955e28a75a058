//! Rule: the command line prints through `Output`, `stderr` and the screen of `annals chat` only, so that everything is
//! cleaned on its way.

use super::words::{Exception, places, report_unused, words_in};
use super::{Files, report, rust_files, sample};

/// Words that print.
const PRINTING: [&str; 15] = [
    "println!",
    "print!(",
    "eprintln!",
    "eprint!(",
    "dbg!(",
    "io::stdout",
    "io::stderr",
    "stdio::stdout",
    "stdio::stderr",
    "execute!(",
    "queue!(",
    "/dev/tty",
    "/dev/stdout",
    "/dev/stderr",
    "error.print()",
];

/// File, word and why it is allowed there.
const GRANTED: [Exception; 10] = [
    ("crates/cli/src/output.rs", "io::stdout", "standard output itself"),
    ("crates/cli/src/stderr.rs", "io::stderr", "standard error itself"),
    ("crates/cli/src/environment.rs", "io::stdout", "asks whether it is a terminal"),
    ("crates/cli/src/environment.rs", "io::stderr", "asks whether it is a terminal"),
    ("crates/cli/src/platform/unix.rs", "io::stdout", "the terminal of a full screen, which gets cells only"),
    ("crates/cli/src/zone.rs", "eprintln!", "a test that is skipped"),
    ("crates/cli/src/main.rs", "error.print()", "help of clap, which is our own text"),
    (
        "crates/cli/src/commands/chat/terminal/raw_mode.rs",
        "io::stdout",
        "the screen, and the modes of the terminal",
    ),
    ("crates/cli/src/commands/chat/terminal/raw_mode.rs", "stdio::stdout", "the modes of the terminal"),
    ("crates/cli/src/commands/chat/terminal/raw_mode.rs", "execute!(", "the modes of the terminal"),
];

/// Places that print past the cleaning.
fn printing(files: &Files) -> Vec<String> {
    let is_ours = |path: &str| path.starts_with("crates/cli/src/") || path.starts_with("crates/ui/src/");
    let is_ruled = |path: &str| is_ours(path) && !path.ends_with("/tests.rs");
    places(files, is_ruled, &GRANTED, |_, line| words_in(line, &PRINTING))
}

#[test]
fn everything_is_printed_through_output_stderr_and_the_screen() {
    report(
        &printing(&rust_files()),
        "Print with context.out or stderr::say: they take a TerminalText, in which nothing can control a terminal.",
    );
}

#[test]
fn every_exception_is_used() {
    report_unused(&GRANTED);
}

#[test]
fn the_rule_can_fail() {
    let files = sample(&[
        ("crates/cli/src/commands/ls.rs", "fn a() {\n    println!(\"{title}\");\n}\n"),
        ("crates/cli/src/output.rs", "io::stdout().write_all(b);\nio::stderr()\n"),
        ("crates/ui/src/x.rs", "std::io::stdout()\n// println!(\n#[cfg(test)]\nmod tests {\n print!(1) }\n"),
        ("crates/store/src/a.rs", "println!()"),
    ]);
    assert_eq!(
        printing(&files),
        [
            "crates/cli/src/commands/ls.rs:2: println!",
            "crates/cli/src/output.rs:2: io::stderr",
            "crates/ui/src/x.rs:1: io::stdout"
        ]
    );
}
