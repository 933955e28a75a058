//! TLS as a browser speaks it: a real handshake, then the password.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use annals_testkit::builder::Session;
use annals_testkit::home::Home;
use annals_testkit::receiver::{AUTHORITY, Certificate};
use annals_web::{Exposure, Password, ServerConfig, ServerLimits, TlsFiles};
use base64::Engine as _;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use super::support::{TestServer, loopback, redacted};

const ID: &str = "77777777-aaaa-4aaa-8aaa-000000000001";

fn pem(label: &str, der: &[u8]) -> Vec<u8> {
    let text = base64::engine::general_purpose::STANDARD.encode(der);
    format!("-----BEGIN {label}-----\n{text}\n-----END {label}-----\n").into_bytes()
}

fn server(home: &Home, certificate: Certificate) -> TestServer {
    let files = TlsFiles {
        certificates: pem("CERTIFICATE", certificate.bytes()),
        key: pem("PRIVATE KEY", Certificate::KEY),
    };
    let config = ServerConfig {
        exposure: Exposure::Tls(files),
        password: Password::parse("correct horse battery"),
        limits: ServerLimits { arrival: Duration::from_millis(500), ..ServerLimits::default() },
        ..loopback()
    };
    TestServer::with(config, redacted(home))
}

/// Sends a request in a connection of its own and returns the whole answer.
fn ask(server: &TestServer, request: &str) -> std::io::Result<String> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(AUTHORITY.as_bytes()).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = config.with_root_certificates(roots).with_no_client_auth();
    let name = ServerName::try_from("localhost").unwrap();
    let connection = ClientConnection::new(Arc::new(config), name).unwrap();
    let stream = TcpStream::connect(server.address)?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let mut stream = StreamOwned::new(connection, stream);
    stream.write_all(request.as_bytes())?;
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer) {
        // Whether the server says good-bye is its own affair.
        Err(error) if error.kind() != std::io::ErrorKind::UnexpectedEof => Err(error),
        _ => Ok(String::from_utf8_lossy(&answer).into_owned()),
    }
}

#[test]
fn after_a_handshake_and_the_password_pages_are_shown() {
    let home = Home::new();
    home.write(format!("projects/-w/{ID}.jsonl"), Session::new().id(ID).prompt("over a wire").into_bytes());
    let server = server(&home, Certificate::Good);
    let host = format!("localhost:{}", server.address.port());
    let close = "Connection: close\r\n\r\n";
    let page = format!("GET /session/{ID} HTTP/1.1\r\nHost: {host}\r\n");
    let answer = ask(&server, &format!("{page}{close}")).unwrap();
    assert!(answer.starts_with("HTTP/1.1 303 ") && answer.contains("location: /login"), "{answer}");
    let form = "password=correct+horse+battery";
    let log_in = |origin: &str| {
        let length = form.len();
        let head = format!(
            "POST /login HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\nContent-Length: {length}\r\n"
        );
        ask(&server, &format!("{head}{close}{form}")).unwrap()
    };
    assert!(
        log_in(&format!("http://{host}")).starts_with("HTTP/1.1 403 "),
        "a page without TLS is another page"
    );
    let answer = log_in(&format!("https://{host}"));
    let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    assert!(cookie.contains("; Secure"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap();
    let answer = ask(&server, &format!("{page}Cookie: {cookie}\r\n{close}")).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.contains("over a wire"), "{answer}");
}

#[test]
fn without_a_handshake_nothing_is_answered() {
    let home = Home::new();
    let server = server(&home, Certificate::Good);
    let mut plain = TcpStream::connect(server.address).unwrap();
    plain.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    write!(plain, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP"), "{answer:?}");
    // Somebody who connects and says nothing is not waited for.
    let mut silent = TcpStream::connect(server.address).unwrap();
    silent.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    assert_eq!(silent.read(&mut [0; 16]).unwrap(), 0);
}

#[test]
fn a_certificate_of_another_name_is_noticed_by_the_client() {
    let home = Home::new();
    let server = server(&home, Certificate::Elsewhere);
    assert!(ask(&server, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").is_err());
}
