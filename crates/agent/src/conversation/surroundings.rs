//! What lines say of their surroundings: the folder and the branch at the moment of the message.

use std::path::Path;

use annals_store::git;

use super::backend::Backend;
use super::{Conversation, SessionState};

impl Conversation<'_> {
    /// Returns the bytes that folder and branch take in a line.
    pub(crate) fn surroundings_size(&self) -> usize {
        match &self.state {
            SessionState::Open(backend) => {
                let origin = backend.origin();
                let slug = origin.slug.as_ref().map_or(0, String::len);
                origin.cwd.len() + origin.git_branch.len() + slug
            }
            SessionState::NotYet(..) => 0,
        }
    }

    /// Sets the folder of all further lines, and reads its branch: a command may have changed both.
    pub(crate) fn set_surroundings(&mut self, folder: &Path) {
        if let SessionState::Open(backend) = &mut self.state {
            let (cwd, branch) = (folder.to_string_lossy().into_owned(), git::branch(folder));
            match backend {
                Backend::File { writer, .. } => writer.set_cwd_and_branch(cwd, branch),
                Backend::Memory { origin, .. } => (origin.cwd, origin.git_branch) = (cwd, branch),
            }
        }
    }
}
