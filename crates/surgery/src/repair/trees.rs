//! Which records are connected by their parents.

use annals_transcript::transcript::NodeIndex;

use super::fix::RepairView;

/// The trees of a file as disjoint sets; joining two takes next to no time.
#[derive(Debug)]
pub(super) struct Trees {
    /// A record of the same tree, nearer to its representative.
    nearer: Vec<NodeIndex>,
}

impl Trees {
    pub(super) fn new(view: &RepairView<'_, '_>) -> Self {
        let mut trees = Self { nearer: view.transcript.indices().collect() };
        for index in view.transcript.indices() {
            if let Some(parent) = view.graph.parent(index) {
                trees.join(index, parent);
            }
        }
        trees
    }

    /// Connects two records and everything that is connected with them.
    pub(super) fn join(&mut self, one: NodeIndex, two: NodeIndex) {
        let (one, two) = (self.find(one), self.find(two));
        self.nearer[one.get()] = two;
    }

    pub(super) fn is_connected(&mut self, one: NodeIndex, two: NodeIndex) -> bool {
        self.find(one) == self.find(two)
    }

    fn find(&mut self, index: NodeIndex) -> NodeIndex {
        let mut at = index;
        while self.nearer[at.get()] != at {
            // Halves the way for the next question.
            let next = self.nearer[self.nearer[at.get()].get()];
            self.nearer[at.get()] = next;
            at = next;
        }
        at
    }
}
