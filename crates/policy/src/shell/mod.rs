//! Parses shell commands without running them: what bash would do with a text, as far as that can be known.
//!
//! [`parse`] returns every simple command of a text at any depth: in lists, pipelines, groups, functions, in `$(…)`, in
//! here-documents, in arithmetic. Text that cannot be parsed is a [`ShellSyntaxError`] and never skipped: the user is asked
//! then.

mod arithmetic;
mod builtins;
mod characters;
mod compound;
mod dollar;
mod heredoc;
mod leading;
mod nested;
mod output;
mod parser;
mod quotes;
mod set;
mod simple;
mod word;
mod wrappers;

pub(crate) use builtins::{ReadLine, is_builtin, is_hidden, tests_plainly};
pub(crate) use characters::is_invisible;
pub(crate) use nested::base_name;
pub use nested::{NestedCommand, nested_commands};
pub use word::{OutputUse, Word, WordCount, WordPart};
pub(crate) use wrappers::HARMLESS;
pub use wrappers::{UnwrappedCommand, strip};

use parser::Parser;

/// Longer texts are not parsed: no user reads them either.
pub const MAX_CHARACTERS: usize = 10_000;
/// The most simple commands in one text.
pub const MAX_COMMANDS: usize = 50;
/// The most words in one command.
pub const MAX_WORDS: usize = 500;
/// The deepest nesting.
pub const MAX_DEPTH: usize = 24;

/// Why a text cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShellSyntaxError {
    /// Over [`MAX_CHARACTERS`].
    #[error("it is longer than {MAX_CHARACTERS} characters")]
    TooLong,
    /// Over [`MAX_COMMANDS`].
    #[error("it has more than {MAX_COMMANDS} commands")]
    TooManyCommands,
    /// Over [`MAX_WORDS`].
    #[error("one of its commands has more than {MAX_WORDS} words")]
    TooManyWords,
    /// Over [`MAX_DEPTH`].
    #[error("it is nested too deeply")]
    TooDeep,
    /// A control character, a Unicode space or an invisible character.
    #[error("it has the character U+{0:04X}, which can hide what runs")]
    Letter(u32),
    /// The text ends inside something.
    #[error("{0} is not closed")]
    Unclosed(&'static str),
    /// A character where the grammar has no place for it.
    #[error("unexpected `{what}` at byte {at}")]
    Unexpected {
        /// The character.
        what: String,
        /// Its offset.
        at: usize,
    },
    /// A construct that is valid in some shell, and not supported here.
    #[error("{0} is not supported")]
    Unsupported(&'static str),
}

/// A part that was parsed but has an unknown effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Hazard {
    /// Arithmetic evaluates the text of variables, commands in their subscripts included.
    #[error("arithmetic with variables can run code in their values")]
    Arithmetic,
    /// `${!x}`, `${x@P}`, computed subscripts: the text of a variable is read as code.
    #[error("an expansion evaluates the value of a variable")]
    Indirection,
}

/// How a redirection treats its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectionKind {
    /// `<`
    Read,
    /// `>`, `>>`, `>|`, `&>`, `&>>`
    Write,
    /// `<>`
    Both,
    /// `<&`, `>&` with a number or `-`: no file is opened.
    Duplicate,
    /// `<<`, `<<<`: the text is part of the command.
    Text,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirection {
    /// The access to the target.
    pub direction: RedirectionKind,
    /// A path; for [`RedirectionKind::Text`] the text itself.
    pub target: Word,
    /// The descriptor that is redirected, if it is an input or named.
    pub descriptor: Option<u32>,
}

/// `NAME=value` before a command, or alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The variable.
    pub name: String,
    /// The whole assignment as one word.
    pub word: Word,
}

/// How often a command of the text can run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repetition {
    /// At most once.
    #[default]
    Once,
    /// In a loop or in a function.
    Many,
}

/// A simple command: a program with its arguments, or assignments alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// The assignments before the program.
    pub assignments: Vec<Assignment>,
    /// The program and its arguments.
    pub words: Vec<Word>,
    pub redirections: Vec<Redirection>,
    /// Whether it can run more than once.
    pub repetition: Repetition,
}

impl Command {
    /// The program, if it is known.
    pub fn name(&self) -> Option<String> {
        self.words.first().and_then(Word::literal)
    }

    /// What `read` sets, if this is that command.
    pub(crate) fn reads(&self) -> Option<ReadLine> {
        self.name().filter(|name| name == "read").and_then(|_| ReadLine::of(&self.words[1..]))
    }

    /// The command as it was written, without assignments and redirections.
    pub fn spelling(&self) -> String {
        let words: Vec<_> = self.words.iter().map(|word| word.spelling.as_str()).collect();
        words.join(" ")
    }

    /// The command as it was written, with its assignments, for display.
    pub fn shown(&self) -> String {
        let assignments = self.assignments.iter().map(|assignment| assignment.word.spelling.as_str());
        let words: Vec<_> = assignments.chain(self.words.iter().map(|word| word.spelling.as_str())).collect();
        words.join(" ")
    }
}

/// Everything that a text would run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// Every simple command, outer ones and inner ones.
    pub commands: Vec<Command>,
    /// Redirections of groups, loops and the like.
    pub redirections: Vec<Redirection>,
    /// The names of functions that it defines.
    pub functions: Vec<String>,
    /// Variables that loops and `${name:=…}` set.
    pub assigned: Vec<String>,
    /// The variables that loops set, regardless of earlier values.
    pub looped: Vec<String>,
    /// The loops over words.
    pub loops: Vec<WordLoop>,
    /// The loops over lines: `while read …`.
    pub read_loops: Vec<ReadLoop>,
    /// Which command prints what which others read.
    pub pipes: Vec<Pipe>,
    /// Words of loops and arrays, in which globs are expanded.
    pub listed: Vec<Word>,
    /// Words of cases and of `[[`, in which they are not.
    pub compared: Vec<Word>,
    /// Variables that arithmetic takes for numbers.
    pub counted: Vec<String>,
    /// Parts with unknown effects.
    pub hazards: Vec<Hazard>,
}

/// `for name in words; do …; done`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordLoop {
    /// The variable.
    pub name: String,
    /// The words that it takes.
    pub words: Vec<Word>,
    /// The commands of its body, as places among the commands of the script.
    pub body: std::ops::Range<usize>,
}

/// `while read name; do …; done`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadLoop {
    /// The place of `read` among the commands of the script.
    pub read: usize,
    /// The commands of its body.
    pub body: std::ops::Range<usize>,
    pub redirections: Vec<Redirection>,
}

/// `from | to`, where the first is a simple command without substitutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pipe {
    /// The place of the command that prints.
    pub from: usize,
    /// What reads that.
    pub to: PipeReader,
}

/// What reads the output of another command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PipeReader {
    /// The simple command at this place.
    Command(usize),
    /// The `while` loop that begins with the command at this place.
    Loop(usize),
}

impl Script {
    /// Every redirection, of commands and of groups.
    pub fn all_redirections(&self) -> impl Iterator<Item = &Redirection> {
        self.commands.iter().flat_map(|command| &command.redirections).chain(&self.redirections)
    }
}

/// Parses a text as bash would.
pub fn parse(text: &str) -> Result<Script, ShellSyntaxError> {
    characters::check(text)?;
    Parser::new(text, 0).whole()
}
