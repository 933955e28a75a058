//! Who sent a request, as far as limits are concerned.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use axum::extract::Request;

/// The address at the other end of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PeerAddress(pub(crate) IpAddr);

/// Returns what limits count as one: an address, or the network of one customer, who has billions of them in IPv6.
pub(crate) fn address_group(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
    }
}

/// Returns who sent a request. A proxy appends the address that it was asked from; what stands before that, anybody can write.
pub(crate) fn sender(request: &Request, is_behind_proxy: bool) -> IpAddr {
    let forwarded = || {
        let last = request.headers().get_all("x-forwarded-for").iter().next_back()?;
        last.to_str().ok()?.rsplit(',').next()?.trim().parse().ok()
    };
    let peer = request.extensions().get::<PeerAddress>().map(|peer| peer.0);
    let named: Option<IpAddr> = if is_behind_proxy { forwarded() } else { None };
    address_group(named.or(peer).unwrap_or(Ipv4Addr::UNSPECIFIED.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;

    #[test]
    fn a_network_of_ipv6_counts_as_one_and_other_addresses_each() {
        let group = |text: &str| address_group(text.parse().unwrap()).to_string();
        assert_eq!(group("2001:db8:1:2:aaaa::1"), group("2001:db8:1:2:bbbb::2"));
        assert_ne!(group("2001:db8:1:2::1"), group("2001:db8:1:3::1"));
        assert_eq!(group("::ffff:10.0.0.7"), "10.0.0.7");
        assert_ne!(group("10.0.0.7"), group("10.0.0.8"));
    }

    #[test]
    fn only_a_proxy_says_who_asks_and_only_its_own_word_counts() {
        let request = |forwarded: &[&str]| {
            let mut request = Request::builder();
            for value in forwarded {
                request = request.header("x-forwarded-for", *value);
            }
            let mut request = request.body(Body::empty()).unwrap();
            request.extensions_mut().insert(PeerAddress([192, 0, 2, 1].into()));
            request
        };
        let of = |forwarded: &[&str], proxy| sender(&request(forwarded), proxy).to_string();
        assert_eq!(of(&["10.0.0.9"], false), "192.0.2.1");
        assert_eq!(of(&["10.0.0.9, 10.0.0.7"], true), "10.0.0.7");
        assert_eq!(of(&["10.0.0.9", "10.0.0.7"], true), "10.0.0.7");
        assert_eq!(of(&["10.0.0.9, nobody"], true), "192.0.2.1");
        assert_eq!(of(&[], true), "192.0.2.1");
    }
}
