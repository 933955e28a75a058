//! Files that the store has no more: kept until they are forgotten, or taken in from copies.

use std::collections::HashSet;
use std::ops::ControlFlow;

use annals_store::{DataDir, Discovery};
use annals_transcript::price::Prices;

use super::plan;
use crate::error::IndexError;
use crate::extract::extract;
use crate::open::Index;
use crate::words::{Gathering, Pieces};
use crate::write::{Writer, known_files};

impl Index {
    /// Takes files in that the store has no more, from copies that lie elsewhere in the same layout. What is known stays as it
    /// is; tells how many were new.
    pub fn take_in_gone(
        &mut self,
        elsewhere: &Discovery,
        data: &DataDir,
        prices: &Prices,
    ) -> Result<usize, IndexError> {
        let _lock = self.lock(data)?;
        let mut wanted = plan::all(elsewhere);
        let mut unknown = Vec::new();
        for file in wanted.drain(..) {
            if !self.knows(&file.subject.path)? {
                unknown.push(file);
            }
        }
        let mut words = Gathering::of(&self.connection, self.path())?;
        let mut writer = Writer::begin(&mut self.connection, prices)?;
        for file in &unknown {
            let mut written = Ok(());
            let read = extract(file, |batch| {
                written = writer.write(&words.gatherer.take(batch));
                if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            written?;
            // A copy that cannot be read is not taken in; the next time it is tried again.
            if read.is_ok() {
                writer.mark_taken_in(&file.subject.path)?;
            }
        }
        writer.commit(&mut words.gathered, words.gatherer.finish(Pieces::AsTheyAre))?;
        words.take_out_forgotten(&self.connection)?;
        Ok(unknown.len())
    }

    /// Forgets the files that are not there any more, and tells how many those were. Until then what they said can be found;
    /// what is `kept` elsewhere stays, by its path below the config dir.
    pub fn forget_gone(
        &mut self,
        kept: &HashSet<String>,
        data: &DataDir,
        prices: &Prices,
    ) -> Result<usize, IndexError> {
        let _lock = self.lock(data)?;
        let gone: Vec<i64> = known_files(&self.connection)?
            .into_iter()
            .filter(|file| !file.is_there && !kept.contains(&file.subject.path))
            .map(|file| file.id)
            .collect();
        let mut words = Gathering::of(&self.connection, self.path())?;
        let mut writer = Writer::begin(&mut self.connection, prices)?;
        gone.iter().try_for_each(|file| writer.forget_file(*file))?;
        writer.commit(&mut words.gathered, words.gatherer.finish(Pieces::AsTheyAre))?;
        words.take_out_forgotten(&self.connection)?;
        Ok(gone.len())
    }
}
