//! Files that were deleted from the store: their rows stay until they are forgotten, and can be added from copies.

use std::collections::HashSet;
use std::ops::ControlFlow;

use annals_store::{DataDir, Discovery};
use annals_transcript::price::Prices;

use super::plan;
use crate::error::IndexError;
use crate::extract::extract;
use crate::open::Index;
use crate::words::{SegmentPolicy, WordChannel};
use crate::write::{RowWriter, known_files};

impl Index {
    /// Adds deleted files from copies elsewhere in the same layout, unless the index knows them; returns how many were
    /// added.
    pub fn add_gone(
        &mut self,
        elsewhere: &Discovery,
        data: &DataDir,
        prices: &Prices,
    ) -> Result<usize, IndexError> {
        let _lock = self.lock(data)?;
        let mut to_read = plan::all(elsewhere);
        let mut unknown = Vec::new();
        for file in to_read.drain(..) {
            if !self.knows(&file.indexed_file.path)? {
                unknown.push(file);
            }
        }
        let mut words = WordChannel::of(&self.connection, self.path())?;
        let mut writer = RowWriter::begin(&mut self.connection, prices)?;
        for file in &unknown {
            let mut written = Ok(());
            let read = extract(file, |batch| {
                written = writer.write(&words.writer.take(batch));
                if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            written?;
            // A copy that cannot be read is tried again next time.
            if read.is_ok() {
                writer.mark_gone_by_path(&file.indexed_file.path)?;
            }
        }
        writer.commit(&mut words.receiver, words.writer.finish(SegmentPolicy::Unchanged))?;
        words.remove_forgotten(&self.connection)?;
        Ok(unknown.len())
    }

    /// Removes the rows of deleted files and returns how many files that were. Files in `kept`, by their path relative to
    /// the config dir, stay searchable.
    pub fn forget_gone(
        &mut self,
        kept: &HashSet<String>,
        data: &DataDir,
        prices: &Prices,
    ) -> Result<usize, IndexError> {
        let _lock = self.lock(data)?;
        let gone: Vec<i64> = known_files(&self.connection)?
            .into_iter()
            .filter(|file| !file.is_there && !kept.contains(&file.indexed_file.path))
            .map(|file| file.id)
            .collect();
        let mut words = WordChannel::of(&self.connection, self.path())?;
        let mut writer = RowWriter::begin(&mut self.connection, prices)?;
        gone.iter().try_for_each(|file| writer.forget_file(*file))?;
        writer.commit(&mut words.receiver, words.writer.finish(SegmentPolicy::Unchanged))?;
        words.remove_forgotten(&self.connection)?;
        Ok(gone.len())
    }
}
