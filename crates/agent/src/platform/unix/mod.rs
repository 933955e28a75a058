//! Linux, macOS and the BSDs.

mod folder;
mod processes;

pub(crate) use folder::{HeldFolder, is_own_file, keep_group, write_at};
pub(crate) use processes::{
    Pid, Signal, ending_signal, is_process_group, own_pid, send_to_group, send_to_process, start_in_group,
};
