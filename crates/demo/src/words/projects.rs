//! The five projects that the sessions are about; none of them exists.

use std::sync::LazyLock;

use super::{Language, Lines, Sections, Syntax};

/// A project, as `data/projects/` describes it.
#[derive(Debug)]
pub(crate) struct Project {
    pub(crate) cwd: &'static str,
    pub(crate) language: Language,
    pub(crate) syntax: Syntax,
    /// What the project is about.
    pub(crate) nouns: Lines,
    /// Folders that hold source.
    pub(crate) folders: Lines,
    pub(crate) extension: &'static str,
    pub(crate) branches: Lines,
    pub(crate) packages: Lines,
    /// Commands with their descriptions.
    pub(crate) commands: Vec<(&'static str, &'static str)>,
    /// The command that runs the tests.
    pub(crate) test: &'static str,
    pub(crate) repository: &'static str,
}

impl Project {
    fn parse(text: &'static str) -> Self {
        let sections = Sections::parse(text);
        let (language, syntax) = Language::parse(sections.line("language"));
        Self {
            cwd: sections.line("cwd"),
            language,
            syntax: Syntax::parse(syntax),
            nouns: sections.words("nouns"),
            folders: sections.words("folders"),
            extension: sections.line("extension"),
            branches: sections.words("branches"),
            packages: sections.words("packages"),
            commands: sections.pairs("commands"),
            test: sections.line("test"),
            repository: sections.line("repository"),
        }
    }
}

macro_rules! projects {
    ($($name:ident, $file:literal, $about:literal;)*) => {
        $(
            #[doc = $about]
            pub(crate) static $name: LazyLock<Project> =
                LazyLock::new(|| Project::parse(include_str!(concat!("../../data/projects/", $file))));
        )*
        pub(crate) static ALL: [&LazyLock<Project>; 5] = [$(&$name),*];
    };
}

projects! {
    SHOP, "shop.txt", "A web shop for lamps.";
    FERRITE, "ferrite.txt", "A command-line backup tool.";
    TIDE, "tide.txt", "A data pipeline for tide gauges.";
    HARBOR, "harbor.txt", "Scripts that keep servers running.";
    QUILL, "quill.txt", "A notes application, on Windows.";
}
