//! Two conversations that were written into one file at the same time.

use std::collections::HashSet;

use crate::graph::Graph;
use crate::transcript::{NodeIndex, NodeMap, Transcript};
use crate::turn::Speaker;

/// One return can be an undone rewind.
const MIN_RETURNS: usize = 2;

/// Where a record is in the tree: it contains those whose `entry` is in its range.
#[derive(Clone, Copy, Default)]
struct TreePlace {
    entry: usize,
    exit: usize,
    /// The nearest prompt above it.
    prompt: Option<NodeIndex>,
}

impl TreePlace {
    fn holds(self, other: Self) -> bool {
        self.entry <= other.entry && other.entry < self.exit
    }
}

/// Returns the first prompts that continue a branch which another prompt had left. Two or more mean that two clients wrote at the
/// same time, and each hides the other's messages; a user can go back, and undo that once.
pub fn interleaved_prompts(
    transcript: &Transcript<'_>,
    graph: &Graph<'_>,
) -> Option<[NodeIndex; MIN_RETURNS]> {
    // The order of a file whose lines were shuffled says nothing.
    if graph.forward_references().next().is_some() {
        return None;
    }
    let prompts = prompts(transcript);
    let places = places(transcript, graph, &prompts);
    let mut returns = prompts.windows(2).filter_map(|pair| {
        let [before, after] = [places[pair[0]], places[pair[1]]];
        let is_known = before.exit > 0 && after.exit > 0;
        let from = places[after.prompt?];
        (is_known && !before.holds(after) && !from.holds(before)).then_some(pair[1])
    });
    Some([returns.next()?, returns.next()?])
}

/// The prompts in the order of the file. Some clients write the conversation behind a compaction again whenever it is resumed, in
/// branches of their own: such a copy has the time of its original and is left out.
fn prompts(transcript: &Transcript<'_>) -> Vec<NodeIndex> {
    let mut times = HashSet::new();
    transcript
        .indexed_nodes()
        .filter(|(_, node)| !node.is_sidechain && node.speaker.is_some_and(Speaker::opens_turn))
        .filter(|(_, node)| node.millis.is_none_or(|millis| times.insert(millis)))
        .map(|(index, _)| index)
        .collect()
}

/// The places of all records below a root; those of a cycle are left empty.
fn places(transcript: &Transcript<'_>, graph: &Graph<'_>, prompts: &[NodeIndex]) -> NodeMap<TreePlace> {
    let mut places = NodeMap::new(transcript, TreePlace::default());
    let mut is_prompt = NodeMap::new(transcript, false);
    prompts.iter().for_each(|prompt| is_prompt[*prompt] = true);
    let mut count = 0;
    for root in graph.roots(transcript) {
        let mut path = vec![(root, graph.children(root))];
        places[root].entry = count;
        count += 1;
        while let Some((node, children)) = path.last_mut() {
            let node = *node;
            let Some(child) = children.next() else {
                places[node].exit = count;
                path.pop();
                continue;
            };
            places[child].entry = count;
            places[child].prompt = if is_prompt[node] { Some(node) } else { places[node].prompt };
            count += 1;
            path.push((child, graph.children(child)));
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A prompt for each letter and its parent; replies are left out. A copy names the line whose time it has.
    fn returns(prompts: &[&str]) -> Option<Vec<usize>> {
        let line = |(number, prompt): (usize, &&str)| {
            let (prompt, original) = prompt.split_once('=').unwrap_or((prompt, ""));
            let second = original.parse().unwrap_or(number + 1);
            let (id, parent) = prompt.split_once('<').unwrap_or((prompt, ""));
            let parent = if parent.is_empty() { "null".to_owned() } else { format!("{parent:?}") };
            format!(
                r#"{{"type":"user","uuid":"{id}","parentUuid":{parent},"timestamp":"2026-01-01T00:00:{second:02}Z","message":{{"role":"user","content":"{id}"}}}}"#
            )
        };
        let file = prompts.iter().enumerate().map(line).collect::<Vec<_>>().join("\n");
        let transcript = Transcript::parse(file.as_bytes());
        let found = interleaved_prompts(&transcript, &Graph::new(&transcript))?;
        Some(found.map(|index| transcript.node(index).line as usize).to_vec())
    }

    #[test]
    fn two_writers_are_told_from_a_user_who_goes_back() {
        assert_eq!(returns(&["a", "b", "a1<a", "b1<b", "a2<a1", "b2<b1"]), Some(vec![3, 4]));
        // Both continue one session.
        assert_eq!(returns(&["a", "b<a", "x<b", "y<b", "x1<x", "y1<y", "x2<x1"]), Some(vec![5, 6]));
        for plain in [
            &["a", "b<a", "c<b"][..],
            &["a", "b<a", "c<b", "d<a", "e<d", "f<a", "g<f"],
            &["a", "a1<a", "b", "b1<b", "c", "c1<c"],
            // The rewind was undone.
            &["a", "b<a", "c<b", "d<a", "e<c", "f<e"],
            // A client wrote everything behind the first prompt again, twice.
            &["a", "b<a", "c<b", "B<a=2", "C<b=3", "d<C", "B2<a=2", "C2<b=3", "D2<C2=6", "e<d", "f<e"],
            // Shuffled, and a cycle.
            &["c<b", "a", "d<c", "b<a", "e<d"],
            &["a<c", "b<a", "c<b", "d", "e<d"],
            &[],
        ] {
            assert_eq!(returns(plain), None, "{plain:?}");
        }
    }
}
