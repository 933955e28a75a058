//! Finds and repairs damage in packs: each block has a checksum, and every 128 blocks share a parity block.
//!
//! The blocks of a group lie far apart (block i belongs to group i modulo the number of groups), so that one damaged
//! stretch of up to a 128th of the file hits each group once and can be repaired.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use crate::id::Check;

pub(crate) const BLOCK: u64 = 16 * 1024;
/// How many blocks share a parity block.
const GROUP: u64 = 128;

/// The checksums of a pack's blocks and parity blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BlockChecks {
    /// How many bytes are covered, from the start of the file.
    pub(crate) length: u64,
    pub(crate) checks: Vec<Check>,
    pub(crate) parity: Vec<Check>,
}

/// Two damaged blocks in one group, which parity cannot repair.
#[derive(Debug)]
pub(crate) struct UnrecoverableBlock;

impl BlockChecks {
    /// Reads this much of a file and computes checksums and parity blocks.
    pub(crate) fn compute(file: &mut File, length: u64) -> io::Result<(Self, Vec<u8>)> {
        Self::in_groups(file, length, length.div_ceil(BLOCK).div_ceil(GROUP))
    }

    /// The same with as many groups as these checksums have: an earlier release may have used another number.
    pub(crate) fn recompute(&self, file: &mut File) -> io::Result<(Self, Vec<u8>)> {
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
            xor_into(&mut parity[((at % groups) * width) as usize..], bytes);
        }
        let parity_checks = parity.chunks(width.max(1) as usize).map(Check::of).collect();
        Ok((Self { length, checks, parity: parity_checks }, parity))
    }

    /// The length of the file: covered bytes, head of the parity frame, parity.
    pub(crate) fn file_length(&self) -> u64 {
        self.length + 8 + self.parity_length()
    }

    pub(crate) fn parity_length(&self) -> u64 {
        self.parity.len() as u64 * self.length.min(BLOCK)
    }

    /// Reads a block, repaired if it is damaged.
    pub(crate) fn block(
        &self,
        file: &mut File,
        at: u64,
    ) -> Result<(Vec<u8>, BlockState), UnrecoverableBlock> {
        if let Some(bytes) = self.intact(file, at) {
            return Ok((bytes, BlockState::Intact));
        }
        let groups = self.parity.len() as u64;
        let group = at.checked_rem(groups).ok_or(UnrecoverableBlock)?;
        let mut healed = self.intact_parity(file, group).ok_or(UnrecoverableBlock)?;
        for other in (group..self.checks.len() as u64).step_by(groups as usize).filter(|other| *other != at) {
            xor_into(&mut healed, &self.intact(file, other).ok_or(UnrecoverableBlock)?);
        }
        healed.truncate(self.width(at));
        if Check::of(&healed) == self.checks[at as usize] {
            Ok((healed, BlockState::Repaired))
        } else {
            Err(UnrecoverableBlock)
        }
    }

    /// Reads a range of the covered bytes, repaired where damaged; also returns how many blocks were repaired.
    pub(crate) fn read_range(
        &self,
        file: &mut File,
        from: u64,
        length: u64,
    ) -> Result<(Vec<u8>, u64), UnrecoverableBlock> {
        let end = from.checked_add(length).filter(|end| *end <= self.length).ok_or(UnrecoverableBlock)?;
        let mut bytes = Vec::with_capacity((length + 2 * BLOCK) as usize);
        let mut healed = 0;
        for at in from / BLOCK..end.div_ceil(BLOCK) {
            let (block, state) = self.block(file, at)?;
            bytes.extend_from_slice(&block);
            healed += u64::from(state == BlockState::Repaired);
        }
        bytes.drain(..(from % BLOCK) as usize);
        bytes.truncate(length as usize);
        Ok((bytes, healed))
    }

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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockState {
    Intact,
    /// Damaged, and computed from the others of its group.
    Repaired,
}

fn read(file: &mut File, from: u64, length: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; length];
    file.seek(SeekFrom::Start(from)).ok()?;
    file.read_exact(&mut bytes).ok()?;
    Some(bytes)
}

fn xor_into(into: &mut [u8], bytes: &[u8]) {
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
        let (block_checks, parity) = BlockChecks::in_groups(&mut file, length, 3).unwrap();
        assert_ne!(
            block_checks.parity.len(),
            BlockChecks::compute(&mut file, length).unwrap().0.parity.len()
        );
        file.seek(SeekFrom::Start(length)).unwrap();
        file.write_all(&[0; 8]).unwrap();
        file.write_all(&parity).unwrap();
        file.seek(SeekFrom::Start(4 * BLOCK + 1)).unwrap();
        file.write_all(b"damage").unwrap();
        let (healed, state) = block_checks.block(&mut file, 4).unwrap();
        assert_eq!((healed, state), (vec![7; BLOCK as usize], BlockState::Repaired));
        let mut whole = File::open(temp.write("whole", vec![7; length as usize])).unwrap();
        assert_eq!(block_checks.recompute(&mut whole).unwrap(), (block_checks, parity));
    }
}
