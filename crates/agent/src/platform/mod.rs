//! What differs between systems: folders that are held open, process groups, signals. No other module of this crate names a
//! system.

#[cfg_attr(unix, path = "unix/mod.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod system;

pub(crate) use system::{
    HeldFolder, Pid, Signal, ending_signal, is_own_file, is_process_group, keep_group, own_pid,
    send_to_group, send_to_process, start_in_group, write_at,
};
