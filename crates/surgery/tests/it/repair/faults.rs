//! Faults for healthy files: each kind damages a file at a place chosen by a seed.

use annals_json::Value;
use annals_transcript::transcript::{NodeIndex, Transcript};

/// Pseudo-random numbers, the same in every run.
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `end`, which is more than 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }
}

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    TornLine,
    TornTail,
    Spliced,
    Glued,
    NulLine,
    NulPrefix,
    Garbage,
    DanglingParent,
    NullParent,
    Cycle,
    DuplicateSame,
    DuplicateOther,
    LineLost,
    OutOfOrder,
    CallLost,
    ResultLost,
    ThoughtAlone,
    SummaryLost,
    BranchLost,
    Oversize,
}

impl Fault {
    pub(super) const ALL: [Self; 20] = [
        Self::TornLine,
        Self::TornTail,
        Self::Spliced,
        Self::Glued,
        Self::NulLine,
        Self::NulPrefix,
        Self::Garbage,
        Self::DanglingParent,
        Self::NullParent,
        Self::Cycle,
        Self::DuplicateSame,
        Self::DuplicateOther,
        Self::LineLost,
        Self::OutOfOrder,
        Self::CallLost,
        Self::ResultLost,
        Self::ThoughtAlone,
        Self::SummaryLost,
        Self::BranchLost,
        Self::Oversize,
    ];

