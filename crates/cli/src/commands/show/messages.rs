//! `--as messages`: the conversation as plain chat messages, one JSON object per line.

use annals_store::overflow::with_outputs;
use annals_transcript::graph::Graph;
use annals_transcript::message::{Message, groups};
use annals_transcript::query::{Filter, Inclusion, LineKind, RecordMatch, Scope, by_prefix, select};
use annals_transcript::record::Record;
use annals_transcript::transcript::{NodeIndex, Transcript};

use crate::args::{MessageArgs, MessageKind, ShowArgs};
use crate::context::Context;
use crate::error::{Fault, Outcome};
use crate::session::ResolvedSession;
use crate::when;

pub(crate) fn run(
    args: &ShowArgs,
    target: &ResolvedSession,
    context: &mut Context,
) -> Result<Outcome, Fault> {
    let mut bytes = target.read()?;
    if args.full {
        bytes = with_outputs(bytes, &target.path);
    }
    let args = &args.messages;
    let transcript = Transcript::parse(&bytes);
    let graph = Graph::new(&transcript);
    let filter = filter(args, &transcript, context)?;
    let mut groups = groups(&transcript, select(&transcript, &graph, &filter));
    if args.no_synthetic {
        let is_synthetic = |&node: &NodeIndex| match transcript.record(node) {
            Record::Assistant(assistant) => assistant.is_synthetic(),
            _ => false,
        };
        groups.retain(|group| !group.iter().any(is_synthetic));
    }
    let from = args.last.map_or(0, |count| groups.len().saturating_sub(count));
    for message in groups[from..].iter().filter_map(|group| Message::of(&transcript, group)) {
        // What `append` reads leads back to the same bytes, unless it is JSON for any program.
        let (is_json, out) = (context.json, &mut context.out);
        let mut write = |piece: &[u8]| if is_json { out.json_text(piece) } else { out.exact_json(piece) };
        message.write_pieces(&mut write)?;
        write(b"\n")?;
    }
    Ok(if from == groups.len() { Outcome::NothingFound } else { Outcome::Done })
}

fn filter(args: &MessageArgs, transcript: &Transcript<'_>, context: &Context) -> Result<Filter, Fault> {
    let (since, until) = when::parse_bounds(args.since.as_deref(), args.until.as_deref(), &context.zone)?;
    let without = |is_unwanted: bool| if is_unwanted { Inclusion::Without } else { Inclusion::With };
    let scope = match &args.up_to {
        None => Scope::LiveBranch,
        Some(uuid) => match by_prefix(transcript, uuid) {
            RecordMatch::One(node) => Scope::UpTo(node),
            RecordMatch::Nothing => {
                return Err(Fault::nothing_found(format!("this session has no record {uuid:?}"))
                    .hint("annals show SESSION --as records lists them"));
            }
            RecordMatch::Several(count) => {
                return Err(Fault::usage(format!("{count} records have ids that begin with {uuid:?}"))
                    .hint("annals show SESSION --as records lists them"));
            }
        },
    };
    let line = |kind: MessageKind| match kind {
        MessageKind::Prompts => LineKind::Prompt,
        MessageKind::Replies => LineKind::Reply,
        MessageKind::Tools => LineKind::Tool,
        MessageKind::System => LineKind::System,
    };
    Ok(Filter {
        scope,
        lines: args.only.iter().copied().map(line).collect(),
        since,
        until,
        tools: without(args.no_tools),
        system: without(args.no_system),
        ..Filter::default()
    })
}
