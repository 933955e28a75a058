//! Real data: both readings of every file agree, and the account does not depend on the order of the files.

use std::fs;

use annals_testkit::corpus;
use annals_transcript::price::Prices;
use annals_transcript::usage::{FileIndex, UsageLedger, group};

use super::{read, sum};

#[test]
fn the_corpus_has_one_account() {
    let Some(corpus) = corpus::or_skip("the_corpus_has_one_account") else { return };
    let files = corpus.transcripts();
    let prices = Prices::embedded();
    let (mut forward, mut halves) = (UsageLedger::new(), [UsageLedger::new(), UsageLedger::new()]);
    let (mut in_files, mut context) = (0, 0);
    for (index, path) in files.iter().enumerate() {
        let responses = read(&fs::read(path).unwrap());
        in_files += responses.len();
        context = responses.iter().map(|one| one.reading.tokens.context()).fold(context, u64::max);
        let file = FileIndex::new(index);
        forward.add_file(file, responses.iter().cloned());
        halves[index % 2].add_file(file, responses.into_iter().rev());
    }
    let [mut even, odd] = halves;
    even.merge(odd);
    let report = |ledger: &UsageLedger| {
        group(ledger.charges(), &prices, |file, _| Some(files[file.get()].display().to_string()))
    };
    let (one, other) = (report(&forward), report(&even));
    assert_eq!(one, other);
    assert!(forward.len() <= in_files);
    let responses: Vec<_> = forward.entries().map(|entry| entry.usage.clone()).collect();
    assert_eq!(one.total.tokens, sum(&responses));
    assert_eq!(one.total.responses as usize, forward.len());
    println!("{} files, {in_files} responses in files, largest context {context}", files.len());
    println!("{:?} {:.9} unpriced {:?}", one.total.tokens, one.total.cost, one.total.unpriced);
    println!("{} responses, estimated {:?}", one.total.responses, one.total.estimated);
}
