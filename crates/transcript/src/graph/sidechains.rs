//! Sub-agents inside the session file, as in 1.0.x.

use std::collections::HashMap;

use super::Graph;
use crate::transcript::{NodeIndex, NodeMap, Transcript};

/// One sub-agent inside a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sidechain {
    /// Its first record: the prompt.
    pub root: NodeIndex,
    /// All its records, in the order of the file.
    pub nodes: Vec<NodeIndex>,
}

/// Returns the sidechains of a file, by their first records. A sub-agent's own file is one sidechain.
pub fn sidechains(transcript: &Transcript<'_>, graph: &Graph<'_>) -> Vec<Sidechain> {
    let nodes = transcript.nodes();
    let is_side = |node: NodeIndex| nodes[node].is_sidechain && nodes[node].is_chain();
    // The root of each sidechain record is found by walking up. A visited record is marked at once, so that none is visited
    // twice and cycles end.
    let mut root_of: NodeMap<Option<NodeIndex>> = NodeMap::new(transcript, None);
    for start in transcript.indices().filter(|&node| is_side(node)) {
        let mut trail = Vec::new();
        let mut here = start;
        let root = loop {
            if let Some(known) = root_of[here] {
                break known;
            }
            root_of[here] = Some(here);
            trail.push(here);
            match graph.parent(here).filter(|&parent| is_side(parent)) {
                Some(parent) => here = parent,
                None => break here,
            }
        };
        for node in trail {
            root_of[node] = Some(root);
        }
    }
    let mut chains: Vec<Sidechain> = Vec::new();
    let mut place = HashMap::new();
    for (node, root) in root_of.iter().filter_map(|(node, root)| Some((node, (*root)?))) {
        let at = *place.entry(root).or_insert_with(|| {
            chains.push(Sidechain { root, nodes: Vec::new() });
            chains.len() - 1
        });
        chains[at].nodes.push(node);
    }
    chains
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_sub_agent_is_one_chain_even_in_a_circle() {
        let line = |uuid: &str, parent: &str, side: bool| {
            format!(r#"{{"type":"user","uuid":"{uuid}","parentUuid":"{parent}","isSidechain":{side}}}"#)
        };
        let file = [
            line("a", "none", false),
            line("s1", "a", true),
            line("s2", "s1", true),
            line("t1", "none", true),
            line("s3", "s2", true),
            line("x", "y", true),
            line("y", "x", true),
        ]
        .join("\n");
        let transcript = Transcript::parse(file.as_bytes());
        let chains = sidechains(&transcript, &Graph::new(&transcript));
        let numbers = |nodes: &[NodeIndex]| nodes.iter().map(|node| node.get()).collect::<Vec<_>>();
        let seen: Vec<_> = chains.iter().map(|chain| (chain.root.get(), numbers(&chain.nodes))).collect();
        assert_eq!(seen, [(1, vec![1, 2, 4]), (3, vec![3]), (5, vec![5, 6])]);
    }
}
