//! Queries over real sessions: the records sent on resume are on the live branch, and filters partition a branch.

use annals_testkit::corpus;
use annals_transcript::graph::Graph;
use annals_transcript::query::{Counts, Filter, Inclusion, LineKind, Scope, last, live_branch, select};
use annals_transcript::resume::{BlockOrigin, Client, resume};
use annals_transcript::transcript::Transcript;

fn each_file(test: &str, mut check: impl FnMut(&str, &Transcript<'_>, &Graph<'_>)) {
    let Some(corpus) = corpus::or_skip(test) else { return };
    for path in corpus.transcripts() {
        let bytes = std::fs::read(&path).unwrap();
        let transcript = Transcript::parse(&bytes);
        check(&corpus.name_of(&path), &transcript, &Graph::new(&transcript));
    }
}

#[test]
fn what_is_sent_on_resume_is_on_the_live_branch() {
    each_file("what_is_sent_on_resume_is_on_the_live_branch", |name, transcript, graph| {
        let live = live_branch(transcript, graph);
        let resumed = resume(transcript, Client::NEWEST);
        for block in resumed.messages().iter().flat_map(|message| &message.blocks) {
            if let BlockOrigin::Record(node) = block.origin {
                assert!(live.contains(&node), "{name}: line {}", transcript.nodes()[node].line);
            }
        }
        let said = last(transcript, graph, usize::MAX);
        let owned: usize = said.iter().map(|message| message.records.len()).sum();
        assert_eq!(owned, live.len(), "{name}");
    });
}

#[test]
fn every_line_of_a_branch_is_of_one_kind() {
    each_file("every_line_of_a_branch_is_of_one_kind", |name, transcript, graph| {
        let branch = Filter { scope: Scope::LiveBranch, ..Filter::default() };
        let of = |lines: Vec<LineKind>, tools: Inclusion| {
            select(transcript, graph, &Filter { lines, tools, ..branch.clone() })
        };
        use LineKind::{Client, Prompt, Reply, System, Tool};
        let kinds = [Client, Prompt, Reply, System, Tool];
        let mut all: Vec<_> = kinds.into_iter().flat_map(|kind| of(vec![kind], Inclusion::With)).collect();
        let mut parted = of(Vec::new(), Inclusion::Without);
        parted.extend(of(Vec::new(), Inclusion::Only));
        let mut whole = select(transcript, graph, &branch);
        for list in [&mut all, &mut parted, &mut whole] {
            list.sort_unstable();
        }
        assert_eq!(all, whole, "{name}");
        assert_eq!(parted, whole, "{name}");
        let counts = Counts::of(transcript, graph);
        assert_eq!(counts.kinds.values().sum::<usize>(), counts.records, "{name}");
        assert!(counts.tool_errors <= counts.tool_results, "{name}");
    });
}
