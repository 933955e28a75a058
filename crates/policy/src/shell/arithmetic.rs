//! Arithmetic: its end is found, the commands inside are read, and variables make it a hazard, unless the text itself makes
//! numbers of them: bash evaluates the text of a variable, and `a[$(rm x)]` runs a command.

use super::dollar::name_length;
use super::parser::{ParseResult, Parser};
use super::quotes::ExpansionContext;
use super::word::{Word, WordCount, WordPart};
use super::{Assignment, Command, Hazard, Script, ShellSyntaxError};

/// Builtins that set variables to any text.
const SETTING: [&str; 18] = [
    "read",
    "mapfile",
    "readarray",
    "declare",
    "typeset",
    "local",
    "export",
    "readonly",
    "unset",
    "let",
    "getopts",
    "eval",
    "source",
    ".",
    "wait",
    "set",
    "builtin",
    "command",
];

impl Parser<'_> {
    /// Parses after `((`, through `))`.
    pub(super) fn arithmetic(&mut self) -> ParseResult<()> {
        self.deeper(|parser| {
            let mut inside = Word::default();
            let mut open = 0_usize;
            let start = parser.at;
            loop {
                match parser.peek().ok_or(ShellSyntaxError::Unclosed("`((`"))? {
                    b'(' => {
                        open += 1;
                        parser.at += 1;
                    }
                    b')' if open > 0 => {
                        open -= 1;
                        parser.at += 1;
                    }
                    b')' if parser.starts("))") => break,
                    // `( (…) )` in disguise: bash reads it as groups then.
                    b')' => return Err(ShellSyntaxError::Unsupported("`((` that is not arithmetic")),
                    b'\'' | b'#' | b';' | b'\n' if !parser.in_for() => {
                        return Err(ShellSyntaxError::Unsupported("this kind of text inside arithmetic"));
                    }
                    b'"' => {
                        parser.at += 1;
                        parser.double(&mut inside)?;
                    }
                    _ => parser.expanding(&mut inside, ExpansionContext::Quotes)?,
                }
            }
            let text = &parser.text[start..parser.at];
            match names(text) {
                Some(names) if names.iter().all(|name| parser.is_set(name, text)) => {
                    names.iter().for_each(|name| parser.set.add(name));
                    parser.script.counted.extend(names);
                }
                _ => parser.script.hazards.push(Hazard::Arithmetic),
            }
            parser.at += 2;
            Ok(())
        })
    }

    /// `for ((…; …; …))` is the only place where `;` is allowed in arithmetic.
    fn in_for(&self) -> bool {
        self.starts(";")
    }

    /// Whether a variable was set before, by the script or at the beginning of this arithmetic.
    fn is_set(&self, name: &str, text: &str) -> bool {
        let rest = text.trim_start().strip_prefix(name).map(str::trim_start).unwrap_or_default();
        let begins = rest.starts_with('=') && !rest.starts_with("==");
        begins || self.set.holds(name)
    }
}

/// The variables of a plain expression: numbers, names, `$name` and operators. `None` for any other.
fn names(text: &str) -> Option<Vec<String>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.bytes().next() {
        let length = name_length(rest);
        if length > 0 {
            found.push(rest[..length].to_owned());
            rest = &rest[length..];
        } else if first.is_ascii_digit() {
            rest = rest.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric());
        } else if let Some(braced) = rest.strip_prefix("${") {
            let length = name_length(braced);
            found.push(braced[..length].to_owned());
            rest = braced[length..].strip_prefix('}').filter(|_| length > 0)?;
        } else if let Some(named) = rest.strip_prefix('$') {
            let length = name_length(named);
            found.push(named[..length].to_owned());
            rest = Some(&named[length..]).filter(|_| length > 0)?;
        } else if b" \t+-*/%()<>=!&|^~?:,;".contains(&first) {
            rest = &rest[1..];
        } else {
            return None;
        }
    }
    Some(found)
}

/// Finds the variables that are numbers wherever the script sets them. Arithmetic over others is a hazard; for `test`, the
/// numbers are one word each, quoted or not.
pub(super) fn settle_numbers(script: &mut Script) {
    let numbers = numbers(script);
    if !script.counted.iter().all(|name| numbers.contains(name)) {
        script.hazards.push(Hazard::Arithmetic);
    }
    let is_test = |command: &Command| matches!(command.name().as_deref(), Some("test" | "["));
    let tests = script.commands.iter_mut().filter(|command| is_test(command));
    for word in tests.flat_map(|command| &mut command.words) {
        for part in &mut word.parts {
            match part {
                WordPart::Variable { name, count } if numbers.contains(name) => *count = WordCount::One,
                _ => {}
            }
        }
    }
}

fn numbers(script: &Script) -> Vec<String> {
    if script.commands.iter().any(sets_anything) {
        return Vec::new();
    }
    let assignments = || script.commands.iter().flat_map(|command| &command.assignments);
    let is_looped = |name: &String| script.looped.contains(name);
    let is_always = |name: &&String| {
        let only_numbers = assignments().filter(|assignment| assignment.name == **name).all(is_number);
        // Words of all loops and arrays are in one list, and `${x:=…}` sets any text.
        let loops = is_looped(name) && script.listed.iter().all(is_number_word);
        only_numbers && (loops || !script.assigned.contains(name))
    };
    let names = assignments().map(|assignment| &assignment.name).chain(&script.looped).chain(&script.counted);
    names.filter(is_always).cloned().collect()
}

/// Whether a command can set any variable to any text.
fn sets_anything(command: &Command) -> bool {
    let Some(name) = command.name() else { return !command.words.is_empty() };
    let prints = |word: &Word| word.literal().is_some_and(|text| !text.starts_with('-'));
    match name.as_str() {
        "printf" => !command.words.get(1).is_some_and(prints),
        name => SETTING.contains(&name),
    }
}

/// `1`, `{1..5}`
fn is_number_word(word: &Word) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let range = word.spelling.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    digits(&word.spelling)
        || range.and_then(|range| range.split_once("..")).is_some_and(|(from, to)| digits(from) && digits(to))
}

/// `x=1`, `x=$((…))`
fn is_number(assignment: &Assignment) -> bool {
    let value = &assignment.word.spelling[assignment.name.len()..];
    let Some(value) = value.strip_prefix('=') else { return false };
    let digits = value.strip_prefix('-').unwrap_or(value);
    let is_literal = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let inside = value.strip_prefix("$((").and_then(|rest| rest.strip_suffix("))"));
    is_literal || inside.is_some_and(|inside| names(inside).is_some() && is_closed(inside))
}

/// Whether every parenthesis that closes was opened, so that the text is one expression.
fn is_closed(text: &str) -> bool {
    let mut open = 0_usize;
    for byte in text.bytes() {
        match byte {
            b'(' => open += 1,
            b')' if open == 0 => return false,
            b')' => open -= 1,
            _ => {}
        }
    }
    open == 0
}
