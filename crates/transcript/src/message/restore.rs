//! From a message back to the records that it came from.

use super::shell::Share;
use super::{Message, MessageContent, MessageFault, Shell};

impl Message {
    /// The records that the message came from, in order: the bytes of each object, without a newline.
    ///
    /// For a message that nobody changed they are the bytes that it came from. New content is put in the place of the
    /// old, block by block, and must have as many blocks (a string counts as one). Values that the records left to the
    /// message (model, usage, stop reason, timestamp) are taken from it; ids are the records' own. The metadata's
    /// fields are set on every record.
    pub fn restore(&self) -> Result<Vec<Vec<u8>>, MessageFault> {
        if self.records.is_empty() {
            return Err(MessageFault::NoRecords);
        }
        let counts: Vec<_> = self.records.iter().map(Shell::blocks).collect();
        let shares = deal(&self.content, &counts)?;
        let filled = self.records.iter().zip(shares).enumerate();
        filled.map(|(at, (shell, share))| shell.fill(at, self, share)).collect()
    }
}

/// Deals content out to records that have so many blocks each.
pub(super) fn deal<'m>(
    content: &'m MessageContent,
    counts: &[usize],
) -> Result<Vec<Share<'m>>, MessageFault> {
    let owned = counts.iter().copied().fold(0, usize::saturating_add);
    match content {
        MessageContent::Text(text) => {
            let is_empty = text.value().text().is_some_and(|text| text.is_empty());
            if owned != 1 && !(owned == 0 && is_empty) {
                return Err(MessageFault::BlockCount { records: owned, content: 1 });
            }
            let share = |&count: &usize| match count {
                0 if counts.len() > 1 => Share::Blocks(&[]),
                _ => Share::Text(text),
            };
            Ok(counts.iter().map(share).collect())
        }
        MessageContent::Blocks(list) => {
            if owned != list.len() {
                return Err(MessageFault::BlockCount { records: owned, content: list.len() });
            }
            let mut rest = list.as_slice();
            let share = |&count: &usize| {
                let (head, tail) = rest.split_at(count.min(rest.len()));
                rest = tail;
                Share::Blocks(head)
            };
            Ok(counts.iter().map(share).collect())
        }
    }
}
