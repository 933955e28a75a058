//! Sessions kept for good: compressed, de-duplicated, verified.
//!
//! Clients delete sessions after a while. The vault keeps every version of a session and of all that belongs to it, in packs
//! that only grow; each byte is compared with a sha256 before it is handed out. docs/vault.md describes the files.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use annals_store::DataDir;
//! use annals_vault::{Reader, Vault, Wanted};
//!
//! let vault = Vault::new(&DataDir::new("/home/me/.local/share/annals"));
//! let catalogue = vault.catalogue()?;
//! let shelves = vault.shelves(&catalogue)?;
//! let mut reader = Reader::new(&vault, &shelves);
//! for (place, version) in catalogue.newest() {
//!     reader.unpack(version, &std::env::temp_dir().join(place.1), Wanted::Everything)?;
//! }
//! # Ok(())
//! # }
//! ```

pub mod archive;
mod belongings;
mod blocks;
pub mod catalogue;
mod chunk;
pub mod error;
mod frame;
pub mod id;
mod index;
mod intake;
pub mod keeper;
mod mask;
mod pack;
pub mod reader;
mod repack;
pub mod restore;
pub mod shelves;
pub mod unpack;
pub mod vault;
pub mod verify;
pub mod version;
pub mod witness;

pub use archive::{Archived, Outlook};
pub use catalogue::Catalogue;
pub use error::VaultError;
pub use keeper::Keeper;
pub use reader::Reader;
pub use restore::{Existing, Restoration, RestoreError, Restored};
pub use shelves::Shelves;
pub use unpack::{Unpacked, Wanted};
pub use vault::Vault;
pub use verify::Verified;
pub use version::{FileCopy, Version, VersionId};
pub use witness::{Nobody, Witness};
