//! An MCP server over HTTP that wants a token, with its own authorization server, on this machine; and a browser for it.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use annals_store::digest::sha256_bytes;

/// What such a server does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OAuthFault {
    /// It wants no token.
    Open,
    /// It renews no token.
    NoRenewal,
    /// It describes another server.
    OtherResource,
    /// Its authorization server says that it is another one.
    OtherIssuer,
    /// Its authorization server does not know PKCE.
    NoProof,
    /// Its authorization server registers no clients.
    NoRegistration,
    /// The user does not agree.
    NoConsent,
}

/// A server that wants a token.
pub struct OAuthServer {
    url: String,
    state: Arc<Mutex<ServerState>>,
}

#[derive(Default)]
struct ServerState {
    /// The first line of each request.
    seen: Vec<String>,
    /// What a code was given for: `code_challenge`, `redirect_uri`, `client_id`, `resource`.
    codes: HashMap<String, [String; 4]>,
    /// How many tokens were given; the last one is valid.
    given: usize,
    is_expired: bool,
    renewals: usize,
}

impl ServerState {
    fn access(&self) -> String {
        format!("access-{}", self.given)
    }

    fn refresh(&self) -> String {
        format!("refresh-{}", self.given)
    }
}

impl OAuthServer {
    /// Starts a server on a free port; it runs as long as the test.
    pub fn start(fault: Option<OAuthFault>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap_or_else(|error| panic!("no port: {error}"));
        let address = listener.local_addr().unwrap_or_else(|error| panic!("no address: {error}"));
        let (url, state) = (format!("http://{address}"), Arc::<Mutex<ServerState>>::default());
        let (own, shared) = (url.clone(), Arc::clone(&state));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (url, state) = (own.clone(), Arc::clone(&shared));
                thread::spawn(move || {
                    if let Some(request) = Request::read(&stream) {
                        answer(&request, (&url, fault), &mut lock(&state), &stream);
                    }
                });
            }
        });
        Self { url, state }
    }

    /// The address of the MCP server.
    pub fn mcp_url(&self) -> String {
        format!("{}/mcp", self.url)
    }

    /// No longer takes the token that was given last.
    pub fn expire(&self) {
        lock(&self.state).is_expired = true;
    }

    /// How often a token was renewed.
    pub fn renewals(&self) -> usize {
        lock(&self.state).renewals
    }

    /// The token that was given last.
    pub fn valid_token(&self) -> String {
        lock(&self.state).access()
    }

    /// The first line of each request so far.
    pub fn seen(&self) -> Vec<String> {
        lock(&self.state).seen.clone()
    }
}

fn lock(state: &Mutex<ServerState>) -> MutexGuard<'_, ServerState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Request {
    line: String,
    headers: HashMap<String, String>,
    body: String,
}

impl Request {
    fn read(stream: &TcpStream) -> Option<Self> {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
        let mut headers = HashMap::new();
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).ok()?;
            let Some((name, value)) = header.trim().split_once(": ") else { break };
            headers.insert(name.to_lowercase(), value.to_owned());
        }
        let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let body = String::from_utf8(body).ok()?;
        Some(Self { line: line.trim().to_owned(), headers, body })
    }

    fn path(&self) -> &str {
        self.line.split(' ').nth(1).unwrap_or_default().split('?').next().unwrap_or_default()
    }

    /// A value of the query or of the form.
    fn value(&self, name: &str) -> String {
        let query = self.line.split(' ').nth(1).and_then(|target| target.split_once('?'));
        let pairs = query.map_or(self.body.as_str(), |(_, query)| query).split('&');
        let found = pairs.filter_map(|pair| pair.split_once('=')).find(|(key, _)| *key == name);
        found.map(|(_, value)| decoded(value)).unwrap_or_default()
    }
}

