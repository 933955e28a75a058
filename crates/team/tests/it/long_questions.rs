//! Questions with more values than an address has room for.

use annals_collect::Sink;
use annals_index::search::Query;
use annals_team::query::{Scope, search};
use annals_team::wire::Parameter;
use annals_testkit::engine::TestEngine;
use annals_testkit::home::Home;

use crate::support::{sent_of, sink, with_tables};

const SESSIONS: usize = 600;

/// Many sessions in a folder with a long name, each with a prompt.
fn long_names() -> Home {
    let (home, slug) = (Home::new(), format!("-{}", "w\u{f6}rk-".repeat(30)));
    for number in 0..SESSIONS {
        let id = format!("0e0e0e0e-0000-4000-8000-{number:012}");
        let prompt = format!(
            r#"{{"type":"user","uuid":"u-{id}","sessionId":"{id}","cwd":"/w","timestamp":"2026-01-01T00:00:00.000Z","message":{{"role":"user","content":"apple {number}"}}}}"#
        );
        home.write(format!("projects/{slug}/{id}.jsonl"), prompt + "\n");
    }
    home
}

#[test]
fn a_search_reads_as_many_hits_as_were_asked_for() {
    let Some(engine) = TestEngine::start("a_search_reads_as_many_hits_as_were_asked_for") else {
        return;
    };
    let opened = with_tables(&engine, "many");
    for batch in sent_of(&long_names()) {
        sink(&engine, "many").deliver(&batch).unwrap();
    }
    let hits = |query: &str| {
        let query = Query::parse(query).unwrap();
        let found = search(&opened, &Scope::default(), &query, 1000, 0).unwrap();
        found.results.hits.iter().filter(|hit| !hit.snippet.text.is_empty()).count()
    };
    assert_eq!(hits("app*"), SESSIONS);
    // Many short values, of which one is found in each.
    let words: Vec<String> = (0..1000).map(|at| format!("peach{at}")).collect();
    assert_eq!(hits(&format!("{} OR apple", words.join(" OR "))), SESSIONS);
}

#[test]
fn values_mean_the_same_wherever_they_are_sent() {
    let Some(engine) = TestEngine::start("values_mean_the_same_wherever_they_are_sent") else {
        return;
    };
    let opened = with_tables(&engine, "values");
    let hostile = "it's \\ {none:Array(String)} {db}\n\t\r\0 \u{1f34e} \"`--/*";
    for names in [1, 30_000] {
        let list: Vec<String> = (0..names).map(|at| format!("{hostile}{at}")).collect();
        let values = [
            ("text", Parameter::text(hostile)),
            ("last", Parameter::text(list.last().unwrap())),
            ("number", Parameter::Integer(-7)),
            ("none", Parameter::Texts(Vec::new())),
            ("list", Parameter::Texts(list)),
        ];
        let question = "SELECT {text:String} AS text, {number:Int64} AS number, length({list:Array(String)}) AS names,
            {last:String} IN {list:Array(String)} AS is_in, {text:String} IN {list:Array(String)} AS is_not,
            {text:String} IN {none:Array(String)} AS is_nowhere, has({list:Array(String)}, {last:String}) AS has_it";
        let found = opened.select(question, &values).unwrap();
        let row = found.rows().next().unwrap();
        assert_eq!((row.text("text").as_str(), row.millis("number")), (hostile, Some(-7)));
        let counts = ["names", "is_in", "is_not", "is_nowhere", "has_it"].map(|name| row.count(name));
        assert_eq!(counts, [names, 1, 0, 0, 1]);
    }
}
