//! One session in one format.

use annals_store::overflow::with_outputs;
use annals_store::parallel;
use annals_transcript::graph::Graph;
use annals_transcript::message::{Message, groups};
use annals_transcript::query::{Filter, Inclusion, LineKind, Scope, select};
use annals_transcript::transcript::Transcript;
use annals_ui::html::{
    self, EmbeddedImages, HtmlOptions, ImageSource, Markup, NoImages, PageHeader, PagePart,
};
use annals_ui::terminal::{self, RenderOptions};
use annals_ui::view::{BranchDetail, Detail, Item};
use annals_ui::{Conversation, TerminalText, ViewOptions, markdown};

use super::facts;
use super::redaction::redact;
use crate::args::{ExportArgs, ExportDetail, ExportFormat};
use crate::commands::show::threads;
use crate::context::Context;
use crate::error::Fault;
use crate::facts::{SessionFacts, SessionTotals};
use crate::session::{ResolvedSession, SessionWithAgents};
use crate::words;

/// The columns of text in a file.
const TEXT_WIDTH: usize = 100;

/// Exports have everything.
const WHOLE: ViewOptions = ViewOptions { branches: BranchDetail::Full };

/// A session in a format.
pub(crate) struct Document {
    /// The file, in pieces.
    pub(super) pieces: Vec<Vec<u8>>,
    /// What a list says about it.
    pub(super) row: [String; 6],
}

impl Document {
    /// The whole file.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        match <[Vec<u8>; 1]>::try_from(self.pieces) {
            Ok([only]) => only,
            Err(pieces) => pieces.concat(),
        }
    }

    /// Reads a session and writes it in the format that was asked for.
    pub(crate) fn of(args: &ExportArgs, target: &ResolvedSession, context: &Context) -> Result<Self, Fault> {
        let mut bytes = with_outputs(target.read()?, &target.path);
        let mut files = if args.include_agents { target.agents() } else { Vec::new() };
        for file in &mut files {
            file.bytes = with_outputs(std::mem::take(&mut file.bytes), &file.entry.path);
        }
        let mut redactor = match args.redact {
            true => Some(redact(target, &context.redaction_patterns(&[]), &mut bytes, &mut files)?),
            false => None,
        };
        let family = SessionWithAgents::new(&bytes, &files);
        if family.main.indices().next().is_none() {
            return Err(Fault::usage("not a session: it has no record"));
        }
        let summary = SessionFacts::summary(target);
        let mut about = |totals: &SessionTotals| {
            let mut known = SessionFacts::with_totals(target, summary.as_ref(), totals, context);
            if let Some(redactor) = &mut redactor {
                facts::redact(&mut known, redactor);
            }
            known
        };
        if args.form == ExportFormat::Html {
            let images = images(&family);
            let images: &dyn ImageSource = if args.redact { &NoImages } else { &images };
            let document = html_document(&family, args.detail, images, context, about);
            drop(family);
            parallel::free((bytes, files));
            return Ok(document);
        }
        let prices = &context.prices;
        let (totals, talk) = parallel::both(
            || SessionTotals::of(&family, prices),
            || (args.form != ExportFormat::Json).then(|| conversation(&family)),
        );
        let known = about(&totals);
        let bytes = match talk {
            None => messages(&family.main, args.detail),
            Some(mut conversation) => {
                conversation.keep_detail(args.detail.into());
                let header = facts::header(&known);
                if args.form == ExportFormat::Markdown {
                    let mut page = TerminalText::default();
                    markdown::page(&header, &conversation, &mut page);
                    page.as_str().to_owned()
                } else {
                    text(&header, &conversation, context)
                }
                .into_bytes()
            }
        };
        Ok(Self { pieces: vec![bytes], row: facts::row(&known) })
    }
}

