//! `annals tag`: a word by which sessions are found again.

use annals_transcript::draft::Draft;

use super::rename::append_aside;
use crate::args::TagArgs;
use crate::context::Context;
use crate::error::{Fault, Outcome};

pub(crate) fn run(args: &TagArgs, context: &mut Context) -> Result<Outcome, Fault> {
    let tag = args.tag.trim();
    let sentence = |session: &str| match tag {
        "" => format!("{session} has no tag any more"),
        tag => format!("{session} is tagged {tag:?}"),
    };
    append_aside(context, &args.session, args.care, &Draft::tag(tag), "tag", &sentence)
}
