//! The image of the clipboard, read by the program that the desktop has for it.

use std::io::{self, Read as _};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use annals_agent::tools::prompt_image;
use annals_tui::editor::Image;

use super::ScreenUi;

/// Programs that print the image of the clipboard.
const PROGRAMS: [(&str, &[&str]); 3] = [
    ("wl-paste", &["--type", "image/png"]),
    ("xclip", &["-selection", "clipboard", "-t", "image/png", "-o"]),
    ("pngpaste", &["-"]),
];
/// The largest image that is read.
const MAX_BYTES: u64 = 64 << 20;
/// How long a program may take: nothing else happens meanwhile.
const PATIENCE: Duration = Duration::from_secs(3);

impl ScreenUi {
    /// Inserts the image of the clipboard, or says why there is none.
    pub(super) fn paste_image(&mut self) {
        match clipboard_image() {
            Ok(image) => self.screen.editor().attach_image(image),
            Err(why) => self.screen.hint(&why),
        }
    }
}

fn clipboard_image() -> Result<Image, String> {
    let mut is_there = false;
    for (program, arguments) in PROGRAMS {
        let bytes = match output(program, arguments) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(format!("{program}: {error}")),
        };
        is_there = true;
        match prompt_image(&bytes) {
            Ok(Some(image)) => {
                let media_type = image.media_type.to_owned();
                return Ok(Image { media_type, base64: image.base64, path: None });
            }
            // A desktop can have two clipboards.
            Ok(None) => {}
            Err(error) => return Err(format!("cannot use the image on the clipboard: {error}")),
        }
    }
    match is_there {
        true => Err("there is no image on the clipboard".to_owned()),
        false => Err("cannot read the clipboard: install wl-paste, xclip or pngpaste".to_owned()),
    }
}

/// What a program prints, as far as it is not too much.
fn output(program: &str, arguments: &[&str]) -> io::Result<Vec<u8>> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    let Some(out) = child.stdout.take() else { return Ok(Vec::new()) };
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = out.take(MAX_BYTES).read_to_end(&mut bytes).map(|_| bytes);
        // Nobody waits any more if it took too long.
        let _ = sender.send(read);
    });
    let read = receiver.recv_timeout(PATIENCE);
    let _ = child.kill();
    child.wait()?;
    read.unwrap_or_else(|_| Err(io::Error::new(io::ErrorKind::TimedOut, "no answer in 3 seconds")))
}
