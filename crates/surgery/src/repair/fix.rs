//! A fix: the steps that solve one problem, on the lines of the file as repaired so far.

use annals_json::edit::{EditError, Editor};
use annals_json::write_string;
use annals_transcript::graph::Graph;
use annals_transcript::objects::LineSharing;
use annals_transcript::record::RecordKind;
use annals_transcript::transcript::{Node, NodeIndex, Transcript};

/// The file as repaired so far.
pub(super) struct RepairView<'v, 'a> {
    pub(super) transcript: &'v Transcript<'a>,
    pub(super) graph: &'v Graph<'a>,
}

/// What a repair found.
#[derive(Debug, Default)]
pub(super) struct RepairFindings {
    pub(super) fixes: Vec<Fix>,
    /// Problems that cannot be fixed without guessing.
    pub(super) skipped: Vec<SkippedProblem>,
}

/// A problem that is not fixed.
#[derive(Debug)]
pub(super) struct SkippedProblem {
    /// Identifies the problem, so that it is reported once.
    pub(super) key: String,
    pub(super) line: usize,
    pub(super) why: String,
}

/// A problem and the steps that fix it.
#[derive(Debug)]
pub(super) struct Fix {
    /// Identifies the problem, so that a rejected fix is not tried again.
    pub(super) key: String,
    pub(super) line: usize,
    pub(super) why: String,
    pub(super) steps: Vec<LineStep>,
}

/// A step on lines of the current file, counted from 1.
#[derive(Debug)]
pub(super) enum LineStep {
    Remove { line: usize },
    Change { line: usize, bytes: Vec<u8> },
    Insert { after: usize, bytes: Vec<u8> },
    Move { line: usize, after: usize },
}

impl Fix {
    /// The lines that its steps touch.
    pub(super) fn lines(&self) -> impl Iterator<Item = usize> + '_ {
        self.steps.iter().flat_map(|step| match *step {
            LineStep::Remove { line } | LineStep::Change { line, .. } => [line, line],
            LineStep::Insert { after, .. } => [after, after],
            LineStep::Move { line, after } => [line, after],
        })
    }

    pub(super) fn first_line(&self) -> usize {
        self.lines().min().unwrap_or(self.line)
    }

    pub(super) fn last_line(&self) -> usize {
        self.lines().max().unwrap_or(self.line)
    }
}

impl<'a> RepairView<'_, 'a> {
    pub(super) fn node(&self, index: NodeIndex) -> &Node<'a> {
        self.transcript.node(index)
    }

    pub(super) fn line(&self, index: NodeIndex) -> usize {
        self.node(index).line as usize
    }

    pub(super) fn uuid(&self, index: NodeIndex) -> String {
        self.node(index).uuid.map(|uuid| uuid.to_string()).unwrap_or_default()
    }

    pub(super) fn raw(&self, index: NodeIndex) -> &'a [u8] {
        self.transcript.fields(index).raw()
    }

    /// Whether clients treat it as part of the conversation.
    pub(super) fn is_main(&self, index: NodeIndex) -> bool {
        use RecordKind::{Assistant, Attachment, System, User};
        let node = self.node(index);
        matches!(node.kind, User | Assistant | System | Attachment)
            && node.uuid.is_some()
            && !node.is_sidechain
    }

    /// Whether a record can be referenced as parent: of several with one uuid only the last can.
    pub(super) fn can_be_named(&self, index: NodeIndex) -> bool {
        self.is_main(index) && self.node(index).uuid.and_then(|uuid| self.graph.find(uuid)) == Some(index)
    }

    /// Whether each line that a fix changes holds exactly one record.
    pub(super) fn are_alone(&self, fix: &Fix) -> bool {
        let nodes = self.transcript.nodes();
        fix.steps.iter().all(|step| match *step {
            LineStep::Insert { .. } => true,
            LineStep::Remove { line } | LineStep::Change { line, .. } | LineStep::Move { line, .. } => {
                let place = nodes.partition_point(|node| (node.line as usize) < line);
                nodes
                    .get(place)
                    .is_some_and(|node| node.line as usize == line && node.sharing == LineSharing::Alone)
            }
        })
    }

    /// A step that changes the parent of a record.
    pub(super) fn set_parent(&self, index: NodeIndex, parent: Option<&str>) -> Result<LineStep, EditError> {
        Ok(LineStep::Change { line: self.line(index), bytes: with_parent(self.raw(index), parent)? })
    }
}

pub(super) fn with_parent(raw: &[u8], parent: Option<&str>) -> Result<Vec<u8>, EditError> {
    let mut editor = Editor::new(raw)?;
    editor.set(&[], "parentUuid", &string_or_null(parent))?;
    editor.finish()
}

pub(super) fn string_or_null(text: Option<&str>) -> Vec<u8> {
    let mut json = Vec::new();
    match text {
        Some(text) => write_string(&mut json, text),
        None => json.extend_from_slice(b"null"),
    }
    json
}

impl RepairFindings {
    /// Adds a fix, or a skipped problem if its steps cannot be made.
    pub(super) fn add(
        &mut self,
        key: impl Into<String>,
        line: usize,
        why: impl Into<String>,
        steps: Result<Vec<LineStep>, EditError>,
    ) {
        match steps {
            Ok(steps) => self.fixes.push(Fix { key: key.into(), line, why: why.into(), steps }),
            Err(error) => self.skip(key, line, error.to_string()),
        }
    }

    /// Adds a problem that is not fixed.
    pub(super) fn skip(&mut self, key: impl Into<String>, line: usize, why: impl Into<String>) {
        self.skipped.push(SkippedProblem { key: key.into(), line, why: why.into() });
    }
}
