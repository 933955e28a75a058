//! Many files: copies count once, where they appeared first, in any order of the files.

use annals_transcript::usage::{FileIndex, LedgerEntry, ResponseUsage, UsageLedger};

use super::{Line, file, line, outputs, read};

fn responses(lines: &[Line]) -> Vec<ResponseUsage> {
    read(file(lines).as_bytes())
}

/// Every way to feed the files: each order, one after the other and as ledgers merged from either side.
fn account(files: &[Vec<ResponseUsage>]) -> Vec<LedgerEntry> {
    let mut accounts = Vec::new();
    for order in orders(files.len()) {
        let alone = |index: usize| {
            let mut ledger = UsageLedger::new();
            ledger.add_file(FileIndex::new(index), files[index].iter().cloned());
            ledger
        };
        let mut fed = UsageLedger::new();
        for &index in &order {
            fed.add_file(FileIndex::new(index), files[index].iter().cloned());
        }
        let merged = order.iter().map(|&index| alone(index)).fold(UsageLedger::new(), |mut all, one| {
            all.merge(one);
            all
        });
        let nested =
            order.iter().rev().map(|&index| alone(index)).fold(UsageLedger::new(), |all, mut one| {
                one.merge(all);
                one
            });
        accounts.extend([fed, merged, nested].map(UsageLedger::into_sorted));
    }
    let first = accounts[0].clone();
    for other in accounts {
        assert_eq!(other, first);
    }
    first
}

fn orders(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let shorter = orders(count - 1);
    let insert = |order: &Vec<usize>, at: usize| {
        let mut longer = order.clone();
        longer.insert(at, count - 1);
        longer
    };
    shorter.iter().flat_map(|order| (0..count).map(move |at| insert(order, at))).collect()
}

#[test]
fn a_fork_counts_only_what_it_adds() {
    let first = [line("a", 5).at("2026-01-01T00:00:00Z"), line("b", 6).at("2026-01-01T00:01:00Z")];
    let fork = [
        line("a", 5).at("2026-01-01T00:00:00Z"),
        line("b", 6).at("2026-01-01T00:01:00Z"),
        line("c", 7).at("2026-01-01T00:02:00Z"),
    ];
    let entries = account(&[responses(&first), responses(&fork)]);
    let found: Vec<_> = entries
        .iter()
        .map(|entry| (entry.usage.reading.tokens.output, entry.file.get(), entry.files))
        .collect();
    assert_eq!(found, [(5, 0, 2), (6, 0, 2), (7, 1, 1)]);
}

#[test]
fn the_first_file_is_the_earliest_then_the_original_then_the_first_in_order() {
    let attributed = |files: &[Vec<ResponseUsage>]| account(files)[0].file.get();
    let at = |time: &str| responses(&[line("a", 5).at(time)]);
    let copied = |time: &str| {
        let origin = r#""forkedFrom":{"sessionId":"s","messageUuid":"m"}"#;
        responses(&[line("a", 5).at(time).with(origin)])
    };
    let (early, late) = ("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z");
    assert_eq!(attributed(&[at(late), at(early)]), 1);
    assert_eq!(attributed(&[at(early), at(early)]), 0);
    assert_eq!(attributed(&[copied(early), at(early)]), 1);
    assert_eq!(attributed(&[copied(early), at(late)]), 0);
    assert_eq!(attributed(&[at("some time"), at(late)]), 1);
}

#[test]
fn a_copy_made_while_the_response_streamed_does_not_shrink_it() {
    let whole = responses(&[line("a", 1), line("a", 90)]);
    let cut = responses(&[line("a", 1)]);
    for files in [[whole.clone(), cut.clone()], [cut, whole]] {
        let entries = account(&files);
        assert_eq!(outputs(&[entries[0].usage.clone()]), [90]);
        assert_eq!(entries[0].file, FileIndex::new(0));
    }
}

/// A small generator: the property must hold for any files, and failures must come back.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

#[test]
fn any_files_in_any_order_give_the_same_account() {
    let names = ["a", "b", "c", "d", "e", "f"];
    for seed in 0..200 {
        let mut random = Random(seed);
        let files: Vec<_> = (0..4)
            .map(|_| {
                let lines: Vec<_> = (0..random.below(8))
                    .map(|_| {
                        let name = names[random.below(6) as usize];
                        let line =
                            line(name, random.below(4)).at(&format!("2026-01-0{}", 1 + random.below(5)));
                        let line = line.usage(&format!(r#""input_tokens":{}"#, random.below(3)));
                        if random.below(3) == 0 { line.with(r#""forkedFrom":{}"#) } else { line }
                    })
                    .collect();
                responses(&lines)
            })
            .collect();
        let entries = account(&files);
        // Every response that stands in some file is there once, with the most output that any file has of it.
        for name in names {
            let key = annals_transcript::usage::ResponseKey::new(name, Some(&format!("req-{name}")));
            let all = || files.iter().flatten().filter(|response| response.key == key);
            let counted: Vec<_> = entries.iter().filter(|entry| entry.usage.key == key).collect();
            assert_eq!(counted.len(), usize::from(all().next().is_some()));
            for entry in counted {
                assert_eq!(
                    Some(entry.usage.reading.tokens.output),
                    all().map(|r| r.reading.tokens.output).max()
                );
                assert_eq!(entry.usage.millis, all().map(|response| response.millis).min().flatten());
                assert_eq!(entry.files as usize, all().count());
            }
        }
    }
}

#[test]
fn an_entry_is_small() {
    let size = size_of::<LedgerEntry>();
    assert!(size <= 200, "{size} bytes");
}
