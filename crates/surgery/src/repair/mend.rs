//! A mend: the steps that take one problem away, on the lines of the file as mended so far.

use annals_json::edit::{EditError, Editor};
use annals_json::write_string;
use annals_transcript::graph::Graph;
use annals_transcript::objects::Standing;
use annals_transcript::record::RecordKind;
use annals_transcript::transcript::{Node, NodeIndex, Transcript};

/// The file as mended so far, as a repair looks at it.
pub(super) struct View<'v, 'a> {
    pub(super) transcript: &'v Transcript<'a>,
    pub(super) graph: &'v Graph<'a>,
}

/// What a repair found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// What can be mended.
    pub(super) mends: Vec<Mend>,
    /// What is broken and cannot be mended without guessing.
    pub(super) left: Vec<Left>,
}

/// Something that is left as it is.
#[derive(Debug)]
pub(super) struct Left {
    /// What it is about, so that it is said once.
    pub(super) key: String,
    /// The line.
    pub(super) line: usize,
    /// Why.
    pub(super) why: String,
}

/// One problem with the steps that mend it.
#[derive(Debug)]
pub(super) struct Mend {
    /// What it is about, so that what was refused is not tried again.
    pub(super) key: String,
    /// The line of the problem.
    pub(super) line: usize,
    /// What is done about it.
    pub(super) why: String,
    /// The steps.
    pub(super) steps: Vec<Step>,
}

/// A step on lines of the file as it stands, counted from 1.
#[derive(Debug)]
pub(super) enum Step {
    Remove { line: usize },
    Change { line: usize, bytes: Vec<u8> },
    Insert { after: usize, bytes: Vec<u8> },
    Move { line: usize, after: usize },
}

impl Mend {
    /// The lines that its steps name.
    pub(super) fn lines(&self) -> impl Iterator<Item = usize> + '_ {
        self.steps.iter().flat_map(|step| match *step {
            Step::Remove { line } | Step::Change { line, .. } => [line, line],
            Step::Insert { after, .. } => [after, after],
            Step::Move { line, after } => [line, after],
        })
    }

    pub(super) fn first_line(&self) -> usize {
        self.lines().min().unwrap_or(self.line)
    }

    pub(super) fn last_line(&self) -> usize {
        self.lines().max().unwrap_or(self.line)
    }
}

impl<'a> View<'_, 'a> {
    pub(super) fn node(&self, index: NodeIndex) -> &Node<'a> {
        &self.transcript.nodes()[index]
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

    /// Whether clients take it for a line of the conversation.
    pub(super) fn is_main(&self, index: NodeIndex) -> bool {
        use RecordKind::{Assistant, Attachment, System, User};
        let node = self.node(index);
        matches!(node.kind, User | Assistant | System | Attachment)
            && node.uuid.is_some()
            && !node.is_sidechain
    }

    /// Whether a line can be named as parent: of several with one id only the last can.
    pub(super) fn can_be_named(&self, index: NodeIndex) -> bool {
        self.is_main(index) && self.node(index).uuid.and_then(|uuid| self.graph.find(uuid)) == Some(index)
    }

    /// Whether each line that a mend changes or removes holds one record and nothing else.
    pub(super) fn stand_alone(&self, mend: &Mend) -> bool {
        let nodes = self.transcript.nodes();
        mend.steps.iter().all(|step| match *step {
            Step::Insert { .. } => true,
            Step::Remove { line } | Step::Change { line, .. } | Step::Move { line, .. } => {
                let place = nodes.partition_point(|node| (node.line as usize) < line);
                nodes
                    .get(place)
                    .is_some_and(|node| node.line as usize == line && node.standing == Standing::Alone)
            }
        })
    }

    /// A step that hangs a line from another.
    pub(super) fn hang(&self, index: NodeIndex, parent: Option<&str>) -> Result<Step, EditError> {
        Ok(Step::Change { line: self.line(index), bytes: with_parent(self.raw(index), parent)? })
    }
}

/// A record with another parent.
pub(super) fn with_parent(raw: &[u8], parent: Option<&str>) -> Result<Vec<u8>, EditError> {
    let mut editor = Editor::new(raw)?;
    editor.set(&[], "parentUuid", &string_or_null(parent))?;
    editor.finish()
}

/// A string, or `null`, as JSON.
pub(super) fn string_or_null(text: Option<&str>) -> Vec<u8> {
    let mut json = Vec::new();
    match text {
        Some(text) => write_string(&mut json, text),
        None => json.extend_from_slice(b"null"),
    }
    json
}

impl Found {
    /// Takes a mend in; one that cannot be written is left.
    pub(super) fn add(
        &mut self,
        key: impl Into<String>,
        line: usize,
        why: impl Into<String>,
        steps: Result<Vec<Step>, EditError>,
    ) {
        match steps {
            Ok(steps) => self.mends.push(Mend { key: key.into(), line, why: why.into(), steps }),
            Err(error) => self.leave(key, line, error.to_string()),
        }
    }

    /// Says that something is left.
    pub(super) fn leave(&mut self, key: impl Into<String>, line: usize, why: impl Into<String>) {
        self.left.push(Left { key: key.into(), line, why: why.into() });
    }
}
