//! When something is read again by itself: not more often than it is worth, nor while it is being read.

/// The state of something that becomes old when the store changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Refresh {
    is_old: bool,
    is_asked: bool,
    /// When it was asked for, and how long that took, in milliseconds.
    asked: i64,
    took: i64,
}

impl Refresh {
    /// The store changed.
    pub(crate) fn expire(&mut self) {
        self.is_old = true;
    }

    /// It is asked for now. A change that comes from here on makes it old again.
    pub(crate) fn ask(&mut self, now: i64) {
        (self.is_asked, self.is_old, self.asked) = (true, false, now);
    }

    /// It was read.
    pub(crate) fn answer(&mut self, now: i64) {
        (self.is_asked, self.took) = (false, (now - self.asked).max(0));
    }

    /// Whether it is to be read again: after a pause, which is longer for what takes long.
    pub(crate) fn is_due(&self, now: i64, pause: i64) -> bool {
        self.is_old && !self.is_asked && now - self.asked >= pause.max(self.took * 10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_long_is_read_less_often_and_no_change_is_missed() {
        let mut list = Refresh::default();
        list.ask(0);
        list.expire();
        assert!(!list.is_due(60_000, 1000), "it is being read");
        list.answer(400);
        assert!(!list.is_due(3999, 1000) && list.is_due(4000, 1000), "it changed while it was read");
        list.ask(4000);
        list.answer(4010);
        assert!(!list.is_due(60_000, 1000), "nothing has changed since");
    }
}
