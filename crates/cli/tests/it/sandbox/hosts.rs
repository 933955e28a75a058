//! Allowed hosts, through the proxy: they are reached, and no other.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use annals_sandbox::{HostProxy, NetworkAccess, SandboxPlan};

use super::world::World;
use super::{methods, sandbox};

#[test]
fn an_allowed_host_is_reached_through_the_proxy_only() {
    let Some(sandbox) = sandbox("proxy", &methods()[0]) else { return };
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    thread::spawn(move || {
        for mut peer in server.incoming().flatten() {
            let _ = peer.read(&mut [0; 1024]);
            let _ =
                peer.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\nConnection: close\r\n\r\nreached");
        }
    });
    let mut world = World::new();
    std::fs::create_dir(world.path("sockets")).unwrap();
    let hosts = vec![format!("127.0.0.1:{port}")];
    let proxy = HostProxy::start(&world.path("sockets/s"), hosts, |_| true).unwrap();
    let plan = SandboxPlan { network: NetworkAccess::Proxy(proxy.socket().to_path_buf()), ..world.plan() };
    // The proxy is used for loopback too, and by CONNECT.
    let get = |port: &str| format!("curl -s -S -m 5 --noproxy '' -p http://127.0.0.1:{port}/");
    let printed = world.run(Some((&sandbox, &plan)), &get(&port.to_string()));
    assert!(printed.contains("reached"), "{printed}");
    let printed = world.run(Some((&sandbox, &plan)), &get("$PORT"));
    assert!(printed.contains("403"), "{printed}");
    let printed =
        world.run(Some((&sandbox, &plan)), &format!("curl -s -m 2 --noproxy '*' http://127.0.0.1:{port}/"));
    assert!(!printed.contains("reached"), "{printed}");
    let printed = world.run(
        Some((&sandbox, &plan)),
        &format!(
            "$PY -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"{}\"); print(\"LEAKED\")'",
            proxy.socket().display()
        ),
    );
    assert!(!printed.contains("LEAKED"), "the proxy's own socket is not for commands: {printed}");
    assert_eq!(world.harm(&printed), [""; 0]);
}