    /// The file with this fault; `None` if it has no place for it.
    pub(super) fn inject(self, file: &[u8], chance: &mut Chance) -> Option<Vec<u8>> {
        let transcript = Transcript::parse(file);
        let nodes = transcript.nodes();
        let mut lines: Vec<Vec<u8>> =
            file.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
        let chained: Vec<NodeIndex> = transcript
            .indices()
            .filter(|&index| nodes[index].is_chain() && !nodes[index].is_sidechain)
            .filter(|&index| nodes[index].parent.id().is_some())
            .collect();
        let mut pick = |found: Vec<NodeIndex>| (!found.is_empty()).then(|| found[chance.below(found.len())]);
        let line = |index: NodeIndex| nodes[index].line as usize - 1;
        let has = |word: &str| -> Vec<NodeIndex> {
            let raw = |index: NodeIndex| transcript.fields(index).raw();
            let found =
                |&index: &NodeIndex| raw(index).windows(word.len()).any(|part| part == word.as_bytes());
            chained.iter().copied().filter(found).collect()
        };
        match self {
            Self::TornLine | Self::Spliced | Self::NulLine => {
                let at = line(pick(chained.clone())?);
                let length = lines[at].len();
                let cut = 1 + chance.below(length - 2);
                match self {
                    Self::TornLine => lines[at] = [&lines[at][..cut], b"\n"].concat(),
                    Self::Spliced => lines[at].truncate(cut),
                    _ => lines[at][..length - 1].fill(0),
                }
            }
            Self::TornTail => {
                let last = lines.last_mut().filter(|last| last.len() > 2)?;
                let keep = 1 + chance.below(last.len() - 2);
                last.truncate(keep);
            }
            Self::Glued => {
                let at = line(pick(chained.clone())?);
                (at + 1 < lines.len()).then(|| lines[at].pop())?;
            }
            Self::NulPrefix => {
                let at = line(pick(chained.clone())?);
                lines[at].splice(0..0, [0; 40]);
            }
            Self::Garbage => {
                let at = line(pick(chained.clone())?);
                lines.insert(at, b"what is this\n".to_vec());
            }
            Self::DanglingParent | Self::NullParent | Self::Cycle => {
                let index = pick(chained.clone())?;
                let parent = match self {
                    Self::DanglingParent => "\"deadbeef-0000-4000-8000-000000000000\"".to_owned(),
                    Self::NullParent => "null".to_owned(),
                    _ => {
                        let below: Vec<_> = chained.iter().copied().filter(|&other| other >= index).collect();
                        format!("\"{}\"", nodes[pick(below)?].uuid?)
                    }
                };
                lines[line(index)] = replaced(&lines[line(index)], "parentUuid", parent.as_bytes())?;
            }
            Self::DuplicateSame => {
                let at = line(pick(chained.clone())?);
                lines.insert(at, lines[at].clone());
            }
            Self::DuplicateOther => {
                let index = pick(chained.clone())?;
                let uuid = format!("\"{}\"", nodes[pick(chained.clone())?].uuid?);
                lines[line(index)] = replaced(&lines[line(index)], "uuid", uuid.as_bytes())?;
            }
            Self::LineLost => drop(lines.remove(line(pick(chained.clone())?))),
            Self::OutOfOrder => {
                let at = line(pick(chained.clone())?);
                if lines.len() < 2 {
                    return None;
                }
                let moved = lines.remove(at);
                let to = chance.below(lines.len());
                lines.insert(to, moved);
            }
            Self::CallLost => drop(lines.remove(line(pick(has("\"type\":\"tool_use\""))?))),
            Self::ResultLost => drop(lines.remove(line(pick(has("\"type\":\"tool_result\""))?))),
            Self::ThoughtAlone => {
                let index = pick(has("\"type\":\"thinking\""))?;
                let message = nodes[index].message?;
                let rest: Vec<_> = index
                    .next()
                    .until(transcript.end())
                    .filter(|&other| nodes[other].message == Some(message))
                    .map(line)
                    .collect();
                rest.into_iter().rev().for_each(|at| drop(lines.remove(at)));
            }
            Self::SummaryLost => {
                let summaries = chained.iter().copied().filter(|&index| nodes[index].is_compact_summary);
                drop(lines.remove(line(pick(summaries.collect())?)));
            }
            Self::BranchLost => {
                // Of two results in a chain, the second becomes a child of the call, and the first gets its own reply.
                let results = has("\"type\":\"tool_result\"");
                let parent_of = |index: NodeIndex| {
                    chained.iter().copied().find(|&other| nodes[other].uuid == nodes[index].parent.id())
                };
                let follows_one =
                    |&index: &NodeIndex| parent_of(index).is_some_and(|above| results.contains(&above));
                let second = pick(results.iter().copied().filter(follows_one).collect())?;
                let first = parent_of(second)?;
                let call = format!("\"{}\"", nodes[first].parent.id()?);
                lines[line(second)] = replaced(&lines[line(second)], "parentUuid", call.as_bytes())?;
                let answer = format!(
                    r#"{{"parentUuid":"{}","isSidechain":false,"type":"assistant","uuid":"00000000-1111-4000-8000-000000000000","timestamp":{},"message":{{"id":"msg_lost","role":"assistant","content":[{{"type":"text","text":"of the first"}}]}}}}"#,
                    nodes[first].uuid?,
                    String::from_utf8_lossy(transcript.fields(first).get("timestamp")?.raw()),
                );
                lines.insert(line(first) + 1, (answer + "\n").into_bytes());
            }
            Self::Oversize => {
                // A few of these are enough: each is large.
                pick((0..16).map(NodeIndex::new).collect()).filter(|&number| number == 0)?;
                let at = line(pick(chained.clone())?);
                let end = lines[at].iter().rposition(|&byte| byte == b'}')?;
                let more = format!(",\"toolUseResult\":\"{}\"", "long ".repeat(2_200_000));
                lines[at].splice(end..end, more.into_bytes());
            }
        }
        Some(lines.concat())
    }
}

fn replaced(line: &[u8], key: &str, json: &[u8]) -> Option<Vec<u8>> {
    let value = Value::parse(line.trim_ascii()).ok()?;
    let raw = value.get(key)?.raw();
    let start = raw.as_ptr() as usize - line.as_ptr() as usize;
    Some([&line[..start], json, &line[start + raw.len()..]].concat())
}
