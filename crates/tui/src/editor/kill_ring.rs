//! The kill ring: texts that were cut, to be yanked again.

/// Older texts are forgotten.
const MAX_KILLS: usize = 60;

/// On which side of the cursor a text was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KillSide {
    Before,
    After,
}

/// Texts that were cut, newest last.
#[derive(Clone, Debug, Default)]
pub(super) struct KillRing {
    texts: Vec<String>,
    /// Whether the next cut continues the last one.
    is_continued: bool,
    /// How many steps back the last yank was.
    steps: usize,
}

impl KillRing {
    /// Adds a text; cuts that follow each other become one.
    pub(super) fn push(&mut self, text: &str, side: KillSide) {
        if text.is_empty() {
            return;
        }
        match self.texts.last_mut().filter(|_| self.is_continued) {
            Some(last) if side == KillSide::Before => last.insert_str(0, text),
            Some(last) => last.push_str(text),
            None => {
                if self.texts.len() == MAX_KILLS {
                    self.texts.remove(0);
                }
                self.texts.push(text.to_owned());
            }
        }
        self.is_continued = true;
    }

    /// Lets the next cut be a text of its own.
    pub(super) fn seal(&mut self) {
        self.is_continued = false;
    }

    /// Returns the newest text.
    pub(super) fn yank(&mut self) -> Option<&str> {
        self.steps = 0;
        self.texts.last().map(String::as_str)
    }

    /// Returns the text before the one that was yanked last; behind the oldest comes the newest.
    pub(super) fn yank_older(&mut self) -> Option<&str> {
        self.steps = (self.steps + 1) % self.texts.len().max(1);
        let at = self.texts.len().checked_sub(1 + self.steps)?;
        self.texts.get(at).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_in_a_row_are_one_and_yanks_go_round() {
        let mut ring = KillRing::default();
        assert_eq!(ring.yank(), None);
        assert_eq!(ring.yank_older(), None);
        ring.push("b", KillSide::After);
        ring.push("c", KillSide::After);
        ring.push("a", KillSide::Before);
        ring.push("", KillSide::After);
        assert_eq!(ring.yank(), Some("abc"));
        ring.seal();
        ring.push("new", KillSide::After);
        assert_eq!(ring.yank(), Some("new"));
        assert_eq!(ring.yank_older(), Some("abc"));
        assert_eq!(ring.yank_older(), Some("new"));
    }
}
