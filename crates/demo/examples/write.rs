//! Writes a demo store into a directory: `cargo run --example write -- DIR [BYTES] [SEED]`.

use std::io::Write;
use std::path::PathBuf;
use std::{env, fs, io, time};

fn main() -> io::Result<()> {
    let mut args = env::args().skip(1);
    let root = PathBuf::from(args.next().ok_or(io::ErrorKind::InvalidInput)?);
    let bytes = args.next().and_then(|text| text.parse().ok());
    let seed = args.next().and_then(|text| text.parse().ok()).unwrap_or(1);
    let plan = annals_demo::Plan { sessions: None, bytes, seed };
    let keep = root.as_os_str() != "-";
    let began = time::Instant::now();
    let tally = annals_demo::generate(&plan, &mut |file| {
        if !keep {
            return Ok(());
        }
        let path = root.join(&file.path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&path, &file.bytes)?;
        let modified = time::UNIX_EPOCH + time::Duration::from_millis(file.modified_ms.max(0) as u64);
        fs::File::options().append(true).open(&path)?.set_modified(modified)
    })?;
    let report = format!("{:?}\n{tally:#?}\n", began.elapsed());
    io::stdout().write_all(report.as_bytes())
}
