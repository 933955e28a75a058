//! An archive of sessions: compressed, de-duplicated, verified.
//!
//! Clients delete sessions after a while. The vault keeps every version of a session and of all files that belong to it, in
//! packs that are never edited; every byte is compared with its sha256 before it is returned. docs/vault.md describes the
//! files.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use annals_store::DataDir;
//! use annals_vault::{FileSelection, Vault, VaultReader};
//!
//! let vault = Vault::new(&DataDir::new("/home/me/.local/share/annals"));
//! let catalogue = vault.catalogue()?;
//! let chunk_index = vault.chunk_index(&catalogue)?;
//! let mut reader = VaultReader::new(&vault, &chunk_index);
//! for (location, version) in catalogue.newest() {
//!     reader.unpack(version, &std::env::temp_dir().join(location.1), FileSelection::Everything)?;
//! }
//! # Ok(())
//! # }
//! ```

pub mod archive;
mod blocks;
pub mod catalogue;
mod chunk;
pub mod chunk_index;
pub mod error;
mod frame;
pub mod id;
mod index;
mod ingest;
mod mask;
mod pack;
pub mod progress;
pub mod reader;
mod repack;
pub mod restore;
mod session_files;
pub mod unpack;
pub mod vault;
pub mod verify;
pub mod version;
mod version_id;
pub mod writer;

pub use archive::{ArchiveReport, Status};
pub use catalogue::Catalogue;
pub use chunk_index::ChunkIndex;
pub use error::VaultError;
pub use progress::{NoProgress, Progress};
pub use reader::VaultReader;
pub use restore::{OnConflict, RestoreError, RestoreReport, RestoreRequest};
pub use unpack::{FileSelection, UnpackDir};
pub use vault::Vault;
pub use verify::VerifyReport;
pub use version::{FileCopy, FolderMode, Version, VersionId};
pub use writer::VaultWriter;
