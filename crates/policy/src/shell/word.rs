//! Words: what is known of an argument before it is expanded.

/// A part of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text that stands for itself, quoted or not.
    Text(String),
    /// An unquoted `~` that means the home folder: at the beginning, or in what looks like an assignment.
    Home,
    /// An unquoted `*`, `?` or `[`: names of files, or the character itself.
    Glob(char),
    /// `$name` or `${name}`, and nothing more; `quoted` ones stay one word.
    Variable {
        /// The variable.
        name: String,
        /// Whether it can become several words, or none.
        extent: Extent,
    },
    /// Anything: the result of a command, of an operator, of braces.
    Unknown(Extent),
}

/// How many words an expansion can become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
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
    pub pieces: Vec<Piece>,
    /// The variables whose values it takes, those inside of `${…}` included.
    pub variables: Vec<String>,
}

impl Word {
    /// A word that is this text.
    pub fn of(text: &str) -> Self {
        Self { spelling: text.to_owned(), pieces: vec![Piece::Text(text.to_owned())], ..Self::default() }
    }

    /// Words that nobody knows yet: what `xargs` appends.
    pub fn unknown() -> Self {
        Self { spelling: "…".to_owned(), pieces: vec![Piece::Unknown(Extent::Any)], ..Self::default() }
    }

    /// The text, where the word is nothing else.
    pub fn literal(&self) -> Option<String> {
        let mut out = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => out.push_str(text),
                _ => return None,
            }
        }
        Some(out)
    }

    /// Whether this is certainly one word.
    pub fn is_one(&self) -> bool {
        !self.pieces.iter().any(|piece| {
            matches!(
                piece,
                Piece::Glob(_) | Piece::Unknown(Extent::Any) | Piece::Variable { extent: Extent::Any, .. }
            )
        })
    }

    /// Whether it can be no word at all.
    pub fn can_vanish(&self) -> bool {
        !self.pieces.is_empty()
            && self.pieces.iter().all(|piece| {
                matches!(
                    piece,
                    Piece::Unknown(Extent::Any)
                        | Piece::Variable { extent: Extent::Any, .. }
                        | Piece::Glob(_)
                )
            })
    }

    /// The text at the beginning that is certain.
    pub fn beginning(&self) -> &str {
        match self.pieces.first() {
            Some(Piece::Text(text)) => text,
            _ => "",
        }
    }

    /// Adds a variable.
    pub(super) fn push_variable(&mut self, name: &str, extent: Extent) {
        self.variables.push(name.to_owned());
        self.pieces.push(Piece::Variable { name: name.to_owned(), extent });
    }

    /// Adds text, joining it with text before.
    pub(super) fn push_text(&mut self, more: &str) {
        if let Some(Piece::Text(text)) = self.pieces.last_mut() {
            text.push_str(more);
        } else {
            self.pieces.push(Piece::Text(more.to_owned()));
        }
    }
}
