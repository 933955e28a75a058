//! Words: what is known about an argument before it is expanded.

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WordPart {
    /// Literal text, quoted or not.
    Text(String),
    /// An unquoted `~` that means the home folder: at the beginning, or in what looks like an assignment.
    Home,
    /// `~user`, `~-`, `~2`: another user's home, or a folder that the shell remembers.
    OtherHome,
    /// An unquoted `*`, `?` or `[`: names of files, or the character itself.
    Glob(char),
    /// `$name` or `${name}`, and nothing more; `quoted` ones stay one word.
    Variable {
        /// The variable.
        name: String,
        /// Whether it can become several words, or none.
        count: WordCount,
    },
    /// Unknown text: the result of a command, of an operator, of braces.
    Unknown(WordCount),
}

/// How many words an expansion can become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordCount {
    /// Exactly one: it is quoted.
    One,
    /// None, one or several.
    Any,
}

/// One word of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// As it was written, quotes and all.
    pub spelling: String,
    /// What it is made of; no pieces: the empty word.
    pub parts: Vec<WordPart>,
    /// The variables that it expands, including those inside `${…}`.
    pub variables: Vec<String>,
    /// Those of them that the text before has not surely set: their values come from the environment.
    pub unset: Vec<String>,
    /// Text of a command or an argument in it, which can hold `*` and the like.
    pub output: OutputUse,
}

/// How a word uses text that comes from elsewhere and can hold `*`, `?` or `[`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum OutputUse {
    /// Not at all.
    #[default]
    None,
    /// In quotes: it stays as it is.
    Quoted,
    /// Unquoted: the shell looks for files of such names.
    Globbed,
}

impl Word {
    /// A word that is this text.
    pub fn of(text: &str) -> Self {
        Self { spelling: text.to_owned(), parts: vec![WordPart::Text(text.to_owned())], ..Self::default() }
    }

    /// Unknown words, such as those that `xargs` appends.
    pub fn unknown() -> Self {
        Self { spelling: "…".to_owned(), parts: vec![WordPart::Unknown(WordCount::Any)], ..Self::default() }
    }

    /// The text, if the word is entirely literal.
    pub fn literal(&self) -> Option<String> {
        let mut out = String::new();
        for piece in &self.parts {
            match piece {
                WordPart::Text(text) => out.push_str(text),
                _ => return None,
            }
        }
        Some(out)
    }

    /// Whether this is certainly one word.
    pub fn is_one(&self) -> bool {
        !self.parts.iter().any(|piece| {
            matches!(
                piece,
                WordPart::Glob(_)
                    | WordPart::Unknown(WordCount::Any)
                    | WordPart::Variable { count: WordCount::Any, .. }
            )
        })
    }

    /// Whether it can be no word at all.
    pub fn can_vanish(&self) -> bool {
        !self.parts.is_empty()
            && self.parts.iter().all(|piece| {
                matches!(
                    piece,
                    WordPart::Unknown(WordCount::Any)
                        | WordPart::Variable { count: WordCount::Any, .. }
                        | WordPart::Glob(_)
                )
            })
    }

    /// The text at the beginning that is certain.
    pub fn beginning(&self) -> &str {
        match self.parts.first() {
            Some(WordPart::Text(text)) => text,
            _ => "",
        }
    }

    /// Notes text that can hold `*`, as quoted as its expansion.
    pub(super) fn push_output(&mut self, count: WordCount) {
        let used = if count == WordCount::Any { OutputUse::Globbed } else { OutputUse::Quoted };
        self.output = self.output.max(used);
    }

    /// Adds the value of a variable.
    pub(super) fn push_variable(&mut self, name: &str, count: WordCount) {
        self.parts.push(WordPart::Variable { name: name.to_owned(), count });
    }

    /// Adds text, joining it with text before.
    pub(super) fn push_text(&mut self, more: &str) {
        if let Some(WordPart::Text(text)) = self.parts.last_mut() {
            text.push_str(more);
        } else {
            self.parts.push(WordPart::Text(more.to_owned()));
        }
    }
}
