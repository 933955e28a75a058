//! A change belongs to one store, and changes are ordered by when they came, not by the clock.

use annals_store::changes::Change;
use annals_store::journal::{Effect, Journal};
use annals_store::trash::{batches, plan_empty};
use annals_store::{ConfigDir, DataDir};
use annals_testkit::home::Home;
use annals_testkit::source::CountingSource;

use super::Place;

fn discard(place: &Place, data: &DataDir) {
    let path = place.home.write("projects/-p/s.jsonl", "{}\n");
    let changes = [Change::Discard { path }];
    let mut go = |_| std::ops::ControlFlow::Continue(());
    annals_store::changes::apply(&changes, "x", &place.root(), data, &place.source, &mut go).unwrap();
}

#[test]
fn each_change_names_its_store_and_emptying_takes_those_of_one_store() {
    let (first, second) = (Place::new(Home::new()), Place::new(Home::new()));
    let data = DataDir::new(first.home.data_dir());
    discard(&first, &data);
    discard(&second, &data);
    let configs = [ConfigDir::new(first.root()), ConfigDir::new(second.root())];
    let entries = Journal::new(&data).entries();
    assert_eq!(entries.len(), 2);
    for config in &configs {
        assert_eq!(entries.iter().filter(|entry| entry.is_of(config)).count(), 1);
        let mut plan = plan_empty(&data, i64::MAX, i64::MAX);
        assert_eq!(plan.to_delete.len(), 2);
        plan.retain_store(config);
        let ids: Vec<_> = plan.to_delete.iter().map(|batch| &batch.id).collect();
        let own = entries.iter().find(|entry| entry.is_of(config)).unwrap();
        assert_eq!(ids, [&own.id]);
    }
    assert_eq!(batches(&data).len(), 2);
}

#[test]
fn a_change_of_a_file_in_no_store_belongs_to_the_store_in_use() {
    let place = Place::new(Home::new());
    let config = ConfigDir::new(place.root());
    let path = place.home.work_dir().join("loose.jsonl");
    let effects = vec![Effect::Created { path, bytes: 0 }];
    let data = place.data.clone().used_by(&config);
    let entry = Journal::new(&data).begin("a".to_owned(), 1, "new", effects.clone()).unwrap();
    assert!(entry.is_of(&config));
    let entry = place.journal().begin("b".to_owned(), 1, "new", effects).unwrap();
    assert_eq!(entry.store, None);
}

#[test]
fn ids_grow_although_the_clock_goes_back() {
    let place = Place::new(Home::new());
    let journal = place.journal();
    let mut last = String::new();
    // A year back each time.
    for year in (0..4).rev() {
        let source = CountingSource::from(1_700_000_000_000 + year * 31_536_000_000);
        let id = journal.next_id(&source);
        assert!(id > last && id.len() == 24, "{id} after {last}");
        journal.begin(id.clone(), 1, "x", Vec::new()).unwrap();
        last = id;
    }
    let ids: Vec<_> = journal.entries().into_iter().map(|entry| entry.id).collect();
    assert_eq!(ids[0], last);
}
