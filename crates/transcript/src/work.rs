//! Counts steps in debug builds, so that tests can tell how the work grows with a file. Seconds depend on the machine.

#[cfg(debug_assertions)]
thread_local! {
    static STEPS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Returns the steps of this thread so far: records visited, and blocks of bytes scanned again. Always 0 in release builds.
pub fn steps() -> u64 {
    #[cfg(debug_assertions)]
    return STEPS.get();
    #[cfg(not(debug_assertions))]
    0
}

/// Counts steps.
#[inline]
pub(crate) fn count(_steps: usize) {
    #[cfg(debug_assertions)]
    STEPS.set(STEPS.get() + _steps as u64);
}
