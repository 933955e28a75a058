//! Which IP addresses may be fetched: those of the public internet only. Services inside a company, a cloud or this machine
//! trust requests from inside, and a page must not make us send such requests.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Which addresses may be fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FetchScope {
    /// The public internet, over https.
    Public,
    /// This machine as well, and there over http: for tests.
    PublicAndLoopback,
}

impl FetchScope {
    /// Whether this address may be fetched.
    pub fn includes(self, address: IpAddr) -> bool {
        let here = self == Self::PublicAndLoopback && address.is_loopback();
        here || match address {
            IpAddr::V4(address) => is_public_v4(address),
            IpAddr::V6(address) => is_public_v6(address),
        }
    }
}

/// IPv4 networks that are not public: the first address and the number of bits.
const RESERVED_V4: [([u8; 4], u32); 15] = [
    ([0, 0, 0, 0], 8),
    ([10, 0, 0, 0], 8),
    ([100, 64, 0, 0], 10),
    ([127, 0, 0, 0], 8),
    ([169, 254, 0, 0], 16),
    ([172, 16, 0, 0], 12),
    ([192, 0, 0, 0], 24),
    ([192, 0, 2, 0], 24),
    ([192, 88, 99, 0], 24),
    ([192, 168, 0, 0], 16),
    ([198, 18, 0, 0], 15),
    ([198, 51, 100, 0], 24),
    ([203, 0, 113, 0], 24),
    ([224, 0, 0, 0], 4),
    ([240, 0, 0, 0], 4),
];

fn is_public_v4(address: Ipv4Addr) -> bool {
    let number = u32::from(address);
    // Metadata services of clouds, which look public.
    let of_clouds = [Ipv4Addr::new(168, 63, 129, 16), Ipv4Addr::new(100, 100, 100, 200)];
    let is_in = |(start, bits): &([u8; 4], u32)| (number ^ u32::from_be_bytes(*start)) >> (32 - bits) == 0;
    !of_clouds.contains(&address) && !RESERVED_V4.iter().any(is_in)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let parts = address.segments();
    match parts {
        // An embedded IPv4 address counts.
        [0, 0, 0, 0, 0, 0xffff, _, _] | [0x64, 0xff9b, 0, 0, 0, 0, _, _] => {
            is_public_v4(Ipv4Addr::from((u32::from(parts[6]) << 16) | u32::from(parts[7])))
        }
        // Protocols and tunnels, documentation, 6to4.
        [0x2001, second, ..] if second < 0x200 || second == 0xdb8 => false,
        [0x2002, ..] => false,
        [0x3fff, second, ..] if second < 0x1000 => false,
        // Global unicast.
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_addresses_are_reached() {
        for inside in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "10.255.255.255",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.1.2.3",
            "169.254.169.254",
            "169.254.170.2",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.0.192",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.0.1",
            "192.168.255.255",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.9",
            "224.0.0.1",
            "239.1.1.1",
            "240.0.0.1",
            "255.255.255.255",
            "168.63.129.16",
            "100.100.100.200",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:2::1",
            "2001:10::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "3fff::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!FetchScope::Public.includes(inside.parse().unwrap()), "{inside} is not public");
        }
        for public in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "172.15.255.255",
            "172.32.0.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00:1450::1",
            "2001:4860::8888",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
        ] {
            assert!(FetchScope::Public.includes(public.parse().unwrap()), "{public} is public");
        }
        assert!(FetchScope::PublicAndLoopback.includes("127.0.0.1".parse().unwrap()));
        assert!(!FetchScope::PublicAndLoopback.includes("10.0.0.1".parse().unwrap()));
        assert!(!FetchScope::PublicAndLoopback.includes("::ffff:127.0.0.1".parse().unwrap()));
    }

    /// The tables of names outside ASCII are a choice of `Cargo.lock`; an address must not hide behind other digits.
    #[test]
    fn host_names_outside_ascii_are_spelled_as_on_the_network() {
        for (typed, host) in [
            ("https://B\u{fc}cher.example/", "xn--bcher-kva.example"),
            ("https://fa\u{df}.example/", "xn--fa-hia.example"),
            ("https://\u{2615}.example/", "xn--53h.example"),
            ("https://\u{645}\u{62b}\u{627}\u{644}.example/", "xn--mgbh0fb.example"),
            ("https://\u{ff11}\u{ff12}\u{ff17}.0.0.1/", "127.0.0.1"),
            ("https://one\u{3002}example/", "one.example"),
        ] {
            assert_eq!(reqwest::Url::parse(typed).unwrap().host_str(), Some(host), "{typed}");
        }
        assert!(reqwest::Url::parse("https://a\u{0}b.example/").is_err());
    }
}
