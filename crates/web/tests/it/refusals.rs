//! What is refused: names that are not ours, other pages, missing tokens, paths that lead out.

use std::io::Write;
use std::time::{Duration, Instant};

use annals_testkit::builder::Session;
use annals_testkit::home::Home;
use annals_web::{Exposure, Password, ServeError, Server, ServerConfig};

use super::support::{TestServer, library, loopback, redacted};

fn home() -> Home {
    let home = Home::new();
    home.write(
        "projects/-w/11111111-aaaa-4aaa-8aaa-000000000001.jsonl",
        Session::new().prompt("secret plans").reply("yes").into_bytes(),
    );
    home.write("../outside.txt", "outside the store");
    home
}

const PAGES: [&str; 15] = [
    "/",
    "/sessions",
    "/events",
    "/search?q=secret",
    "/files",
    "/file/0123456789abcdef0123",
    "/usage/tools",
    "/usage",
    "/usage.csv",
    "/check",
    "/undo",
    "/session/11111111-aaaa-4aaa-8aaa-000000000001",
    "/session/11111111-aaaa-4aaa-8aaa-000000000001/window/0",
    "/session/11111111-aaaa-4aaa-8aaa-000000000001/raw/1",
    "/assets/style.css",
];

#[test]
fn nothing_is_shown_without_the_token() {
    let home = home();
    let server = TestServer::start(library(&home));
    let host = server.address;
    for path in PAGES {
        for cookie in ["", "Cookie: annals=x\r\n", "Cookie: annals-1=0000\r\n"] {
            let answer = server
                .send(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{cookie}Connection: close\r\n\r\n"));
            assert_eq!(answer.status, 403, "{path}");
            assert!(!answer.body.contains("secret plans"), "{path}");
        }
    }
    // One that ends otherwise, whatever its last digit is.
    let last = if server.token.ends_with('0') { '1' } else { '0' };
    let almost = format!("{}{last}", &server.token[..server.token.len() - 1]);
    assert_eq!(
        server
            .send(&format!("GET /?token={almost} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"))
            .status,
        403
    );
}

#[test]
fn the_printed_address_leads_to_a_cookie_and_away_from_the_token() {
    let home = home();
    let server = TestServer::start(library(&home));
    let (host, token) = (server.address, &server.token);
    let answer = server.send(&format!(
        "GET //search?token={token}&q=secret HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    ));
    assert_eq!(answer.status, 303);
    assert_eq!(answer.header("location"), Some("/search?q=secret"));
    let cookie = answer.header("set-cookie").unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    assert_eq!(server.get("/").status, 200);
}

#[test]
fn other_names_and_other_pages_are_refused() {
    let home = home();
    let server = TestServer::start(library(&home));
    let (host, cookie) = (server.address, server.cookie());
    let ask = |lines: &str| {
        server.send(&format!("GET / HTTP/1.1\r\n{lines}Cookie: {cookie}\r\nConnection: close\r\n\r\n")).status
    };
    assert_eq!(ask(&format!("Host: {host}\r\n")), 200);
    for name in ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example"] {
        assert_eq!(ask(&format!("Host: {name}\r\n")), 421, "{name}");
    }
    assert_eq!(ask(&format!("Host: {host}\r\nHost: evil.example\r\n")), 421);
    let port = host.port();
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1", &format!("https://127.0.0.1:{port}")]
    {
        assert_eq!(ask(&format!("Host: {host}\r\nOrigin: {origin}\r\n")), 403, "{origin}");
    }
    for site in ["cross-site", "same-site"] {
        assert_eq!(ask(&format!("Host: {host}\r\nSec-Fetch-Site: {site}\r\n")), 403, "{site}");
    }
    assert_eq!(ask(&format!("Host: {host}\r\nSec-Fetch-Site: same-origin\r\n")), 200);
    let of_form = |site: &str| ask(&format!("Host: {host}\r\nOrigin: null\r\nSec-Fetch-Site: {site}\r\n"));
    assert_eq!([of_form("same-origin"), of_form("none"), of_form("cross-site")], [200, 403, 403]);
}

#[test]
fn browsers_that_do_not_name_the_site_are_judged_by_origin_page_and_cookie() {
    let home = home();
    let server = TestServer::start(library(&home));
    let (host, cookie) = (server.address, server.cookie());
    let ask = |method: &str, path: &str, lines: &str| {
        let form = if method == "POST" { "Content-Length: 7\r\n" } else { "" };
        let body = if method == "POST" { "value=x" } else { "" };
        server
            .send(&format!(
                "{method} {path} HTTP/1.1\r\nHost: {host}\r\n{lines}{form}Connection: close\r\n\r\n{body}"
            ))
            .status
    };
    let cookie = format!("Cookie: {cookie}\r\n");
    let port = host.port();
    let foreign = [
        "Origin: http://evil.example\r\n".to_owned(),
        "Origin: null\r\n".to_owned(),
        "Referer: http://evil.example/127.0.0.1\r\n".to_owned(),
        format!("Referer: http://{host}.evil.example/\r\n"),
        format!("Referer: http://{host}@evil.example/\r\n"),
        "Referer: http://127.0.0.1:1/\r\n".to_owned(),
        format!("Referer: https://127.0.0.1:{port}/\r\n"),
        "Referer: about:blank\r\n".to_owned(),
        "Referer: \u{e9}\r\n".to_owned(),
        // The origin counts, whatever the page says.
        format!("Origin: http://evil.example\r\nReferer: http://{host}/\r\n"),
        format!("Origin: null\r\nReferer: http://{host}/\r\n"),
    ];
    let own = [
        format!("Origin: http://{host}\r\n"),
        format!("Referer: http://{host}/session/x?y\r\n"),
        format!("Origin: http://{host}\r\nReferer: http://{host}/\r\n"),
    ];
    for lines in &foreign {
        assert_eq!(ask("GET", "/", &format!("{cookie}{lines}")), 403, "{lines}");
        assert_eq!(ask("POST", "/undo", &format!("{cookie}{lines}")), 403, "{lines}");
    }
    for lines in &own {
        assert_eq!(ask("GET", "/", &format!("{cookie}{lines}")), 200, "{lines}");
        assert_eq!(ask("GET", "/", lines), 403, "no cookie, {lines}");
        // It gets as far as its form, which is not ours.
        assert_eq!(ask("POST", "/undo", &format!("{cookie}{lines}")), 400, "{lines}");
    }
    assert_eq!(ask("GET", "/", &cookie), 200, "a typed address");
    assert_eq!(ask("POST", "/undo", &cookie), 403);
}

#[test]
fn every_answer_forbids_scripts_frames_and_caches() {
    let home = home();
    let server = TestServer::start(library(&home));
    let pages = ["/", "/nowhere", "/session/11111111-aaaa-4aaa-8aaa-000000000001", "/usage.csv"];
    for answer in pages
        .map(|path| server.get(path))
        .into_iter()
        .chain([server.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")])
    {
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self'"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("referrer-policy"), Some("same-origin"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
    }
}

#[test]
fn no_path_of_an_address_reaches_the_file_system() {
    let home = home();
    let server = TestServer::start(library(&home));
    let outside = home.path().join("outside.txt").display().to_string();
    let encoded: String = outside.bytes().map(|byte| format!("%{byte:02x}")).collect();
    for id in [
        "..%2f..%2foutside",
        "%2e%2e",
        ".",
        "..",
        &encoded,
        "-w%2F11111111-aaaa-4aaa-8aaa-000000000001",
        "%00",
        "11111111-aaaa-4aaa-8aaa-000000000001.jsonl",
    ] {
        for rest in ["", "/raw/1", "/window/0", "/agent/..%2f..%2fx", "/image/1/0"] {
            let answer = server.get(&format!("/session/{id}{rest}"));
            assert!(matches!(answer.status, 400 | 404), "{id}{rest}: {}", answer.status);
            assert!(!answer.body.contains("outside the store"), "{id}{rest}");
        }
    }
    let id = "11111111-aaaa-4aaa-8aaa-000000000001";
    for query in ["?agent=..%2f..%2f..%2foutside", "?in=..%2f..", "?agent=%2fetc%2fpasswd"] {
        assert_eq!(server.get(&format!("/session/{id}/raw/1{query}")).status, 404, "{query}");
    }
    assert_eq!(server.get("/assets/..%2f..%2fCargo.toml").status, 404);
}

#[test]
fn a_change_needs_our_origin_and_our_form() {
    let home = home();
    let server = TestServer::start(library(&home));
    let path = "/session/11111111-aaaa-4aaa-8aaa-000000000001/change/rename";
    let (host, cookie) = (server.address, server.cookie());
    let form = "value=stolen";
    let ask = |origin: &str| {
        server.send(&format!(
            "POST {path} HTTP/1.1\r\nHost: {host}\r\n{origin}Cookie: {cookie}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{form}",
            form.len()
        ))
    };
    assert_eq!(ask("").status, 403);
    assert_eq!(ask("Origin: http://evil.example\r\n").status, 403);
    assert_eq!(ask(&format!("Origin: http://{host}\r\n")).status, 400);
    assert_eq!(server.get(&format!("{path}?value=stolen")).status, 200);
    assert!(!server.get("/").body.contains("stolen"));
    let long = format!("value={}", "x".repeat(100_000));
    assert_eq!(server.post(path, &long).status, 400);
    for method in ["PUT", "DELETE", "OPTIONS", "TRACE"] {
        assert_eq!(
            server
                .send(&format!(
                    "{method} / HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
                ))
                .status,
            405
        );
    }
}

fn bound(config: ServerConfig, home: &Home) -> Result<Server, ServeError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(Server::bind(config, redacted(home)))
}

#[test]
fn beyond_this_machine_it_takes_a_password_and_tls() {
    let home = home();
    let bind = ([0, 0, 0, 0], 0).into();
    let password = || Password::parse("correct horse battery\n");
    let plain = ServerConfig { bind, password: password(), ..loopback() };
    assert!(matches!(bound(plain, &home), Err(ServeError::NeedsTls(_))));
    let open = ServerConfig { bind, exposure: Exposure::BehindProxy, ..loopback() };
    assert!(matches!(bound(open, &home), Err(ServeError::NeedsPassword)));
    let both = ServerConfig { bind, exposure: Exposure::BehindProxy, password: password(), ..loopback() };
    assert!(bound(both, &home).is_ok());
    assert!(Password::parse("short").is_none());
}

#[test]
fn others_log_in_and_see_no_secret_and_change_nothing() {
    let home = Home::new();
    let key = "sk-ant-api03-Zx8mQ2vL9pR4tY7wB3nK6jH1gF5dS0aEcUiOyTrWqZxCvBnM";
    let session = Session::new().prompt(&format!("use {key} for the API")).reply("Done.").into_bytes();
    home.write("projects/-w/11111111-aaaa-4aaa-8aaa-000000000001.jsonl", session);
    let config = ServerConfig {
        exposure: Exposure::BehindProxy,
        password: Password::parse("correct horse battery"),
        names: vec!["notes.example".to_owned()],
        ..loopback()
    };
    let server = TestServer::with(config, redacted(&home));
    let ask = |path: &str, more: &str| {
        server.send(&format!("GET {path} HTTP/1.1\r\nHost: notes.example\r\n{more}Connection: close\r\n\r\n"))
    };
    assert_eq!(ask("/", "").header("location"), Some("/login"));
    let log_in = |password: &str| {
        let form = format!("password={password}");
        server.send(&format!(
            "POST /login HTTP/1.1\r\nHost: notes.example\r\nOrigin: https://notes.example\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{form}",
            form.len()
        ))
    };
    assert_eq!(log_in("wrong+horse+battery").status, 403);
    let answer = log_in("correct+horse+battery");
    assert_eq!(answer.status, 303);
    let cookie = answer.header("set-cookie").unwrap();
    assert!(cookie.contains("Secure"), "{cookie}");
    let cookie = format!("Cookie: {}\r\n", cookie.split(';').next().unwrap());
    let id = "/session/11111111-aaaa-4aaa-8aaa-000000000001";
    for path in [
        "/".to_owned(),
        id.to_owned(),
        format!("{id}/window/0"),
        format!("{id}/raw/1"),
        "/search?q=API".to_owned(),
    ] {
        let answer = ask(&path, &cookie);
        assert_eq!(answer.status, 200, "{path}");
        assert!(!answer.body.contains(key), "{path}");
    }
    assert!(ask(&format!("{id}/raw/1"), &cookie).body.contains("REDACTED"));
    assert_eq!(ask(&format!("{id}/change/trash"), &cookie).status, 409);
}

#[test]
fn wrong_passwords_of_others_do_not_delay_the_owner() {
    let home = home();
    let config = ServerConfig {
        exposure: Exposure::BehindProxy,
        password: Password::parse("correct horse battery"),
        names: vec!["notes.example".to_owned()],
        ..loopback()
    };
    let server = TestServer::with(config, redacted(&home));
    let log_in = |address: &str, password: &str| {
        let form = format!("password={password}");
        server.send(&format!(
            "POST /login HTTP/1.1\r\nHost: notes.example\r\nOrigin: https://notes.example\r\nX-Forwarded-For: {address}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{form}",
            form.len()
        ))
    };
    std::thread::scope(|scope| {
        let guesses: Vec<_> =
            (0..24).map(|_| scope.spawn(|| log_in("10.0.0.9", "wrong+horse+battery").status)).collect();
        // Two guesses take longer than this, one after the other.
        std::thread::sleep(Duration::from_millis(200));
        let start = Instant::now();
        assert_eq!(log_in("10.0.0.9, 10.0.0.7", "correct+horse+battery").status, 303);
        let cookie = server.cookie();
        let page = format!(
            "GET /nowhere HTTP/1.1\r\nHost: notes.example\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
        );
        assert_eq!(server.send(&page).status, 404, "a cookie is never asked to wait");
        assert!(start.elapsed() < Duration::from_millis(900), "{:?}", start.elapsed());
        let mut statuses: Vec<_> = guesses.into_iter().map(|guess| guess.join().unwrap()).collect();
        statuses.sort_unstable();
        assert_eq!(statuses[..4], [403; 4]);
        assert_eq!(statuses[4..], [429; 20], "more than wait at a time are refused");
    });
}

#[test]
fn who_hangs_up_does_not_guess_faster() {
    let home = home();
    let config = ServerConfig {
        exposure: Exposure::BehindProxy,
        password: Password::parse("correct horse battery"),
        names: vec!["notes.example".to_owned()],
        ..loopback()
    };
    let server = TestServer::with(config, redacted(&home));
    let request = |password: &str| {
        let form = format!("password={password}+horse+battery");
        format!(
            "POST /login HTTP/1.1\r\nHost: notes.example\r\nOrigin: https://notes.example\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{form}",
            form.len()
        )
    };
    let mut stream = std::net::TcpStream::connect(server.address).unwrap();
    stream.write_all(request("wrong").as_bytes()).unwrap();
    std::thread::sleep(Duration::from_millis(200));
    drop(stream);
    std::thread::sleep(Duration::from_millis(200));
    let start = Instant::now();
    assert_eq!(server.send(&request("correct")).status, 303);
    assert!(start.elapsed() > Duration::from_millis(300), "{:?}", start.elapsed());
}
