//! Opens addresses in the browser of the user, by the usual program of the system.

use std::process::{Command, Stdio};

use crate::context::Context;

/// Opens an address, without waiting for it; `false` if no program could be started.
pub(crate) fn open_browser(url: &str, context: &Context) -> bool {
    let programs: &[&[&str]] = if cfg!(target_os = "macos") {
        &[&["open"]]
    } else if cfg!(windows) {
        &[&["rundll32", "url.dll,FileProtocolHandler"]]
    } else {
        &[&["xdg-open"], &["gio", "open"], &["sensible-browser"]]
    };
    programs.iter().any(|program| {
        let mut command = Command::new(program[0]);
        command.args(&program[1..]).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.env_clear().envs(context.variables.iter().cloned());
        command.spawn().is_ok()
    })
}
