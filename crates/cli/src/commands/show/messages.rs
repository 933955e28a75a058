//! `--as messages`: the conversation as plain chat messages, one JSON object per line.

use std::collections::HashSet;
use std::io::Write as _;
use std::path::Path;

use annals_store::overflow::{named_paths, own_file, session_folder, with_outputs, with_own_outputs};
use annals_team::query::collected_outputs;
use annals_transcript::graph::Graph;
use annals_transcript::message::{Message, groups};
use annals_transcript::query::{Filter, Inclusion, LineKind, RecordMatch, Scope, by_prefix, select};
use annals_transcript::record::Record;
use annals_transcript::transcript::{NodeIndex, Transcript};

use crate::args::{AtArgs, MessageArgs, MessageKind, ShowArgs};
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
    let (at, is_of_team) = (&args.at, args.at.at.is_some());
    if args.full {
        bytes = match is_of_team {
            true => with_own_outputs(bytes, &target.path),
            false => with_outputs(bytes, &target.path),
        };
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
    let missing = if is_of_team {
        missing_outputs(at, &transcript, &groups[from..], &session_folder(&target.path), context)?
    } else {
        HashSet::new()
    };
    for group in &groups[from..] {
        let Some(message) = Message::of(&transcript, group) else { continue };
        // What `append` reads leads back to the same bytes, unless it is JSON for any program.
        let (is_json, out) = (context.json, &mut context.out);
        let mut write = |piece: &[u8]| if is_json { out.json_text(piece) } else { out.exact_json(piece) };
        let names_missing =
            |node: &NodeIndex| outputs_of(&transcript, *node).iter().any(|named| missing.contains(named));
        if is_of_team && group.iter().any(names_missing) {
            let mut whole = Vec::new();
            message.write_pieces(&mut |piece: &[u8]| whole.write_all(piece))?;
            whole.pop();
            whole.extend_from_slice(b",\"notCollected\":true}");
            write(&whole)?;
        } else {
            message.write_pieces(&mut write)?;
        }
        write(b"\n")?;
    }
    if from == groups.len() {
        context.say(super::NO_MESSAGES);
        return Ok(Outcome::NothingFound);
    }
    Ok(Outcome::Done)
}

/// The outputs that a record names.
fn outputs_of(transcript: &Transcript<'_>, node: NodeIndex) -> Vec<String> {
    match transcript.record(node) {
        Record::User(user) => named_paths(&user),
        _ => Vec::new(),
    }
}

/// The outputs that records name and that were not sent: neither with this session nor with the one that it was copied from.
fn missing_outputs(
    at: &AtArgs,
    transcript: &Transcript<'_>,
    groups: &[Vec<NodeIndex>],
    folder: &Path,
    context: &Context,
) -> Result<HashSet<String>, Fault> {
    let named = groups.iter().flatten().flat_map(|&node| outputs_of(transcript, node));
    let mut missing: HashSet<String> = named.filter(|named| own_file(folder, named).is_none()).collect();
    let names: Vec<String> = missing.iter().filter_map(|named| name_in_store(named)).collect();
    if !names.is_empty()
        && let Some(engine) = at.open(context)?
    {
        let sent = collected_outputs(&engine, &at.scope.scope(), &names)?;
        missing.retain(|named| name_in_store(named).is_none_or(|name| !sent.contains(&name)));
    }
    Ok(missing)
}

/// The end of a path that names an output: its session, its folder and its own name.
fn name_in_store(path: &str) -> Option<String> {
    let mut parts = path.rsplit(['/', '\\']);
    let (name, folder, session) = (parts.next()?, parts.next()?, parts.next()?);
    (folder == "tool-results").then(|| [session, folder, name].join("/"))
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
