//! Inline marks: emphasis, code and links, written around words and never around spaces.

/// A mark around text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Inline {
    Strong,
    Emphasis,
    Code,
    /// A link to this address.
    Link(String),
}

impl Inline {
    fn is_same_kind(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    fn write_start(&self, out: &mut String) {
        out.push_str(match self {
            Self::Strong => "**",
            Self::Emphasis => "*",
            Self::Code => "`",
            Self::Link(_) => "[",
        });
    }

    fn write_end(&self, out: &mut String) {
        match self {
            Self::Link(address) => {
                out.push_str("](");
                out.push_str(address);
                out.push(')');
            }
            mark => mark.write_start(out),
        }
    }
}

/// The marks that are open, the outermost first. Each kind is there once, however often its tag is repeated.
#[derive(Default)]
pub(super) struct InlineStack(Vec<OpenInline>);

struct OpenInline {
    mark: Inline,
    /// How many tags of this kind are open.
    tags: usize,
    /// Where its text begins; `None` as long as there is no text.
    start: Option<usize>,
}

impl InlineStack {
    pub(super) fn open(&mut self, mark: Inline) {
        // Inside code, Markdown marks would be literal.
        let is_code = self.0.iter().any(|open| open.mark == Inline::Code);
        match self.0.iter_mut().find(|open| open.mark.is_same_kind(&mark)) {
            Some(open) => open.tags += 1,
            None if is_code => {}
            None => self.0.push(OpenInline { mark, tags: 1, start: None }),
        }
    }

    /// Closes a mark; those inside it that are still open begin again with the next text.
    pub(super) fn close(&mut self, mark: &Inline, out: &mut String) {
        let Some(at) = self.0.iter().position(|open| open.mark.is_same_kind(mark)) else { return };
        self.0[at].tags -= 1;
        if self.0[at].tags == 0 {
            self.suspend(at, out);
            self.0.remove(at);
        }
    }

    /// Closes an open link.
    pub(super) fn close_link(&mut self, out: &mut String) {
        if let Some(at) = self.0.iter().position(|open| matches!(open.mark, Inline::Link(_))) {
            self.suspend(at, out);
            self.0.remove(at);
        }
    }

    /// Writes the starts that are due before text.
    pub(super) fn resume(&mut self, out: &mut String) {
        for open in self.0.iter_mut().filter(|open| open.start.is_none()) {
            open.mark.write_start(out);
            open.start = Some(out.len());
        }
    }

    /// Writes the ends of all marks; they begin again with the next text.
    pub(super) fn suspend_all(&mut self, out: &mut String) {
        self.suspend(0, out);
    }

    fn suspend(&mut self, from: usize, out: &mut String) {
        for open in self.0[from..].iter_mut().rev() {
            if open.start.take().is_some() {
                open.mark.write_end(out);
            }
        }
    }

    /// How many bytes of text the open link has; `None` if there is no link with text.
    pub(super) fn link_length(&self, out: &str) -> Option<usize> {
        let link = self.0.iter().find(|open| matches!(open.mark, Inline::Link(_)))?;
        Some(out.len() - link.start?)
    }
}
