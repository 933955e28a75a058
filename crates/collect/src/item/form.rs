//! The forms of items: what one holds.

/// What an item holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemForm {
    /// One line of a file that grows.
    Line,
    /// The last line of a file that was left incomplete and without a line break.
    Torn,
    /// All of a file that is replaced as a whole.
    File,
    /// A mark: the file was deleted.
    Gone,
    /// A mark: the file has another name now.
    Moved,
    /// A mark: a file that was deleted is there again, unchanged.
    Back,
}

impl ItemForm {
    const ALL: [Self; 6] = [Self::Line, Self::Torn, Self::File, Self::Gone, Self::Moved, Self::Back];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::Torn => "torn",
            Self::File => "file",
            Self::Gone => "gone",
            Self::Moved => "moved",
            Self::Back => "back",
        }
    }

    /// The form of this name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.name() == name)
    }

    /// Whether it says what happened to a file, and holds nothing of it.
    pub fn is_mark(self) -> bool {
        matches!(self, Self::Gone | Self::Moved | Self::Back)
    }
}
