//! A session file that is a link: its target is changed, and the link stays.

#![cfg(unix)]

use std::fs;
use std::ops::ControlFlow;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use annals_store::changes::Change;
use annals_store::session::append_side_record;
use annals_testkit::builder::Session;
use annals_testkit::home::Home;
use annals_testkit::tree::exact_tree;
use annals_transcript::draft::Draft;

use super::{Place, homes};

const ID: &str = "3f2a0000-1111-4222-8333-444444444444";

/// A store in which a session is a link to a file elsewhere.
fn linked(home: Home) -> (Place, PathBuf, PathBuf) {
    let place = Place::new(home);
    let target = place.home.work_dir().join("elsewhere.jsonl");
    fs::write(&target, Session::new().id(ID).prompt("one").reply("two").into_bytes()).unwrap();
    let link = place.path(format!("projects/-p/{ID}.jsonl"));
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    symlink(&target, &link).unwrap();
    (place, link, target)
}

#[test]
fn a_replacement_goes_to_the_target_and_comes_back() {
    for home in homes("a_replacement_goes_to_the_target_and_comes_back") {
        let (place, link, target) = linked(home());
        let before = exact_tree(place.home.path());
        place.change(&[Change::Rewrite { path: link.clone(), bytes: b"{}\n".to_vec().into() }]).unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&target).unwrap(), b"{}\n");
        place.undo_until(usize::MAX).unwrap();
        let mut after = exact_tree(place.home.path());
        after.retain(|path, _| !path.starts_with(place.data.path()));
        assert_eq!(after, without_data(before, &place));
    }
}

fn without_data(
    mut tree: std::collections::BTreeMap<PathBuf, String>,
    place: &Place,
) -> std::collections::BTreeMap<PathBuf, String> {
    tree.retain(|path, _| !path.starts_with(place.data.path()));
    tree
}

#[test]
fn a_title_goes_to_the_target_and_comes_back_with_the_time() {
    let (place, link, target) = linked(Home::new());
    let before = without_data(exact_tree(place.home.path()), &place);
    let mut go = |_| ControlFlow::Continue(());
    append_side_record(&link, &Draft::custom_title("T"), "rename", &place.data, &place.source, &mut go)
        .unwrap();
    assert!(fs::read_to_string(&target).unwrap().contains("custom-title"));
    place.undo_until(usize::MAX).unwrap();
    assert_eq!(without_data(exact_tree(place.home.path()), &place), before);
}

#[test]
fn a_link_that_leads_nowhere_is_not_replaced_but_can_go() {
    for home in homes("a_link_that_leads_nowhere_is_not_replaced_but_can_go") {
        let (place, link, target) = linked(home());
        fs::remove_file(target).unwrap();
        let before = exact_tree(&place.root());
        assert!(place.change(&[Change::Replace { path: link.clone(), bytes: b"".to_vec().into() }]).is_err());
        assert_eq!(exact_tree(&place.root()), before);
        place.change(&[Change::Discard { path: link.clone() }]).unwrap();
        assert!(!link.is_symlink());
        place.undo_until(usize::MAX).unwrap();
        assert_eq!(exact_tree(&place.root()), before);
    }
}
