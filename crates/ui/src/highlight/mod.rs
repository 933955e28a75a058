//! Highlights code: keywords, types, strings, numbers and comments of about thirty languages.
//!
//! A language is data (how comments and strings begin and end, which words are special), and one scanner reads them all,
//! each byte once. It knows no grammar: what a reader needs is to see where a string ends and what is a comment, and that
//! must not cost a second or a megabyte. Markup, Markdown and patches have scanners of their own.

mod formats;
mod languages;
mod markup;
mod scan;
mod words;

use scan::Scanner;

/// What a span of code is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// Anything else.
    Plain,
    /// A word of the language.
    Keyword,
    /// A type, or a word that stands for a value.
    Type,
    /// The name of a key, a tag or an attribute.
    Name,
    /// A text.
    String,
    Number,
    Comment,
    /// A line that a patch adds.
    Added,
    /// A line that a patch removes.
    Removed,
}

/// A span of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenSpan<'t> {
    pub kind: TokenKind,
    pub text: &'t str,
}

/// How a string or a comment begins and ends.
#[derive(Clone, Copy, Debug)]
struct Delimiters {
    begin: &'static str,
    end: &'static str,
    /// Whether a backslash takes the next character.
    has_escapes: bool,
    /// Whether it may have line breaks.
    is_long: bool,
}

/// Which scanner reads a language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Syntax {
    /// Words, strings, comments.
    #[default]
    Code,
    /// The same, and a word before `:` or `=` is a key.
    Keys,
    /// Tags.
    Markup,
    /// Headings, fences, quotations.
    Markdown,
    /// Lines that begin with a sign.
    Patch,
}

/// A language, as data.
#[derive(Debug)]
pub struct Language {
    /// Its name, and what fences and endings of files call it.
    names: &'static [&'static str],
    /// Whole names of files.
    files: &'static [&'static str],
    line_comments: &'static [&'static str],
    block_comments: &'static [(&'static str, &'static str)],
    strings: &'static [Delimiters],
    keywords: &'static str,
    types: &'static str,
    has_case: bool,
    /// Whether words that begin with a capital are types.
    has_capital_types: bool,
    syntax: Syntax,
}

impl Language {
    /// Returns a language by the name of a fence, such as `rust` or `rs`.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        let name = name.split([' ', ',', '{', ':']).next().unwrap_or_default().trim_start_matches('.');
        let is_meant = |language: &&Self| language.names.iter().any(|known| known.eq_ignore_ascii_case(name));
        Self::all().find(is_meant).filter(|_| !name.is_empty())
    }

    /// Returns the language of a file, by its name.
    pub fn by_path(path: &str) -> Option<&'static Self> {
        let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let is_named = |language: &&Self| language.files.iter().any(|known| known.eq_ignore_ascii_case(file));
        let by_ending = || file.rsplit_once('.').and_then(|(_, ending)| Self::by_name(ending));
        Self::all().find(is_named).or_else(by_ending)
    }

    pub fn name(&self) -> &'static str {
        self.names[0]
    }

    pub fn all() -> impl Iterator<Item = &'static Self> {
        languages::PROGRAMS.iter().chain(formats::FORMATS)
    }
}

/// Splits code into spans: together they are the code, and no two of the same kind follow each other.
///
/// ```
/// use annals_ui::highlight::{Language, TokenKind, spans};
///
/// let rust = Language::by_path("src/main.rs").unwrap();
/// let kinds: Vec<_> = spans("let a = 1; // one", rust).iter().map(|span| span.kind).collect();
/// use TokenKind::*;
/// assert_eq!(kinds, [Keyword, Plain, Number, Plain, Comment]);
/// ```
pub fn spans<'t>(code: &'t str, language: &'static Language) -> Vec<TokenSpan<'t>> {
    let mut tokens = Tokens::new(code);
    match language.syntax {
        Syntax::Code | Syntax::Keys => Scanner::new(code, language).scan(&mut tokens),
        Syntax::Markup => markup::markup(code, &mut tokens),
        Syntax::Markdown => markup::markdown(code, &mut tokens),
        Syntax::Patch => markup::patch(code, &mut tokens),
    }
    tokens.finish()
}

/// Collects spans in order.
struct Tokens<'t> {
    code: &'t str,
    /// The kind and end of each span.
    ends: Vec<(TokenKind, usize)>,
}

impl<'t> Tokens<'t> {
    fn new(code: &'t str) -> Self {
        Self { code, ends: Vec::new() }
    }

    fn end(&self) -> usize {
        self.ends.last().map_or(0, |&(_, end)| end)
    }

    /// What lies before a span is plain. Spans of one kind with only spaces between them become one.
    fn push(&mut self, kind: TokenKind, start: usize, end: usize) {
        let before = self.end();
        if end <= before || start < before {
            return;
        }
        if let Some((last, last_end)) = self.ends.last_mut()
            && *last == kind
            && self.code.as_bytes()[before..start].iter().all(|byte| *byte == b' ')
        {
            *last_end = end;
            return;
        }
        if start > before {
            self.ends.push((TokenKind::Plain, start));
        }
        self.ends.push((kind, end));
    }

    fn finish(mut self) -> Vec<TokenSpan<'t>> {
        if self.end() < self.code.len() {
            match self.ends.last_mut() {
                Some((TokenKind::Plain, end)) => *end = self.code.len(),
                _ => self.ends.push((TokenKind::Plain, self.code.len())),
            }
        }
        let mut start = 0;
        let span = |(kind, end)| {
            let text = &self.code[start..end];
            start = end;
            TokenSpan { kind, text }
        };
        self.ends.into_iter().map(span).collect()
    }
}
