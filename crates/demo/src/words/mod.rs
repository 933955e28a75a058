//! Vocabularies, sentence patterns and projects, read from the files in `data/`.
//!
//! A pattern has slots in braces, which [`crate::text::Writer`] fills: `{noun}`, `{adj}`, `{verb}`, `{verbs}`, `{ing}`, `{past}`,
//! `{file}`, `{func}`, `{type}`, `{field}`, `{num}`, `{small}`, `{ms}`, `{person}`, `{pkg}`, `{area}`, `{sha}`, `{ticket}`.

mod projects;
mod sections;

use std::sync::LazyLock;

pub(crate) use projects::{ALL, FERRITE, HARBOR, Project, QUILL, SHOP, TIDE};
use sections::Sections;

/// Lines of text to choose from.
type Lines = Vec<&'static str>;

/// Words that every project shares.
pub(crate) static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let sections = Sections::parse(include_str!("../../data/words.txt"));
    let verb = |forms: &'static str| {
        let mut forms = forms.split(' ');
        [(); 3].map(|()| forms.next().unwrap_or_default())
    };
    Words {
        verbs: sections.words("verbs").into_iter().map(verb).collect(),
        adjectives: sections.words("adjectives"),
        people: sections.words("people"),
        fields: sections.words("fields"),
        roles: sections.words("roles"),
        names: ["name-first", "name-middle", "name-last"].map(|name| sections.words(name)),
    }
});

pub(crate) struct Words {
    /// Plain, with -ing, past.
    pub(crate) verbs: Vec<[&'static str; 3]>,
    pub(crate) adjectives: Lines,
    pub(crate) people: Lines,
    pub(crate) fields: Lines,
    /// Suffixes for the names of types.
    pub(crate) roles: Lines,
    /// The three words of a session's own name.
    pub(crate) names: [Lines; 3],
}

/// Patterns for what people, models and tools write.
pub(crate) static PHRASES: LazyLock<Phrases> = LazyLock::new(|| {
    let sections = Sections::parse(include_str!("../../data/phrases.txt"));
    Phrases {
        opening: sections.lines("opening"),
        follow_up: sections.lines("follow-up"),
        tasks: sections.pairs("tasks"),
        titles: sections.lines("titles"),
        before_tool: sections.lines("before-tool"),
        openers: sections.lines("openers"),
        bullets: sections.lines("bullets"),
        closers: sections.lines("closers"),
        paragraphs: sections.lines("paragraphs"),
        headings: sections.lines("headings"),
        thoughts: sections.lines("thoughts"),
        log: sections.lines("log"),
        errors: sections.lines("errors"),
    }
});

pub(crate) struct Phrases {
    pub(crate) opening: Lines,
    pub(crate) follow_up: Lines,
    /// Tasks of sub-agents: a short description and the prompt.
    pub(crate) tasks: Vec<(&'static str, &'static str)>,
    pub(crate) titles: Lines,
    pub(crate) before_tool: Lines,
    pub(crate) openers: Lines,
    pub(crate) bullets: Lines,
    pub(crate) closers: Lines,
    pub(crate) paragraphs: Lines,
    pub(crate) headings: Lines,
    pub(crate) thoughts: Lines,
    pub(crate) log: Lines,
    pub(crate) errors: Lines,
}

/// What a project is written in; decides how names are spelt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    TypeScript,
    Rust,
    Python,
    Shell,
    Go,
}

/// How programs in a language look, and what its test runner prints.
#[derive(Debug)]
pub(crate) struct Syntax {
    /// The language after the fence of a code block.
    pub(crate) fence: &'static str,
    /// The lines a file begins with.
    pub(crate) header: Lines,
    /// Top-level pieces of a file. `{i}` is the plain name of a thing in the project's spelling.
    pub(crate) pieces: Lines,
    pub(crate) passing: Lines,
    pub(crate) failing: Lines,
    pub(crate) finished: Lines,
}

impl Language {
    fn parse(name: &str) -> (Self, &'static str) {
        match name {
            "typescript" => (Self::TypeScript, include_str!("../../data/languages/typescript.txt")),
            "rust" => (Self::Rust, include_str!("../../data/languages/rust.txt")),
            "python" => (Self::Python, include_str!("../../data/languages/python.txt")),
            "go" => (Self::Go, include_str!("../../data/languages/go.txt")),
            _ => (Self::Shell, include_str!("../../data/languages/shell.txt")),
        }
    }
}

impl Syntax {
    fn parse(text: &'static str) -> Self {
        let sections = Sections::parse(text);
        Self {
            fence: sections.line("fence"),
            header: sections.pieces("header"),
            pieces: sections.pieces("pieces"),
            passing: sections.lines("passing"),
            failing: sections.lines("failing"),
            finished: sections.lines("finished"),
        }
    }
}
