//! Damage found and healed: a pack is looked at in blocks, each with a check, and every 128 of them have a block of parity.
//!
//! The blocks of a group stand far apart (block i belongs to group i modulo their number), so that damage in one place, up
//! to a 128th of the file, hits each group once and is healed as a whole.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use crate::id::Check;

/// The size of a block.
pub(crate) const BLOCK: u64 = 16 * 1024;
/// So many blocks share one of parity.
const GROUP: u64 = 128;

/// What a pack must look like.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Guard {
    /// How many bytes are guarded, from the start of the file.
    pub(crate) length: u64,
    /// A check of each block.
    pub(crate) checks: Vec<Check>,
    /// A check of each block of parity.
    pub(crate) parity: Vec<Check>,
}

/// Blocks that are damaged in one group: parity cannot make up for two.
#[derive(Debug)]
pub(crate) struct BeyondHelp;

impl Guard {
    /// Reads a file so far and makes the checks and the blocks of parity.
    pub(crate) fn make(file: &mut File, length: u64) -> io::Result<(Self, Vec<u8>)> {
        Self::in_groups(file, length, length.div_ceil(BLOCK).div_ceil(GROUP))
    }

    /// The same, for a file that should be as this one says: in as many groups, however many an earlier release made.
    pub(crate) fn again(&self, file: &mut File) -> io::Result<(Self, Vec<u8>)> {
        Self::in_groups(file, self.length, self.parity.len() as u64)
    }

    fn in_groups(file: &mut File, length: u64, groups: u64) -> io::Result<(Self, Vec<u8>)> {
        file.seek(SeekFrom::Start(0))?;
        let (blocks, width) = (length.div_ceil(BLOCK), length.min(BLOCK));
        let mut parity = vec![0_u8; (groups * width) as usize];
        let mut checks = Vec::with_capacity(blocks as usize);
        let mut block = vec![0; BLOCK as usize];
        for at in 0..blocks {
            let bytes = &mut block[..(length - at * BLOCK).min(BLOCK) as usize];
            file.read_exact(bytes)?;
            checks.push(Check::of(bytes));
            mix(&mut parity[((at % groups) * width) as usize..], bytes);
        }
        let parity_checks = parity.chunks(width.max(1) as usize).map(Check::of).collect();
        Ok((Self { length, checks, parity: parity_checks }, parity))
    }

    /// How long the file is: what is guarded, the head of the frame that holds the parity, and the parity.
    pub(crate) fn file_length(&self) -> u64 {
        self.length + 8 + self.parity_length()
    }

    /// How many bytes of parity there are.
    pub(crate) fn parity_length(&self) -> u64 {
        self.parity.len() as u64 * self.length.min(BLOCK)
    }

    /// A block that is as it must be, and whether it had to be healed.
    pub(crate) fn block(&self, file: &mut File, at: u64) -> Result<(Vec<u8>, Health), BeyondHelp> {
        if let Some(bytes) = self.intact(file, at) {
            return Ok((bytes, Health::Whole));
        }
        let groups = self.parity.len() as u64;
        let group = at.checked_rem(groups).ok_or(BeyondHelp)?;
        let mut healed = self.intact_parity(file, group).ok_or(BeyondHelp)?;
        for other in (group..self.checks.len() as u64).step_by(groups as usize).filter(|other| *other != at) {
            mix(&mut healed, &self.intact(file, other).ok_or(BeyondHelp)?);
        }
        healed.truncate(self.width(at));
        if Check::of(&healed) == self.checks[at as usize] {
            Ok((healed, Health::Healed))
        } else {
            Err(BeyondHelp)
        }
    }

    /// The bytes of a stretch of the guarded part, whole or healed.
    pub(crate) fn stretch(
        &self,
        file: &mut File,
        from: u64,
        length: u64,
    ) -> Result<(Vec<u8>, u64), BeyondHelp> {
        let end = from.checked_add(length).filter(|end| *end <= self.length).ok_or(BeyondHelp)?;
        let mut bytes = Vec::with_capacity((length + 2 * BLOCK) as usize);
        let mut healed = 0;
        for at in from / BLOCK..end.div_ceil(BLOCK) {
            let (block, health) = self.block(file, at)?;
            bytes.extend_from_slice(&block);
            healed += u64::from(health == Health::Healed);
        }
        bytes.drain(..(from % BLOCK) as usize);
        bytes.truncate(length as usize);
        Ok((bytes, healed))
    }

    /// Whether a block of parity is as it must be.
    pub(crate) fn parity_is_whole(&self, file: &mut File, group: u64) -> bool {
        self.intact_parity(file, group).is_some()
    }

    fn width(&self, at: u64) -> usize {
        self.length.saturating_sub(at * BLOCK).min(BLOCK) as usize
    }

    fn intact(&self, file: &mut File, at: u64) -> Option<Vec<u8>> {
        let check = self.checks.get(usize::try_from(at).ok()?)?;
        read(file, at * BLOCK, self.width(at)).filter(|bytes| Check::of(bytes) == *check)
    }

    fn intact_parity(&self, file: &mut File, group: u64) -> Option<Vec<u8>> {
        let check = self.parity.get(usize::try_from(group).ok()?)?;
        let width = self.length.min(BLOCK);
        read(file, self.length + 8 + group * width, width as usize).filter(|bytes| Check::of(bytes) == *check)
    }
}

/// How a block was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Health {
    /// As it was written.
    Whole,
    /// Damaged, and made again from the others.
    Healed,
}

fn read(file: &mut File, from: u64, length: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; length];
    file.seek(SeekFrom::Start(from)).ok()?;
    file.read_exact(&mut bytes).ok()?;
    Some(bytes)
}

fn mix(into: &mut [u8], bytes: &[u8]) {
    into.iter_mut().zip(bytes).for_each(|(sum, byte)| *sum ^= byte);
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use annals_testkit::temp::TempDir;

    #[test]
    fn a_file_of_other_groups_is_healed_and_made_again_as_it_was() {
        let temp = TempDir::new("blocks");
        let path = temp.write("pack", vec![7; 9 * BLOCK as usize + 5]);
        let mut file = File::options().read(true).write(true).open(&path).unwrap();
        let length = 9 * BLOCK + 5;
        let (guard, parity) = Guard::in_groups(&mut file, length, 3).unwrap();
        assert_ne!(guard.parity.len(), Guard::make(&mut file, length).unwrap().0.parity.len());
        file.seek(SeekFrom::Start(length)).unwrap();
        file.write_all(&[0; 8]).unwrap();
        file.write_all(&parity).unwrap();
        file.seek(SeekFrom::Start(4 * BLOCK + 1)).unwrap();
        file.write_all(b"damage").unwrap();
        let (healed, health) = guard.block(&mut file, 4).unwrap();
        assert_eq!((healed, health), (vec![7; BLOCK as usize], Health::Healed));
        let mut whole = File::open(temp.write("whole", vec![7; length as usize])).unwrap();
        assert_eq!(guard.again(&mut whole).unwrap(), (guard, parity));
    }
}
