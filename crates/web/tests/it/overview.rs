//! What pages say of whole sessions: costs, the graph, the vault, failures, tools.

use annals_store::DataDir;
use annals_testkit::builder::Session;
use annals_testkit::home::Home;

use super::support::{TestServer, library};

const ID: &str = "77777777-aaaa-4aaa-8aaa-000000000001";

fn cost_of(page: &str) -> &str {
    let sums = page.split("aria-label=\"Sums\"").nth(1).unwrap();
    let cost = sums.split("<span>cost</span>").next().unwrap();
    cost.rsplit("<b>").next().and_then(|rest| rest.split('<').next()).unwrap()
}

fn dollars(text: &str) -> f64 {
    text.trim_start_matches('$').parse().unwrap()
}

#[test]
fn the_cost_of_a_session_has_its_sub_agents_on_every_page() {
    let home = Home::new();
    home.fill(&annals_demo::Plan { sessions: Some(30), ..annals_demo::Plan::default() });
    let server = TestServer::start(library(&home));
    assert_eq!(server.get("/usage").status, 200, "brings the index up to date");
    std::thread::sleep(std::time::Duration::from_millis(600));
    let list = server.get("/?agents=1").body;
    let mut seen = 0;
    for row in list.split("<li><a class=\"title\" href=\"").skip(1) {
        let link = row.split('"').next().unwrap();
        let listed =
            row.split("<span class=\"cost\">$").nth(1).and_then(|rest| rest.split('<').next()).unwrap();
        let page = server.get(link).body;
        assert!(page.contains("by sub-agents"), "{link}");
        // Responses that another session has too are counted once in the list; the page tells how much that is.
        let told = page
            .split(" of the cost is counted with another session")
            .next()
            .filter(|before| before.len() < page.len());
        let told = told.map_or(0.0, |before| dollars(before.rsplit('>').next().unwrap()));
        let difference = dollars(cost_of(&page)) - listed.parse::<f64>().unwrap() - told;
        assert!(difference.abs() < 0.011, "{link}: {} and {listed}, told {told}", cost_of(&page));
        seen += usize::from(told == 0.0);
    }
    assert!(seen > 2, "{seen}");
}

#[test]
fn the_graph_leads_to_every_way_compaction_and_nested_way() {
    let home = Home::new();
    let session = Session::new().id(ID).prompt("first").reply("one");
    let fork = session.last_uuid().unwrap().to_owned();
    let session = session.prompt("left way");
    let left = session.last_uuid().unwrap().to_owned();
    let session = session.reply("left answer");
    let inner = session.last_uuid().unwrap().to_owned();
    let session = session.prompt("left again").reply("left again answer");
    let session = session.parent(Some(&inner)).prompt("left otherwise").reply("left other answer");
    let session = session.parent(Some(&fork)).prompt("right <b>way</b>").reply("right answer");
    home.write(format!("projects/-w/{ID}.jsonl"), session.into_bytes());
    let server = TestServer::start(library(&home));
    let page = server.get(&format!("/session/{ID}")).body;
    let graph = page
        .split("<figure class=\"graph\">")
        .nth(1)
        .and_then(|rest| rest.split("</figure>").next())
        .unwrap();
    assert!(graph.contains(&format!("?branch={left}#L3")), "{graph}");
    assert!(graph.contains("left otherwise") && graph.contains("left again"), "{graph}");
    assert!(graph.contains("href=\"#L2\"") && graph.contains("Branch point"), "{graph}");
    assert!(graph.matches("<circle").count() >= 6 && graph.contains("class=\"lane\""), "{graph}");
    assert!(!graph.contains("<b>way"), "{graph}");
    let other = server.get(&format!("/session/{ID}?branch={left}")).body;
    assert!(other.contains("right &lt;b"), "on the other branch the first one is the other");
}

