//! Helper threads and processors: some versions of Linux (6.18, for one) leave a new thread on the processor of the thread that
//! made it until load is balanced, which is milliseconds later. Two threads that share the work of a short command would take
//! turns on one processor.

/// The processor of a thread that is about to start a helper.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ParentCpu(#[cfg_attr(not(target_os = "linux"), allow(dead_code))] Option<usize>);

impl ParentCpu {
    /// The processor of this thread.
    pub(crate) fn current() -> Self {
        #[cfg(target_os = "linux")]
        return Self(Some(rustix::thread::sched_getcpu()));
        #[cfg(not(target_os = "linux"))]
        Self(None)
    }

    /// Moves this thread, the helper, to another processor if it is on that of its parent. It stays free to be moved again.
    pub(crate) fn leave(self) {
        #[cfg(target_os = "linux")]
        if let Some(cpu) = self.0.filter(|cpu| rustix::thread::sched_getcpu() == *cpu) {
            leave(cpu);
        }
    }
}

#[cfg(target_os = "linux")]
fn leave(cpu: usize) {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    let Some(allowed) = sched_getaffinity(None).ok().filter(|_| cpu < CpuSet::MAX_CPU) else { return };
    let mut others = allowed;
    others.unset(cpu);
    if others.count() > 0 && sched_setaffinity(None, &others).is_ok() {
        let _ = sched_setaffinity(None, &allowed);
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::thread::{sched_getaffinity, sched_getcpu};

    use super::*;

    #[test]
    fn a_helper_leaves_the_processor_of_its_parent_and_may_run_anywhere_after() {
        let before = sched_getaffinity(None).unwrap();
        std::thread::spawn(move || {
            let parent = ParentCpu::current();
            parent.leave();
            // A busy machine may have moved it back, or have moved it before.
            assert!(
                before.count() == 1
                    || (0..100).any(|_| {
                        parent.leave();
                        Some(sched_getcpu()) != parent.0
                    })
            );
            assert!(sched_getaffinity(None).unwrap() == before);
        })
        .join()
        .unwrap();
    }
}
