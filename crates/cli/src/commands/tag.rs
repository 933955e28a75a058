//! `annals tag`: sets the tag of a session.

use annals_transcript::draft::Draft;

use super::rename::append_side_record;
use crate::args::TagArgs;
use crate::change::Sentence;
use crate::context::Context;
use crate::error::{Fault, Outcome};

pub(crate) fn run(args: &TagArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let tag = args.tag.trim();
    let sentence = |session: &str| match tag {
        "" => Sentence::new("remove", "removed", format!("the tag of {session}")),
        tag => Sentence::new("tag", "tagged", format!("{session} as {tag:?}")),
    };
    append_side_record(context, &args.session, args.confirm, &Draft::tag(tag), "tag", &sentence)
}
