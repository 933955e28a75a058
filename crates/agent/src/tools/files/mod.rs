//! Files of the user's, opened so that no link that appears meanwhile leads elsewhere, and replaced as a whole.

mod form;
mod place;

pub(crate) use form::Form;
pub(crate) use place::{Place, PlaceError};
