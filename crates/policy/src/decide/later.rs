//! Later words that name a program of a deny or ask rule. Many programs run others: no list of them is complete. So where a rule
//! would match what begins at any later word, or inside one, a person is asked.

use super::Policy;
use super::contents::ScriptContents;
use super::suggest::WITH_COMMANDS;
use crate::decision::{Decision, Reason};
use crate::read_only::reading;
use crate::rules::{CommandSpellings, Match, Matcher, Rule, RuleList};
use crate::shell::{Command, RedirectionKind, Word, base_name, parse, strip};

/// Programs that print or compare their arguments and run nothing.
const RUN_NOTHING: [&str; 20] = [
    "echo", "printf", "test", "[", "ls", "cd", "true", "false", ":", "cat", "grep", "egrep", "fgrep", "head",
    "tail", "wc", "stat", "which", "type", "mkdir",
];

/// Programs that delete or change whole trees.
const DELETING: [&str; 7] = ["rm", "rmdir", "shred", "unlink", "chmod", "chown", "find"];

/// Options whose value is a message for people.
const MESSAGES: [&str; 4] = ["-m", "--message", "--body", "--title"];

/// Programs whose input is a message for people.
const WITH_MESSAGES: [&str; 2] = ["git", "gh"];

/// What separates words inside of one argument.
const BETWEEN: &str = "=!'\"`;|&(){}<>,: \t\n@";

/// How many values of one argument are read as scripts.
const MAX_VALUES: usize = 8;

/// How many texts within texts are looked at.
const MAX_LAYERS: usize = 3;

/// The most words that are taken behind a word that names a program.
const MAX_TAIL: usize = 40;

impl Policy<'_> {
    /// What a rule about commands says of a later word.
    pub(super) fn later(&self, command: &Command) -> Option<Decision> {
        self.later_in(command, 0)
    }

    fn later_in(&self, whole: &Command, layer: usize) -> Option<Decision> {
        let rules: Vec<&Rule> = [RuleList::Deny, RuleList::Ask]
            .into_iter()
            .flat_map(|list| self.rules.of(list))
            .filter(|rule| matches!(rule.matcher, Matcher::Command(_)))
            .collect();
        if rules.is_empty() {
            return None;
        }
        if let Some(decision) = self.later_values(whole, layer) {
            return Some(decision);
        }
        let stripped = strip(whole);
        let command = stripped.last()?;
        let name = base_name(&command.name()?);
        if RUN_NOTHING.contains(&name.as_str()) || reading(command).is_some() {
            return None;
        }
        let asks = |words: Vec<Word>| {
            find(&rules, words).map(|rule| Decision::ask(Reason::may_match(rule, &command.shown())))
        };
        let skipped = own_words(&name, &command.words);
        let later = command.words.iter().enumerate().skip(1).filter(|(place, _)| !skipped.contains(place));
        let arguments = later.map(|(place, word)| (word, &command.words[place + 1..]));
        // What a program reads may be what it runs: `ed <<< '!rm x'`, a makefile. Messages of git and gh are not.
        let is_message = WITH_MESSAGES.contains(&name.as_str());
        let redirections = whole.redirections.iter().filter(|_| !is_message);
        let inputs = redirections.filter(|redirection| redirection.direction == RedirectionKind::Text);
        let inputs = inputs.map(|redirection| (&redirection.target, &[][..]));
        for (word, rest) in arguments.chain(inputs) {
            let Some(text) = word.literal() else { continue };
            let rest = rest.iter().take(MAX_TAIL);
            let starts = std::iter::once(text.as_str()).chain(value(&text)).chain(tails(&text));
            for start in starts {
                let is_between = |letter: char| BETWEEN.contains(letter);
                let own =
                    start.split(is_between).filter(|word| !word.is_empty()).take(MAX_TAIL).map(Word::of);
                if let Some(decision) = asks(own.chain(rest.clone().cloned()).collect()) {
                    return Some(decision);
                }
            }
            let is_text = |letter: char| letter.is_whitespace() || "'\"\\$;".contains(letter);
            if !text.contains(is_text) {
                continue;
            }
            if layer >= MAX_LAYERS {
                return rules.first().map(|rule| Decision::ask(Reason::may_match(rule, &command.shown())));
            }
            let values = text.char_indices().filter(|(_, letter)| "=!:".contains(*letter)).take(MAX_VALUES);
            let values = values.map(|(at, _)| &text[at + 1..]).chain(value(&text));
            let mut scripts =
                std::iter::once(text.as_str()).chain(values).filter(|text| text.contains(is_text));
            if let Some(decision) = scripts.find_map(|text| self.later_text(text, layer + 1)) {
                return Some(decision);
            }
        }
        None
    }

    /// Values of variables that programs take for commands: `PAGER='rm x' git log`. A variable in small letters that stands alone is
    /// the text's own; what runs it is unknown, and asked about there.
    fn later_values(&self, command: &Command, layer: usize) -> Option<Decision> {
        let is_own = |name: &str| {
            command.words.is_empty() && !name.contains(|letter: char| letter.is_ascii_uppercase())
        };
        let foreign = command.assignments.iter().filter(|assignment| !is_own(&assignment.name));
        let values = foreign.filter_map(|assignment| assignment.word.literal());
        // As words of a program that is not known.
        let program = std::iter::once(Word::of("?"));
        let words = values.filter_map(|text| text.split_once('=').map(|(_, value)| Word::of(value)));
        let words: Vec<Word> = program.chain(words).collect();
        if words.len() == 1 {
            return None;
        }
        self.later_in(&Command { words, ..Command::default() }, layer)
    }

    /// An argument that can be read as a script.
    fn later_text(&self, text: &str, layer: usize) -> Option<Decision> {
        let script = parse(text).ok()?;
        let contents = ScriptContents::new(&script);
        let named = |command: &&Command| command.name().is_some();
        let stated =
            contents.all().chain(&contents.perhaps).filter(named).find_map(|command| self.forbidden(command));
        let found = stated
            .or_else(|| contents.own.iter().filter(named).find_map(|command| self.later_in(command, layer)));
        found.map(|decision| Decision::ask(decision.because().clone()))
    }
}

