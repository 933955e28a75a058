//! Restores the records that a message came from.

use super::template::ContentShare;
use super::{Message, MessageContent, MessageError, RecordTemplate};

impl Message {
    /// Returns the records that the message came from, in order: the bytes of each object, without a newline.
    ///
    /// For an unchanged message these are the original bytes. New content replaces the old block by block and must have as
    /// many blocks (a string counts as one). Model, usage, stop reason and timestamp come from the message, ids from the
    /// records. The metadata fields are set on every record.
    pub fn restore(&self) -> Result<Vec<Vec<u8>>, MessageError> {
        if self.records.is_empty() {
            return Err(MessageError::NoRecords);
        }
        let counts: Vec<_> = self.records.iter().map(RecordTemplate::blocks).collect();
        let shares = distribute(&self.content, &counts)?;
        let filled = self.records.iter().zip(shares).enumerate();
        filled.map(|(at, (shell, share))| shell.fill(at, self, share)).collect()
    }
}

/// Distributes content to records with this many blocks each.
pub(super) fn distribute<'m>(
    content: &'m MessageContent,
    counts: &[usize],
) -> Result<Vec<ContentShare<'m>>, MessageError> {
    let owned = counts.iter().copied().fold(0, usize::saturating_add);
    match content {
        MessageContent::Text(text) => {
            let is_empty = text.value().text().is_some_and(|text| text.is_empty());
            if owned != 1 && !(owned == 0 && is_empty) {
                return Err(MessageError::BlockCount { records: owned, content: 1 });
            }
            let share = |&count: &usize| match count {
                0 if counts.len() > 1 => ContentShare::Blocks(&[]),
                _ => ContentShare::Text(text),
            };
            Ok(counts.iter().map(share).collect())
        }
        MessageContent::Blocks(list) => {
            if owned != list.len() {
                return Err(MessageError::BlockCount { records: owned, content: list.len() });
            }
            let mut rest = list.as_slice();
            let share = |&count: &usize| {
                let (head, tail) = rest.split_at(count.min(rest.len()));
                rest = tail;
                ContentShare::Blocks(head)
            };
            Ok(counts.iter().map(share).collect())
        }
    }
}
