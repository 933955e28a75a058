//! Options that are not known: a program that drives `annals chat` may pass some of newer clients, which are reported and
//! ignored. Everywhere else they are errors.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// The most options that are ignored.
const MAX_IGNORED: usize = 50;

/// Parses arguments; also returns the options that were ignored.
pub(crate) fn parse_leniently<A>(
    mut arguments: Vec<OsString>,
    parse: impl Fn(&[OsString]) -> Result<A, clap::Error>,
) -> Result<(A, Vec<String>), clap::Error> {
    let mut ignored = Vec::new();
    loop {
        let error = match parse(&arguments) {
            Ok(parsed) => return Ok((parsed, ignored)),
            Err(error) => error,
        };
        let place = unknown_option(&error).and_then(|option| place_of(&arguments, &option));
        match place.filter(|_| is_driven(&arguments) && ignored.len() < MAX_IGNORED) {
            Some(place) => ignored.push(remove(&mut arguments, place)),
            None => return Err(error),
        }
    }
}

/// Returns whether a program drives `annals chat`.
fn is_driven(arguments: &[OsString]) -> bool {
    let is_stream = |pair: &[OsString]| pair[0] == "--input-format" && pair[1] == "stream-json";
    arguments.iter().any(|argument| argument == "chat")
        && (arguments.iter().any(|argument| argument == "--input-format=stream-json")
            || arguments.windows(2).any(is_stream))
}

fn unknown_option(error: &clap::Error) -> Option<String> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    match error.get(ContextKind::InvalidArg)? {
        ContextValue::String(option) if option.starts_with("--") => Some(option.clone()),
        _ => None,
    }
}

fn place_of(arguments: &[OsString], option: &str) -> Option<usize> {
    let name = option.split('=').next().unwrap_or(option);
    let is_it = |argument: &OsString| {
        let argument = argument.to_string_lossy();
        argument == name || argument.strip_prefix(name).is_some_and(|rest| rest.starts_with('='))
    };
    arguments.iter().position(is_it)
}

/// Removes an option and its value. Returns both, for people.
fn remove(arguments: &mut Vec<OsString>, place: usize) -> String {
    let option = arguments.remove(place).to_string_lossy().into_owned();
    let is_value = |next: &OsString| !next.to_string_lossy().starts_with('-');
    match arguments.get(place).is_some_and(is_value) && !option.contains('=') {
        true => format!("{option} {}", arguments.remove(place).to_string_lossy()),
        false => option,
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        _command: String,
        #[arg(long)]
        input_format: Option<String>,
        #[arg(long)]
        model: Option<String>,
    }

    fn parse(line: &[&str]) -> Result<(Line, Vec<String>), clap::Error> {
        let words: Vec<OsString> = ["annals"].iter().chain(line).map(OsString::from).collect();
        parse_leniently(words, |words| Line::try_parse_from(words))
    }

    #[test]
    fn options_of_a_program_that_are_not_known_are_named_and_ignored() {
        let line = [
            "chat",
            "--new-one",
            "value",
            "--input-format",
            "stream-json",
            "--flag",
            "--other=7",
            "--model",
            "m",
        ];
        let (parsed, ignored) = parse(&line).unwrap();
        assert_eq!(
            (parsed.model.as_deref(), parsed.input_format.as_deref()),
            (Some("m"), Some("stream-json"))
        );
        assert_eq!(ignored, ["--new-one value", "--flag", "--other=7"]);
    }

    #[test]
    fn elsewhere_they_are_errors() {
        for line in [&["chat", "--new-one"][..], &["ls", "--new-one", "--input-format", "stream-json"]] {
            assert_eq!(parse(line).unwrap_err().kind(), ErrorKind::UnknownArgument, "{line:?}");
        }
        let missing = parse(&["chat", "--input-format", "stream-json", "--model"]).unwrap_err();
        assert_ne!(missing.kind(), ErrorKind::UnknownArgument);
    }
}