/// Commands that delete, and may begin at a later word of another: `prlimit rm -rf x`, `foo 'rm -rf x'`.
pub(super) fn later_deletions(command: &Command) -> Vec<Command> {
    let stripped = strip(command);
    let Some((command, name)) =
        stripped.last().and_then(|command| Some((command, base_name(&command.name()?))))
    else {
        return Vec::new();
    };
    if RUN_NOTHING.contains(&name.as_str()) || DELETING.contains(&name.as_str()) || reading(command).is_some()
    {
        return Vec::new();
    }
    let deletes =
        |word: &Word| word.literal().is_some_and(|text| DELETING.contains(&base_name(&text).as_str()));
    let skipped = own_words(&name, &command.words);
    let mut found = Vec::new();
    for (place, word) in
        command.words.iter().enumerate().skip(1).filter(|(place, _)| !skipped.contains(place))
    {
        if deletes(word) {
            let words = command.words[place..].to_vec();
            found.push(Command { words, ..Command::default() });
        }
        let text = word.literal().filter(|text| text.contains(' ')).unwrap_or_default();
        let starts = std::iter::once(text.as_str()).chain(tails(&text));
        let scripts = starts.filter(|start| DELETING.iter().any(|name| start.trim_start().starts_with(name)));
        for script in scripts.filter_map(|start| parse(start.trim_end_matches(['\'', '"', ')', ';'])).ok()) {
            found.extend(script.commands);
        }
    }
    found
}

/// The rule that a command with these words would match.
fn find<'r>(rules: &[&'r Rule], words: Vec<Word>) -> Option<&'r Rule> {
    let name = base_name(&words.first()?.literal()?);
    let begins: Vec<_> =
        rules.iter().filter(|rule| pattern_of(rule, |pattern| pattern.begins_with(&name))).collect();
    if begins.is_empty() {
        return None;
    }
    let spellings = CommandSpellings::new(&Command { words, ..Command::default() });
    begins
        .into_iter()
        .find(|rule| pattern_of(rule, |pattern| pattern.concerns(&spellings) != Match::No))
        .copied()
}

fn pattern_of(rule: &Rule, holds: impl Fn(&crate::rules::CommandPattern) -> bool) -> bool {
    match &rule.matcher {
        Matcher::Command(pattern) => holds(pattern),
        _ => false,
    }
}

/// The places of words that name no program: a program's own command, and messages.
fn own_words(name: &str, words: &[Word]) -> Vec<usize> {
    let mut found = Vec::new();
    if WITH_COMMANDS.contains(&name) {
        let is_operand = |word: &Word| !word.beginning().starts_with('-') && !word.beginning().contains('=');
        found.extend(words.iter().skip(1).position(is_operand).map(|place| place + 1));
    }
    found.extend(messages(name, words));
    found
}

/// The places of words that are messages for people.
pub(super) fn messages(name: &str, words: &[Word]) -> Vec<usize> {
    let first = words.get(1).map(Word::beginning).unwrap_or_default();
    let writes = match name {
        "git" => matches!(first, "commit" | "tag" | "merge" | "stash" | "notes"),
        _ => name == "gh",
    };
    let is_option = |word: &Word| word.literal().is_some_and(|text| MESSAGES.contains(&text.as_str()));
    (2..words.len()).filter(|place| writes && is_option(&words[place - 1])).collect()
}

/// The value that may be joined to the letter of an option: `-Orm`.
fn value(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'))?;
    let first = rest.chars().next()?;
    Some(&rest[first.len_utf8()..])
}

/// What follows each separator of a text.
fn tails(text: &str) -> impl Iterator<Item = &str> {
    let separators = text.char_indices().filter(|(_, letter)| BETWEEN.contains(*letter));
    separators.map(|(at, letter)| &text[at + letter.len_utf8()..]).filter(|tail| !tail.is_empty())
}
