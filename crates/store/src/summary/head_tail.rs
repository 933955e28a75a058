//! Reads no more of a session than its summary needs: the beginning and the end.

use std::convert::Infallible;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use annals_json::Fields;
use annals_transcript::line::Line;
use annals_transcript::objects::read_objects;
use annals_transcript::record_lines::{RecordSplitter, first_record, record_lines};

use super::Coverage;
use super::collect::{IdTracking, SummaryCollector, SummaryParts};
use crate::json_file::JsonFile;
use crate::read::{ReadError, open_file};
use crate::scan::SessionEntry;

/// How much a summary reads of each end of a file; the client repeats titles and tags within this reach.
pub const SUMMARY_REACH: u64 = 64 * 1024;

/// How far the beginning is followed in search of the first prompt, past stored requests and pasted images. A line that
/// begins before this is read to its end.
const MAX_HEAD: u64 = 1024 * 1024;

/// How far back the end is followed in search of a whole line.
const MAX_TAIL: u64 = 8 * 1024 * 1024;

/// Summarizes a session, including what it says about others.
pub(super) fn gather(entry: &SessionEntry) -> Result<SummaryParts, ReadError> {
    let mut collector = SummaryCollector::new(entry, IdTracking::Keep);
    let fail = |error| ReadError::new(&entry.path, error);
    let coverage = open_file(&entry.path).and_then(|file| read_ends(file, &mut collector)).map_err(fail)?;
    Ok(collector.finish(coverage, custom_title(&entry.folder()).as_deref()))
}

/// The title in `custom-title.json` of a session's folder.
pub(super) fn custom_title(folder: &Path) -> Option<String> {
    let project = folder.parent().unwrap_or(folder);
    let file = JsonFile::read_below(project, &folder.join("custom-title.json")).ok()?;
    let title = file.object().ok()?.text("customTitle")?.decode().into_owned();
    Some(title)
}

fn read_ends(mut file: File, collector: &mut SummaryCollector<'_>) -> io::Result<Coverage> {
    let length = file.metadata()?.len();
    let Some(done) = read_head(&mut file, collector)? else { return Ok(Coverage::Whole) };
    let mut reach = SUMMARY_REACH;
    loop {
        let start = done.max(length.saturating_sub(reach));
        file.seek(SeekFrom::Start(start))?;
        let mut tail = Vec::new();
        Read::by_ref(&mut file).take(length - start).read_to_end(&mut tail)?;
        let whole_from = if start == done { Some(0) } else { first_record(&tail) };
        match whole_from {
            Some(at) if at < tail.len() || start == done => {
                record_lines(&tail[at..]).for_each(|line| add_line(collector, &line));
                return Ok(if start == done { Coverage::Whole } else { Coverage::HeadAndTail });
            }
            _ if reach >= MAX_TAIL => return Ok(Coverage::HeadAndTail),
            _ => reach *= 4,
        }
    }
}

/// Feeds the lines of the beginning and returns where the last whole one ended; `None` at the end of the file.
fn read_head(file: &mut File, collector: &mut SummaryCollector<'_>) -> io::Result<Option<u64>> {
    let mut splitter = RecordSplitter::new();
    let mut chunk = vec![0; SUMMARY_REACH as usize];
    let (mut total, mut done) = (0_u64, 0_u64);
    loop {
        let count = match file.read(&mut chunk) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let mut feed = |line: Line<'_>| -> Result<(), Infallible> {
            done = (line.offset + line.raw().len()) as u64;
            add_line(collector, &line);
            Ok(())
        };
        if count == 0 {
            let _ = splitter.finish(feed);
            return Ok(None);
        }
        let _ = splitter.push(&chunk[..count], &mut feed);
        total += count as u64;
        let is_far = total >= MAX_HEAD && (done >= MAX_HEAD || splitter.is_between_lines());
        if total >= SUMMARY_REACH && (collector.knows_beginning() || is_far) {
            return Ok(Some(done));
        }
    }
}

fn add_line(collector: &mut SummaryCollector<'_>, line: &Line<'_>) {
    // The usual line is one whole object; only the others need the careful reader.
    let body = line.body();
    match Fields::scan(body) {
        Ok((fields, end)) if end == body.len() => collector.add(fields),
        _ => read_objects(line, |fields, _| collector.add(fields), |_| ()),
    }
}
