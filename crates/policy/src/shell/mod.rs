//! The language of commands, read and never run: what bash would make of a text, as far as that can be known beforehand.
//!
//! [`parse`] yields every simple command of a text, wherever it hides: in lists, pipelines, groups, functions, in `$(…)`,
//! in here-documents, in arithmetic. What is not understood is [`Unparsable`], never skipped: whoever decides asks then.

mod arithmetic;
mod builtins;
mod compound;
mod dollar;
mod heredoc;
mod inner;
mod letters;
mod parser;
mod quotes;
mod simple;
mod word;
mod wrappers;

pub(crate) use builtins::{is_run_later, tests_plainly};
pub(crate) use inner::base_name;
pub use inner::{Inner, inner};
pub(crate) use letters::is_invisible;
pub use word::{Extent, Piece, Word};
pub use wrappers::{Stripped, strip};

use parser::Parser;

/// Longer texts are not read: nobody looks through them either.
pub const MOST_CHARACTERS: usize = 10_000;
/// More simple commands than this in one text are not judged one by one.
pub const MOST_COMMANDS: usize = 50;
/// More words than this in one command are not looked at one by one.
pub const MOST_WORDS: usize = 500;
/// Deeper nesting is not followed.
pub const MOST_DEPTH: usize = 24;

/// Why a text was not understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unparsable {
    /// Over [`MOST_CHARACTERS`].
    #[error("it is longer than {MOST_CHARACTERS} characters")]
    TooLong,
    /// Over [`MOST_COMMANDS`].
    #[error("it holds more than {MOST_COMMANDS} commands")]
    TooManyCommands,
    /// Over [`MOST_WORDS`].
    #[error("one of its commands has more than {MOST_WORDS} words")]
    TooManyWords,
    /// Over [`MOST_DEPTH`].
    #[error("it is nested too deeply")]
    TooDeep,
    /// A control character, a Unicode space or an invisible character.
    #[error("it holds the character U+{0:04X}, which can hide what is run")]
    Letter(u32),
    /// The text ends inside something.
    #[error("{0} is not closed")]
    Unclosed(&'static str),
    /// A character where the grammar has no place for it.
    #[error("`{what}` at byte {at} is not expected there")]
    Unexpected {
        /// What stands there.
        what: String,
        /// Where it stands.
        at: usize,
    },
    /// A construct that is valid in some shell, and not judged here.
    #[error("{0} is not judged")]
    Unsupported(&'static str),
}

/// A part whose effect the text alone does not tell, though it was parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Hazard {
    /// Arithmetic evaluates the text of variables, commands in their subscripts included.
    #[error("arithmetic over variables can run what they hold")]
    Arithmetic,
    /// `${!x}`, `${x@P}`, computed subscripts: the text of a variable is read as code.
    #[error("an expansion reads the text of a variable as code")]
    Indirection,
}

/// How a redirection treats its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `<`
    Read,
    /// `>`, `>>`, `>|`, `&>`, `&>>`
    Write,
    /// `<>`
    Both,
    /// `<&`, `>&` with a number or `-`: no file is opened.
    Duplicate,
    /// `<<`, `<<<`: the text stands in the command.
    Text,
}

/// One redirection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirection {
    /// What is done with the target.
    pub direction: Direction,
    /// A path; for [`Direction::Text`] the text itself.
    pub target: Word,
    /// The descriptor that is redirected, where it is an input or the text names it.
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
pub enum Times {
    /// At most once.
    #[default]
    Once,
    /// In a loop or in a function.
    Many,
}

/// A simple command: a program with its arguments, or assignments alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// What stands before the program.
    pub assignments: Vec<Assignment>,
    /// The program and its arguments.
    pub words: Vec<Word>,
    /// Its redirections.
    pub redirections: Vec<Redirection>,
    /// Whether it can run more than once.
    pub times: Times,
}

impl Command {
    /// The program, where it is known.
    pub fn name(&self) -> Option<String> {
        self.words.first().and_then(Word::literal)
    }

    /// The command as it was written, without assignments and redirections.
    pub fn spelling(&self) -> String {
        let words: Vec<_> = self.words.iter().map(|word| word.spelling.as_str()).collect();
        words.join(" ")
    }

    /// The command as it was written, with its assignments: what is shown to a person.
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
    /// Those of them that loops set, whatever they held before.
    pub looped: Vec<String>,
    /// Words of loops and arrays, in which globs are expanded.
    pub listed: Vec<Word>,
    /// Words of cases and of `[[`, in which they are not.
    pub compared: Vec<Word>,
    /// What the text does not tell.
    pub hazards: Vec<Hazard>,
}

impl Script {
    /// Every redirection, of commands and of groups.
    pub fn all_redirections(&self) -> impl Iterator<Item = &Redirection> {
        self.commands.iter().flat_map(|command| &command.redirections).chain(&self.redirections)
    }
}

/// Reads a text as bash would.
pub fn parse(text: &str) -> Result<Script, Unparsable> {
    letters::check(text)?;
    Parser::new(text, 0).whole()
}
