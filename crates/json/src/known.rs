//! Long values of an object whose ends are known: what was scanned once need not be scanned again.

/// How many values of an object are known at most.
const MAX_KNOWN: usize = 5;

/// The end of a shorter value is found as fast as it is looked up.
const MIN_KNOWN_BYTES: usize = 64;

/// Where long values of an object are, at any depth: each as the offset from the object's first byte, and its length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KnownSpans {
    spans: [(u32, u32); MAX_KNOWN],
    count: u8,
}

impl KnownSpans {
    /// Notes a value of `object`. A short one is not worth it, and of many the first are noted.
    pub fn note(&mut self, object: &[u8], value: &[u8]) {
        let offset = (value.as_ptr() as usize).wrapping_sub(object.as_ptr() as usize);
        let is_inside = offset.checked_add(value.len()).is_some_and(|end| end <= object.len());
        if value.len() < MIN_KNOWN_BYTES || !is_inside {
            return;
        }
        if let (Ok(offset), Ok(length), Some(place)) =
            (u32::try_from(offset), u32::try_from(value.len()), self.spans.get_mut(usize::from(self.count)))
        {
            *place = (offset, length);
            self.count += 1;
        }
    }
}

/// Known values, and the object that they are in.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct KnownValues<'a> {
    pub(super) object: &'a [u8],
    pub(super) spans: KnownSpans,
}

impl KnownValues<'_> {
    /// Returns where the value at `start` of `raw` ends, if that is known; `raw` is a part of the object.
    pub(super) fn end(&self, raw: &[u8], start: usize) -> Option<usize> {
        let offset = (raw.as_ptr() as usize).wrapping_add(start).wrapping_sub(self.object.as_ptr() as usize);
        let known = &self.spans.spans[..usize::from(self.spans.count)];
        let (_, length) = known.iter().find(|(at, _)| *at as usize == offset)?;
        Some(start + *length as usize).filter(|end| *end <= raw.len())
    }
}
