//! Maps of one file: that of its main history, and those of its abandoned branches.

use annals_transcript::transcript::{NodeIndex, Transcript};

use super::super::ViewOptions;
use super::super::builder::{ThreadBuilder, WalkStep};
use super::super::indexed::IndexedTranscript;
use super::super::item::Item;
use super::super::layout::{Layout, descendants};
use super::super::sub_agents::SubAgents;
use super::plan::Plan;
use super::{ConversationMap, ItemPlace};

/// Makes the maps of one file.
pub struct ConversationPlanner<'t, 'a> {
    source: IndexedTranscript<'t, 'a>,
    layout: Layout<'a>,
}

impl<'t, 'a> ConversationPlanner<'t, 'a> {
    /// Reads what all maps of a file need.
    pub fn new(transcript: &'t Transcript<'a>) -> Self {
        let source = IndexedTranscript::new(transcript);
        let layout = Layout::new(&source);
        Self { source, layout }
    }

    /// Maps the main history. `see` gets every item once, in order; none is kept.
    pub fn main(&self, see: &mut dyn FnMut(&Item, ItemPlace)) -> ConversationMap {
        self.map(None, see)
    }

    /// Maps the abandoned branch whose prompt is on this line: the prompt, and all that follows from it.
    pub fn branch(&self, line: usize, see: &mut dyn FnMut(&Item, ItemPlace)) -> Option<ConversationMap> {
        let mut ways = self.layout.ways.values().flatten();
        let prompt = *ways.find(|way| self.source.transcript.node(**way).line as usize == line)?;
        Some(self.map(Some(&descendants(&self.source, prompt)), see))
    }

    /// Maps these records, or without any the main history.
    fn map(&self, nodes: Option<&[NodeIndex]>, see: &mut dyn FnMut(&Item, ItemPlace)) -> ConversationMap {
        let mut agents = SubAgents::new(&[], ViewOptions::default());
        let mut plan = Plan::new(&self.source, &self.layout);
        let mut builder = ThreadBuilder::new(&self.source, &mut agents, &self.layout);
        match nodes {
            Some(nodes) => builder.walk_list(nodes, |builder, step| take(&mut plan, builder, step, see)),
            None => builder.walk(|builder, step| take(&mut plan, builder, step, see)),
        }
        plan.finish()
    }
}

/// Gives what was built to the plan.
fn take(
    plan: &mut Plan<'_, '_, '_>,
    builder: &mut ThreadBuilder<'_, '_, '_, '_>,
    step: WalkStep,
    see: &mut dyn FnMut(&Item, ItemPlace),
) {
    let items = builder.take_items();
    plan.add(step, &builder.turn_of, items, builder.cwd.as_deref(), see);
}