fn answer(
    request: &Request,
    (url, fault): (&str, Option<OAuthFault>),
    state: &mut ServerState,
    stream: &TcpStream,
) {
    state.seen.push(request.line.clone());
    let is = |other: OAuthFault| fault == Some(other);
    let json =
        |status: &str, body: String| respond(stream, status, "content-type: application/json\r\n", &body);
    match request.path() {
        "/.well-known/oauth-protected-resource/mcp" => {
            let resource = if is(OAuthFault::OtherResource) {
                "https://evil.example/mcp"
            } else {
                &format!("{url}/mcp")
            };
            json(
                "200 OK",
                format!(
                    r#"{{"resource":"{resource}","authorization_servers":["{url}/auth"],"scopes_supported":["read"]}}"#
                ),
            );
        }
        "/.well-known/oauth-authorization-server/auth" => {
            let issuer =
                if is(OAuthFault::OtherIssuer) { "https://evil.example" } else { &format!("{url}/auth") };
            let methods =
                if is(OAuthFault::NoProof) { "" } else { r#","code_challenge_methods_supported":["S256"]"# };
            json(
                "200 OK",
                format!(
                    r#"{{"issuer":"{issuer}","authorization_endpoint":"{url}/authorize","token_endpoint":"{url}/token","registration_endpoint":"{url}/register"{methods}}}"#
                ),
            );
        }
        "/register" if is(OAuthFault::NoRegistration) => {
            json("400 Bad Request", r#"{"error":"invalid_client_metadata"}"#.to_owned());
        }
        "/register" => json("201 Created", r#"{"client_id":"client-1"}"#.to_owned()),
        "/authorize" => authorize(request, fault, state, stream),
        "/token" => match tokens(request, fault, state) {
            Some(tokens) => json("200 OK", tokens),
            None => json("400 Bad Request", r#"{"error":"invalid_grant"}"#.to_owned()),
        },
        "/mcp" => serve(request, (url, fault), state, stream),
        _ => respond(stream, "404 Not Found", "", ""),
    }
}

/// The page where the user agrees, at once.
fn authorize(request: &Request, fault: Option<OAuthFault>, state: &mut ServerState, stream: &TcpStream) {
    let is_asked_well = request.value("response_type") == "code"
        && request.value("code_challenge_method") == "S256"
        && request.value("redirect_uri").starts_with("http://localhost:");
    if !is_asked_well {
        return respond(stream, "400 Bad Request", "", "");
    }
    let code = format!("code-{}", state.codes.len() + 1);
    let asked = ["code_challenge", "redirect_uri", "client_id", "resource"].map(|name| request.value(name));
    let (redirect, said) = (asked[1].clone(), request.value("state"));
    let result = match fault {
        Some(OAuthFault::NoConsent) => "error=access_denied".to_owned(),
        _ => format!("code={code}"),
    };
    state.codes.insert(code, asked);
    respond(stream, "302 Found", &format!("location: {redirect}?{result}&state={said}\r\n"), "");
}

/// Tokens for a code, or for the token that renews; each is taken once.
fn tokens(request: &Request, fault: Option<OAuthFault>, state: &mut ServerState) -> Option<String> {
    match request.value("grant_type").as_str() {
        "authorization_code" => {
            let asked = state.codes.remove(&request.value("code"))?;
            let challenge = url_safe(&sha256_bytes(request.value("code_verifier").as_bytes()));
            let said = [challenge]
                .into_iter()
                .chain(["redirect_uri", "client_id", "resource"].map(|name| request.value(name)));
            said.eq(asked).then_some(())?;
        }
        "refresh_token" if fault != Some(OAuthFault::NoRenewal) => {
            (request.value("refresh_token") == state.refresh()).then_some(())?;
            state.renewals += 1;
        }
        _ => return None,
    }
    (state.given, state.is_expired) = (state.given + 1, false);
    Some(format!(
        r#"{{"access_token":"{}","token_type":"Bearer","refresh_token":"{}","expires_in":3600}}"#,
        state.access(),
        state.refresh()
    ))
}

/// The MCP server: one tool, `echo`.
fn serve(
    request: &Request,
    (url, fault): (&str, Option<OAuthFault>),
    state: &ServerState,
    stream: &TcpStream,
) {
    let wanted = format!("Bearer {}", state.access());
    let is_known = request.headers.get("authorization") == Some(&wanted) && !state.is_expired;
    if !is_known && fault != Some(OAuthFault::Open) {
        let metadata = format!("{url}/.well-known/oauth-protected-resource/mcp");
        let header = format!("www-authenticate: Bearer resource_metadata=\"{metadata}\"\r\n");
        return respond(stream, "401 Unauthorized", &header, "");
    }
    let id = request.body.split("\"id\":").nth(1).and_then(|rest| rest.split(',').next()).unwrap_or("null");
    let result = match () {
        () if request.body.contains("\"initialize\"") => {
            r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"web","version":"1"}}"#
        }
        () if request.body.contains("tools/list") => {
            r#"{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}"#
        }
        () if request.body.contains("tools/call") => r#"{"content":[{"type":"text","text":"echoed"}]}"#,
        () if request.line.starts_with("GET") => return respond(stream, "405 Method Not Allowed", "", ""),
        () => return respond(stream, "202 Accepted", "", ""),
    };
    let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
    respond(stream, "200 OK", "content-type: application/json\r\n", &body);
}

fn respond(mut stream: &TcpStream, status: &str, headers: &str, body: &str) {
    let length = body.len();
    // A client that is gone needs no answer.
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
}

/// Opens an address as a browser does, beside the test: it follows where it is sent, once.
pub fn browse(url: &str) {
    let url = url.to_owned();
    thread::spawn(move || {
        if let Some(location) = get(&url).and_then(|answer| {
            let line = answer.lines().find_map(|line| line.strip_prefix("location: "))?;
            Some(line.trim().to_owned())
        }) {
            get(&location);
        }
    });
}

/// Fetches a page of this machine: its head and its text.
pub fn get(url: &str) -> Option<String> {
    let (host, path) = url.strip_prefix("http://")?.split_once('/')?;
    let mut stream = TcpStream::connect(host.replace("localhost", "127.0.0.1")).ok()?;
    write!(stream, "GET /{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}

fn decoded(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.bytes());
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digits = [rest.next().unwrap_or(b'0'), rest.next().unwrap_or(b'0')];
                u8::from_str_radix(&String::from_utf8_lossy(&digits), 16).unwrap_or(b'?')
            }
            byte => byte,
        });
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Base64 for addresses, without padding.
fn url_safe(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let number = chunk.iter().fold(0_u32, |number, byte| (number << 8) | u32::from(*byte));
        let number = number << (8 * (3 - chunk.len()));
        for place in 0..=chunk.len() {
            let letter = (number >> (18 - 6 * place)) & 63;
            text.push(char::from(LETTERS[letter as usize]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_proof_is_that_of_the_standard() {
        let digest = sha256_bytes(b"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk");
        assert_eq!(url_safe(&digest), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }

    #[test]
    fn a_form_is_decoded() {
        assert_eq!(decoded("a+b%26c%C3%A9"), "a b&cé");
    }
}
