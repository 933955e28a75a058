//! Places for connections: their number is limited, and one address gets only a part of them.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::guard::address_group;

/// All places.
#[derive(Clone, Debug)]
pub(super) struct Seats {
    places: Arc<Semaphore>,
    taken: Arc<Mutex<HashMap<IpAddr, usize>>>,
    per_address: usize,
}

/// The place of one connection; free again when it is dropped.
pub(super) struct Seat {
    _place: OwnedSemaphorePermit,
    /// The address that it counts for.
    address: Option<IpAddr>,
    taken: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

impl Seats {
    pub(super) fn new(places: usize, per_address: usize) -> Self {
        Self { places: Arc::new(Semaphore::new(places)), taken: Arc::default(), per_address }
    }

    /// Waits for a free place.
    pub(super) async fn place(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.places).acquire_owned().await.ok()
    }

    /// Gives a place to an address; `None` if it has its part already. Programs of this machine are not told apart.
    pub(super) fn seat(&self, place: OwnedSemaphorePermit, address: IpAddr) -> Option<Seat> {
        let taken = Arc::clone(&self.taken);
        if address.to_canonical().is_loopback() {
            return Some(Seat { _place: place, address: None, taken });
        }
        let address = address_group(address);
        let mut counts = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(address).or_default();
        if *count >= self.per_address {
            return None;
        }
        *count += 1;
        drop(counts);
        Some(Seat { _place: place, address: Some(address), taken })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let Some(address) = self.address else { return };
        let mut counts = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&address) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_leaves_places_for_others() {
        let seats = Seats::new(8, 3);
        let take = |address: [u8; 4]| {
            let place = Arc::clone(&seats.places).try_acquire_owned().unwrap();
            seats.seat(place, address.into())
        };
        let held: Vec<_> = (0..5).filter_map(|_| take([192, 0, 2, 9])).collect();
        assert_eq!(held.len(), 3);
        assert!(take([192, 0, 2, 7]).is_some());
        let local: Vec<_> = (0..5).filter_map(|_| take([127, 0, 0, 1])).collect();
        assert_eq!(local.len(), 5, "this machine is not limited");
        drop((held, local));
        assert!(seats.taken.lock().unwrap().is_empty());
        assert_eq!(seats.places.available_permits(), 8);
    }
}