/// Builds the conversation on one thread, and counts and draws what is built on another.
fn html_document(
    family: &SessionWithAgents<'_>,
    detail: ExportDetail,
    images: &dyn ImageSource,
    context: &Context,
    mut about: impl FnMut(&SessionTotals) -> SessionFacts,
) -> Document {
    let zone = context.zone.clone();
    let zone = |millis: i64| words::minutes_from_utc(millis, &zone);
    let options = HtmlOptions { zone: &zone, images, agent: None, markup: Markup::Compact };
    let prices = &context.prices;
    let build = |send: &mut dyn FnMut(Vec<Item>)| {
        Conversation::build_in_parts(&family.main, &threads(family), WHOLE, &mut |mut part| {
            part.keep_detail(detail.into());
            send(part.items);
        });
    };
    let count = || SessionTotals::of(family, prices);
    let (totals, mut drawn) = parallel::pipeline(count, build, |items| PagePart::draw(items, &options));
    let known = about(&totals);
    let pieces = html::page_of_parts(&facts::header(&known), &mut drawn, &options);
    parallel::free(drawn);
    Document { pieces: pieces.into_iter().map(String::into_bytes).collect(), row: facts::row(&known) }
}

impl From<ExportDetail> for Detail {
    fn from(detail: ExportDetail) -> Self {
        match detail {
            ExportDetail::Full => Self::Full,
            ExportDetail::NoTools => Self::NoTools,
            ExportDetail::Prompts => Self::Prompts,
        }
    }
}

/// Writes the page of a conversation that `annals show` has built.
pub(crate) fn show_page(
    target: &ResolvedSession,
    family: &SessionWithAgents<'_>,
    conversation: &Conversation,
    context: &Context,
) -> String {
    let summary = SessionFacts::summary(target);
    let header = facts::header(&SessionFacts::of(target, summary.as_ref(), family, context));
    page(&header, conversation, &images(family), context)
}

fn conversation(family: &SessionWithAgents<'_>) -> Conversation {
    Conversation::build(&family.main, &threads(family), WHOLE)
}

fn images<'f>(family: &'f SessionWithAgents<'f>) -> EmbeddedImages<'f> {
    let mut images = EmbeddedImages::new(&family.main);
    family.agents.iter().for_each(|(file, said, _)| images.add_agent(file.entry.key.as_str(), said));
    images
}

fn page(
    header: &PageHeader,
    conversation: &Conversation,
    images: &dyn ImageSource,
    context: &Context,
) -> String {
    let zone = context.zone.clone();
    let zone = |millis: i64| words::minutes_from_utc(millis, &zone);
    let options = HtmlOptions { zone: &zone, images, agent: None, markup: Markup::Compact };
    let mut drawn = parallel::map(&html::parts(conversation), |items| PagePart::draw(*items, &options));
    html::page_of_parts(header, &mut drawn, &options).concat()
}

fn text(header: &PageHeader, conversation: &Conversation, context: &Context) -> String {
    let zone = |millis: i64| words::minutes_from_utc(millis, &context.zone);
    let look = RenderOptions { full: true, zone: &zone, ..RenderOptions::plain(TEXT_WIDTH) };
    let mut page = TerminalText::from(&header.title);
    for (name, value) in &header.facts {
        page = page + TerminalText::block("\n") + format!("{name}: {value}");
    }
    page = page + TerminalText::block("\n\n");
    terminal::draw(conversation, &look, &mut page);
    page.as_str().to_owned()
}

/// The messages of the live branch, one per line, as `annals show --as messages` prints them.
fn messages(transcript: &Transcript<'_>, detail: ExportDetail) -> Vec<u8> {
    let filter = Filter {
        scope: Scope::LiveBranch,
        lines: if detail == ExportDetail::Prompts { vec![LineKind::Prompt] } else { Vec::new() },
        tools: if detail == ExportDetail::NoTools { Inclusion::Without } else { Inclusion::With },
        ..Filter::default()
    };
    let nodes = select(transcript, &Graph::new(transcript), &filter);
    let mut out = Vec::new();
    for message in groups(transcript, nodes).iter().filter_map(|group| Message::of(transcript, group)) {
        message.write(&mut out);
        out.push(b'\n');
    }
    out
}
