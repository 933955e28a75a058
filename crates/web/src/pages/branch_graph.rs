//! The graph of a session as SVG: ways, compactions and sub-agents; each node leads to its record.

use annals_ui::figures;
use maud::{Markup, html};

use super::SessionRequest;
use super::window::branch_query;
use crate::library::{GraphNode, GraphNodeKind, SessionGraph};

/// Space between nodes, at least, and between lanes.
const STEP: f64 = 22.0;
/// Width of a graph with few nodes.
const WIDTH: f64 = 720.0;
/// Space around it.
const EDGE: f64 = 12.0;

/// Draws the graph; nothing if the session has only one way without events.
pub(super) fn draw(request: &SessionRequest, graph: &SessionGraph) -> Markup {
    let count = graph.nodes.len();
    if count == 0 {
        return html! {};
    }
    let lanes = graph.nodes.iter().map(|node| node.lane).max().unwrap_or_default();
    let step = ((WIDTH - 2.0 * EDGE) / (count.max(2) - 1) as f64).max(STEP);
    let width = 2.0 * EDGE + step * (count.max(2) - 1) as f64;
    let height = 2.0 * EDGE + STEP * lanes as f64;
    let place = |at: usize| (EDGE + at as f64 * step, EDGE + graph.nodes[at].lane as f64 * STEP);
    html! {
        figure class="graph" {
            figcaption { (caption(graph)) }
            div class="wide" tabindex="0" role="region" aria-label="Graph of the session" {
                svg viewBox={ "0 0 " (format!("{width:.0} {height:.0}")) } width=(format!("{width:.0}")) height=(format!("{height:.0}")) role="group" aria-label="Branches, compactions and sub-agents" {
                    @for (at, node) in graph.nodes.iter().enumerate() {
                        @if let Some(parent) = node.parent { path class="lane" d=(lane(place(parent), place(at))) {} }
                    }
                    @for (at, node) in graph.nodes.iter().enumerate() {
                        @let (x, y) = place(at);
                        a href=(address(request, node)) aria-label={ (node.label) ", line " (node.line) } {
                            circle class={ "node " (class(node.kind)) } cx=(format!("{x:.1}")) cy=(format!("{y:.1}")) r="7" { title { (node.label) " (line " (node.line) ")" } }
                        }
                    }
                }
            }
        }
    }
}

fn caption(graph: &SessionGraph) -> String {
    let count = |kind| graph.nodes.iter().filter(|node| node.kind == kind).count();
    let parts = [
        (graph.ways, "other branch"),
        (count(GraphNodeKind::Compaction), "compaction"),
        (count(GraphNodeKind::Agent), "call with sub-agents"),
    ];
    let parts = parts.iter().filter(|(count, _)| *count > 0).map(|(count, name)| match (count, *name) {
        (1, name) => format!("1 {name}"),
        (_, "call with sub-agents") => format!("{count} calls with sub-agents"),
        (count, name) => figures::counted(*count, name),
    });
    let mut text = format!("Graph: {}", parts.collect::<Vec<_>>().join(", "));
    if graph.left_out > 0 {
        text.push_str(&format!(
            "; the first {} places of {}",
            graph.nodes.len(),
            graph.nodes.len() + graph.left_out
        ));
    }
    text
}

/// A line along a lane; to another lane it bends right before the node.
fn lane((from_x, from_y): (f64, f64), (x, y): (f64, f64)) -> String {
    if from_y == y {
        return format!("M{from_x:.1} {from_y:.1}H{x:.1}");
    }
    format!("M{from_x:.1} {from_y:.1}C{:.1} {y:.1} {from_x:.1} {y:.1} {x:.1} {y:.1}", from_x + 4.0)
}

fn class(kind: GraphNodeKind) -> &'static str {
    match kind {
        GraphNodeKind::Start | GraphNodeKind::Fork => "fork-point",
        GraphNodeKind::Way => "way",
        GraphNodeKind::End => "end",
        GraphNodeKind::Compaction => "compaction",
        GraphNodeKind::Agent => "agent",
    }
}

/// The record on this page, or on that of its way.
fn address(request: &SessionRequest, node: &GraphNode) -> String {
    match &node.branch {
        None => format!("#L{}", node.line),
        Some(uuid) => format!("?{}#L{}", branch_query(request, uuid), node.line),
    }
}
