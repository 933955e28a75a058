//! Which session to go on with: the newest of this folder, to choose from by number.

use std::path::{Path, PathBuf};

use annals_store::source::Clock;
use annals_store::{Slug, Summary};
use annals_ui::figures;

use super::desk::{Away, Desk, Said};
use super::screen::{Ink, Styled};
use crate::commands::ls::{short_id, title};
use crate::context::Context;
use crate::session::Target;
use crate::words;

/// So many are offered.
const OFFERED: usize = 10;

/// The session that the person wants; none where they changed their mind.
pub(super) async fn choose(
    wanted: Option<&str>,
    cwd: &Path,
    context: &Context,
    desk: &mut Desk,
) -> Result<Option<PathBuf>, Away> {
    if let Some(wanted) = wanted {
        return Ok(Some(Target::find(context, wanted).map_err(Away::Fault)?.path));
    }
    let offered = newest(cwd, context);
    if offered.is_empty() {
        desk.note(Ink::Dim, "this folder has no sessions");
        return Ok(None);
    }
    let now = Clock::now(&context.source);
    let lines: Vec<Styled> =
        offered.iter().enumerate().map(|(number, summary)| line(number + 1, summary, now)).collect();
    desk.notes(&lines);
    match desk.ask("which one? ").await {
        Said::Leave(outcome) => Err(Away::Leave(outcome)),
        Said::Nothing => Ok(None),
        Said::Line(text) if text.is_empty() => Ok(None),
        Said::Line(text) => {
            match text.parse::<usize>().ok().and_then(|number| offered.get(number.wrapping_sub(1))) {
                Some(summary) => Ok(Some(summary.path.clone())),
                None => Ok(Some(Target::find(context, &text).map_err(Away::Fault)?.path)),
            }
        }
    }
}

/// Sessions of this folder, newest first.
fn newest(cwd: &Path, context: &Context) -> Vec<Summary> {
    let slug = Slug::of_path(&cwd.to_string_lossy());
    let discovery = context.store.discover();
    let (mut summaries, _) = context.store.summaries(&discovery);
    summaries.retain(|summary| summary.slug == slug && !summary.is_empty() && !summary.is_warm_up);
    summaries
        .sort_by(|left, right| right.modified.cmp(&left.modified).then_with(|| left.path.cmp(&right.path)));
    summaries.truncate(OFFERED);
    summaries
}

fn line(number: usize, summary: &Summary, now: i64) -> Styled {
    let age = summary.modified.and_then(|at| u64::try_from(now.saturating_sub(at)).ok());
    let age = age.map_or_else(String::new, |millis| format!(" · {} ago", figures::duration(millis)));
    vec![
        (Ink::Bold, format!("{number:>2} ")),
        (Ink::Cyan, short_id(summary)),
        (Ink::Plain, format!(" {}", title(summary))),
        (Ink::Dim, format!("{age} · {}", words::bytes(summary.bytes))),
    ]
}
