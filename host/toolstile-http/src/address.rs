//! Addresses that belong to no public host: the special-purpose registries of IANA
//! (RFC 6890 and what updates it), the metadata services of clouds among them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What kind of special address it is; `None` for one of a public host.
pub(crate) fn special(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => special_v4(address),
        IpAddr::V6(address) => special_v6(address),
    }
}

const V4: [(Ipv4Addr, u32, &str); 15] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8, "an address of this very machine"),
    (Ipv4Addr::new(127, 0, 0, 0), 8, "an address of this very machine"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "a private address"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "a private address"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "a private address"),
    (Ipv4Addr::new(100, 64, 0, 0), 10, "an address of a provider's own network"),
    (Ipv4Addr::new(169, 254, 0, 0), 16, "a link-local or metadata address"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, "a reserved address"),
    (Ipv4Addr::new(192, 0, 2, 0), 24, "an address for documentation"),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "a relay address"),
    (Ipv4Addr::new(198, 18, 0, 0), 15, "an address for benchmarks"),
    (Ipv4Addr::new(198, 51, 100, 0), 24, "an address for documentation"),
    (Ipv4Addr::new(203, 0, 113, 0), 24, "an address for documentation"),
    (Ipv4Addr::new(224, 0, 0, 0), 4, "a multicast address"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, "a reserved or broadcast address"),
];

fn special_v4(address: Ipv4Addr) -> Option<&'static str> {
    let inside = |(network, length, _): &&(Ipv4Addr, u32, &str)| {
        (address.to_bits() ^ network.to_bits()).leading_zeros() >= *length
    };
    V4.iter().find(inside).map(|(.., what)| *what)
}

/// What is global unicast (2000::/3) and not taken out of it is public. An address that
/// carries an IPv4 address leads there, whatever it looks like.
fn special_v6(address: Ipv6Addr) -> Option<&'static str> {
    if let Some(inner) = embedded(address) {
        return special_v4(inner).or(Some("an IPv4 address in the form of an IPv6 address"));
    }
    let parts = address.segments();
    match parts {
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => Some("an address of this very machine"),
        [0xfc00..=0xfdff, ..] => Some("a private address"),
        [0xfe80..=0xfebf, ..] => Some("a link-local address"),
        [0xff00..=0xffff, ..] => Some("a multicast address"),
        [0x2001, 0x0000..=0x01ff, ..] => Some("a reserved address"),
        [0x2001, 0x0db8, ..] | [0x3fff, 0x0000..=0x0fff, ..] => {
            Some("an address for documentation")
        }
        [0x2000..=0x3fff, ..] => None,
        _ => Some("a reserved address"),
    }
}

/// The IPv4 address inside: mapped and compatible forms (RFC 4291), translation
/// (RFC 6052, RFC 8215), 6to4 (RFC 3056).
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let join = |high: u16, low: u16| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low));
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => None,
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low] => Some(join(high, low)),
        [0, 0, 0, 0, 0xffff, 0, high, low] => Some(join(high, low)),
        [0x0064, 0xff9b, 0, 0, 0, 0, high, low] => Some(join(high, low)),
        [0x0064, 0xff9b, 1, .., high, low] => Some(join(high, low)),
        [0x2002, high, low, ..] => Some(join(high, low)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_hosts_are_public() {
        for public in ["93.184.216.34", "8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111"] {
            assert_eq!(special(public.parse().unwrap()), None, "{public}");
        }
        for special_one in [
            "0.0.0.0",
            "127.0.0.1",
            "127.255.255.255",
            "10.1.2.3",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "100.127.255.255",
            "192.0.0.8",
            "198.19.255.255",
            "203.0.113.7",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "::127.0.0.1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::a00:1",
            "2002:7f00:1::",
            "2001:0:7f00:1::",
            "2001:db8::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "100::1",
            "4000::1",
            "::ffff:0:127.0.0.1",
        ] {
            assert!(special(special_one.parse().unwrap()).is_some(), "{special_one}");
        }
    }
}