#[test]
fn a_session_without_events_has_no_graph() {
    let home = Home::new();
    home.write(format!("projects/-w/{ID}.jsonl"), Session::new().id(ID).prompt("a").reply("b").into_bytes());
    let server = TestServer::start(library(&home));
    assert!(!server.get(&format!("/session/{ID}")).body.contains("class=\"graph\""));
}

#[test]
fn every_record_can_be_forked_unless_others_look() {
    let home = Home::new();
    let session = Session::new().id(ID).prompt("a").reply("b").prompt("c").reply("d");
    home.write(format!("projects/-w/{ID}.jsonl"), session.into_bytes());
    let server = TestServer::start(library(&home));
    let page = server.get(&format!("/session/{ID}")).body;
    assert!(page.contains(" data-forks>") && page.contains("data-uuid="), "{page}");
    let uuid = page.split("data-uuid=").nth(2).unwrap();
    let uuid = uuid.trim_start_matches('"').split(['"', '>', ' ']).next().unwrap();
    let plan = server.get(&format!("/session/{ID}/change/fork?at={uuid}"));
    assert!(plan.status == 200 && plan.body.contains("Do it") && plan.body.contains(uuid), "{}", plan.body);
    let shared = TestServer::start(super::support::redacted(&home));
    assert!(!shared.get(&format!("/session/{ID}")).body.contains("data-forks"));
}

#[test]
fn failed_tools_are_errors_and_the_filter_finds_them() {
    let home = Home::new();
    let good = "77777777-aaaa-4aaa-8aaa-000000000002";
    home.write(
        format!("projects/-w/{good}.jsonl"),
        Session::new().id(good).prompt("All good here").reply("b").into_bytes(),
    );
    let failing = Session::new()
        .id(ID)
        .prompt("This one fails")
        .tool_use("Bash", r#"{"command":"false"}"#)
        .user(|message| {
            let block = r#"[{"type":"tool_result","tool_use_id":"toolu_x","is_error":true,"content":"no"}]"#;
            message.raw("content", block.as_bytes());
        });
    home.write(format!("projects/-w/{ID}.jsonl"), failing.into_bytes());
    let server = TestServer::start(library(&home));
    server.get("/usage");
    let found = server.get("/sessions?errors=1").body;
    assert!(found.contains("This one fails") && !found.contains("All good here"), "{found}");
}

#[test]
fn a_session_that_only_the_vault_has_is_listed() {
    let home = Home::new();
    let path = home.write(
        format!("projects/-w/{ID}.jsonl"),
        Session::new().id(ID).prompt("Plant <b>tulips</b> in spring").reply("yes").into_bytes(),
    );
    let store = annals_store::Store::open(home.config_dir());
    let data = DataDir::new(home.data_dir()).used_by(store.config_dir());
    super::support::archive(&store, &data);
    std::fs::remove_file(path).unwrap();
    let server = TestServer::start(library(&home));
    assert!(server.get("/").body.contains("1 session that only the vault has"));
    let found = server.get("/sessions?vault=1").body;
    assert!(
        found.contains("Only in the vault") && found.contains(&format!("annals restore {ID}")),
        "{found}"
    );
    assert!(found.contains("tulips") && !found.contains("<b>tulips"), "{found}");
    assert!(!server.get("/sessions?vault=1&q=roses").body.contains("tulips"));
    assert!(!server.get("/sessions?vault=1&cost=1").body.contains("tulips"));
}

#[test]
fn tools_have_costs_and_csv() {
    let home = Home::new();
    home.fill(&annals_demo::Plan { sessions: Some(20), ..annals_demo::Plan::default() });
    let server = TestServer::start(library(&home));
    let page = server.get("/usage/tools");
    assert!(
        page.status == 200 && page.body.contains("Estimated cost") && page.body.contains("Bash"),
        "{}",
        page.body
    );
    let csv = server.get("/usage.csv?by=tool").body;
    assert!(csv.starts_with("tool,calls,failed,") && csv.contains("\"Bash\","), "{csv}");
}
