// Addresses: classifies addresses as public or not: a table of ranges, and a rule for addresses in none of them.
//
// ADDRESS-1  IPv4 is public unless a row says otherwise. IPv6 is public only in 2000::/3, unless a row says
//     otherwise: unassigned ranges are not.
// ADDRESS-2  A NAT64 address (64:ff9b::/96) is judged by its IPv4 address. Other embeddings of IPv4 are never public.
// ADDRESS-3  An address of this machine is not public, whatever its range.
// ADDRESS-4  A text that is not an address is not public.

import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** First match wins: single addresses stand before the range they are in. */
export const ranges: readonly (readonly [range: string, what: string])[] = [
  ["169.254.169.254/32", "cloud metadata"],
  ["169.254.170.2/32", "cloud metadata"],
  ["100.100.100.200/32", "cloud metadata"],
  ["168.63.129.16/32", "cloud metadata"],
  ["192.0.0.192/32", "cloud metadata"],
  ["0.0.0.0/8", "unspecified"],
  ["10.0.0.0/8", "private"],
  ["100.64.0.0/10", "carrier-grade NAT"],
  ["127.0.0.0/8", "loopback"],
  ["169.254.0.0/16", "link-local"],
  ["172.16.0.0/12", "private"],
  ["192.0.0.0/24", "protocol assignments"],
  ["192.0.2.0/24", "documentation"],
  ["192.88.99.0/24", "6to4 relay"],
  ["192.168.0.0/16", "private"],
  ["198.18.0.0/15", "benchmark"],
  ["198.51.100.0/24", "documentation"],
  ["203.0.113.0/24", "documentation"],
  ["224.0.0.0/4", "multicast"],
  ["255.255.255.255/32", "broadcast"],
  ["240.0.0.0/4", "reserved"],
  ["fd00:ec2::254/128", "cloud metadata"],
  ["fd20:ce::254/128", "cloud metadata"],
  ["::/128", "unspecified"],
  ["::1/128", "loopback"],
  ["::ffff:0:0/96", "IPv4-mapped"],
  ["::/96", "IPv4-compatible"],
  ["64:ff9b:1::/48", "local NAT64"],
  ["100::/64", "discard"],
  ["2001:db8::/32", "documentation"],
  ["2001:2::/48", "benchmark"],
  ["2001::/32", "Teredo"],
  ["2001::/23", "protocol assignments"],
  ["2002::/16", "6to4"],
  ["3fff::/20", "documentation"],
  ["fc00::/7", "private"],
  ["fe80::/10", "link-local"],
  ["fec0::/10", "site-local"],
  ["ff00::/8", "multicast"],
];

const subnets = ranges.map(([range, what]) => ({ subnet: ipaddr.parseCIDR(range), what }));
const NAT64 = ipaddr.parseCIDR("64:ff9b::/96");
const GLOBAL = ipaddr.parseCIDR("2000::/3");

/** What an address is, when it is not of the public internet; undefined when it is. */
export function rangeOf(address: string, own = ownAddresses): string | undefined {
  // ADDRESS-4. The library also reads short and hexadecimal spellings, and zones.
  if (isIP(address) === 0 || address.includes("%")) return "no address";
  const read = ipaddr.parse(plainOf(address));
  const row = subnets.find(({ subnet }) => isIn(read, subnet));
  if (row !== undefined) return row.what;
  if (own().map(hostOfAddress).includes(hostOfAddress(address))) return "this machine";
  if (read.kind() === "ipv4") return undefined;
  if (isIn(read, NAT64)) return rangeOf(carriedBy(read), own);
  return isIn(read, GLOBAL) ? undefined : "unassigned";
}

/** In groups alone: the library takes `::127.0.0.1` for a mapped address. */
const plainOf = (address: string): string => hostOfAddress(address).replace(/^\[|\]$/g, "");

/** The library throws for a subnet of the other family. */
const isIn = (address: Address, subnet: [Address, number]): boolean =>
  address.kind() === subnet[0].kind() && address.match(subnet);

export const isLoopback = (address: string): boolean => rangeOf(address) === "loopback";

/** As it stands in a URL and in a capability. */
export const hostOfAddress = (address: string): string =>
  isIP(address) === 6 ? new URL(`http://[${address}]/`).hostname : address;

/** The last 32 bits, as IPv4. */
const carriedBy = (address: Address): string =>
  ipaddr.fromByteArray(address.toByteArray().slice(-4)).toString();

function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((all) => all?.map((one) => one.address) ?? []);
}
