//! A store in which sessions start, grow, are forked, rewritten, truncated and deleted: every version can be restored, as
//! often as requested.

use std::collections::BTreeMap;
use std::fs;

use annals_testkit::depth::repetitions;
use annals_vault::{VaultReader, Version};

use crate::support::{Dice, Fixture, unpacked};

/// At full depth.
const ROUNDS: usize = 120;
const RESTORES: usize = 10_000;

/// The content of the store by session id.
type Model = BTreeMap<String, Vec<u8>>;

fn live(model: &mut Model, dice: &Dice, round: usize) {
    for step in 0..3 {
        let pick = |model: &Model| model.keys().nth(dice.below(model.len())).cloned();
        let fresh = Fixture::id(1 + round * 10 + step);
        let lines =
            |id: &str| (0..1 + dice.below(30)).map(|_| dice.line(id)).collect::<String>().into_bytes();
        match (dice.below(12), pick(model)) {
            (0 | 1, _) | (_, None) => drop(model.insert(fresh.clone(), lines(&fresh))),
            (2 | 3, Some(parent)) => {
                let text = String::from_utf8_lossy(&model[&parent]).replace(&parent, &fresh);
                model.insert(fresh, text.into_bytes());
            }
            (4, Some(id)) => {
                let bytes = model.entry(id).or_default();
                let at = dice.below(bytes.len());
                bytes.get_mut(at..).into_iter().flatten().take(9).for_each(|byte| *byte = b'#');
            }
            (5, Some(id)) => {
                let bytes = model.entry(id).or_default();
                bytes.truncate(dice.below(bytes.len()));
            }
            (6, Some(id)) => drop(model.remove(&id)),
            (7, Some(id)) => model.entry(id).or_default().extend_from_slice(b"\xff\xff\x00 torn"),
            (_, Some(id)) => {
                let more = lines(&id);
                model.entry(id).or_default().extend(more);
            }
        }
    }
}

fn write(fixture: &Fixture, model: &Model, known: &Model) {
    for id in known.keys().filter(|id| !model.contains_key(*id)) {
        fs::remove_file(fixture.session(id)).unwrap();
    }
    for (id, bytes) in model.iter().filter(|(id, bytes)| known.get(*id) != Some(bytes)) {
        fixture.write_session(id, bytes);
    }
}

#[test]
fn every_restore_gives_what_was_kept() {
    let rounds = repetitions(ROUNDS);
    let (fixture, dice) = (Fixture::new(), Dice::new(2026));
    let (mut model, mut known) = (Model::new(), Model::new());
    let mut kept: Vec<(Version, Vec<u8>)> = Vec::new();
    for round in 0..rounds {
        live(&mut model, &dice, round);
        write(&fixture, &model, &known);
        known.clone_from(&model);
        let done = fixture.archive();
        assert!(done.failed.is_empty(), "{:?}", done.failed);
        kept.extend(done.kept.into_iter().map(|version| {
            let bytes = model[version.session.as_str()].clone();
            (version, bytes)
        }));
        // The newest version of each session is the session.
        for (_, version) in fixture.vault.catalogue().unwrap().newest() {
            let last = kept.iter().rev().find(|(known, _)| known.location() == version.location()).unwrap();
            assert_eq!(last.0.id, version.id);
            assert!(model.get(version.session.as_str()).is_none_or(|bytes| *bytes == last.1));
        }
    }
    assert_eq!(fixture.versions().len(), kept.len());
    assert!(kept.len() > rounds, "{}", kept.len());

    let catalogue = fixture.vault.catalogue().unwrap();
    let chunk_index = fixture.vault.chunk_index(&catalogue).unwrap();
    let mut reader = VaultReader::new(&fixture.vault, &chunk_index);
    for at in 0..repetitions(RESTORES).max(kept.len()) {
        // Each at least once, then random ones.
        let (version, bytes) = if at < kept.len() { &kept[at] } else { &kept[dice.below(kept.len())] };
        let files = unpacked(&mut reader, &fixture.vault, version, &fixture.source).unwrap();
        assert_eq!(files.len(), 1);
        assert!(files[&version.file] == *bytes, "{} of {} came back unlike", version.id, version.session);
    }
}
