//! What one server takes on, so that nobody can use it up: by many connections, by slow ones, or by never reading.

use std::time::Duration;

/// Limits of number and time.
#[derive(Clone, Copy, Debug)]
pub struct ServerLimits {
    /// Connections at a time; a browser opens six for each server. More wait until one ends.
    pub connections: usize,
    /// Connections of one address at a time, so that nobody takes all places; more are closed. Not for this machine, nor for a
    /// proxy.
    pub per_address: usize,
    /// Pages that follow something at a time, each of which holds a connection; more are not followed (503). Fewer than
    /// connections, so that pages always get through.
    pub followers: usize,
    /// How long the head of a request may take to arrive, also the first after a pause, and how long a TLS handshake.
    pub arrival: Duration,
    /// How long the other side may take no bytes while some wait for it.
    pub stall: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            connections: 128,
            per_address: 64,
            followers: 96,
            arrival: Duration::from_secs(10),
            stall: Duration::from_secs(30),
        }
    }
}
