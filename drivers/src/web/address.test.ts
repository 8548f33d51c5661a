import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { hostOfAddress, rangeOf, ranges } from "./address.ts";

const none = () => [];

test.each([
  "1.1.1.1",
  "8.8.8.8",
  "93.184.216.34",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.1",
  "169.253.255.255",
  "172.15.255.255",
  "172.32.0.0",
  "192.167.255.255",
  "192.169.0.0",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2606:4700::1111",
  "2a00:1450::1",
  "2400::1",
  "2001:4860:4860::8888",
  "64:ff9b::808:808",
])("ADDRESS-1, ADDRESS-2: %s is public", (address) => {
  expect(rangeOf(address, none)).toBeUndefined();
});

const others: [address: string, what: string][] = [
  ["0.0.0.0", "unspecified"],
  ["0.1.2.3", "unspecified"],
  ["10.0.0.1", "private"],
  ["100.64.0.1", "carrier-grade NAT"],
  ["100.127.255.255", "carrier-grade NAT"],
  ["100.100.100.200", "cloud metadata"],
  ["127.0.0.1", "loopback"],
  ["127.255.255.254", "loopback"],
  ["169.254.0.1", "link-local"],
  ["169.254.169.254", "cloud metadata"],
  ["169.254.170.2", "cloud metadata"],
  ["168.63.129.16", "cloud metadata"],
  ["192.0.0.192", "cloud metadata"],
  ["172.16.0.1", "private"],
  ["172.31.255.255", "private"],
  ["192.0.0.1", "protocol assignments"],
  ["192.0.2.1", "documentation"],
  ["192.88.99.1", "6to4 relay"],
  ["192.168.1.1", "private"],
  ["198.18.0.1", "benchmark"],
  ["198.19.255.255", "benchmark"],
  ["198.51.100.1", "documentation"],
  ["203.0.113.1", "documentation"],
  ["224.0.0.1", "multicast"],
  ["239.255.255.255", "multicast"],
  ["240.0.0.1", "reserved"],
  ["255.255.255.255", "broadcast"],
  ["::", "unspecified"],
  ["::1", "loopback"],
  ["0:0:0:0:0:0:0:1", "loopback"],
  ["::ffff:127.0.0.1", "IPv4-mapped"],
  ["::ffff:7f00:1", "IPv4-mapped"],
  ["::ffff:8.8.8.8", "IPv4-mapped"],
  ["::127.0.0.1", "IPv4-compatible"],
  ["::8.8.8.8", "IPv4-compatible"],
  ["64:ff9b::7f00:1", "loopback"],
  ["64:ff9b::10.0.0.1", "private"],
  ["64:ff9b::a9fe:a9fe", "cloud metadata"],
  ["64:ff9b::", "unspecified"],
  ["64:ff9b::1", "unspecified"],
  ["64:ff9b:1::808:808", "local NAT64"],
  ["64:ff9b:0:1::808:808", "unassigned"],
  ["100::1", "discard"],
  ["2001::1", "Teredo"],
  ["2001:2::1", "benchmark"],
  ["2001:10::1", "protocol assignments"],
  ["2001:db8::1", "documentation"],
  ["2002:7f00:1::1", "6to4"],
  ["2002:808:808::1", "6to4"],
  ["3fff::1", "documentation"],
  ["4000::1", "unassigned"],
  ["5f00::1", "unassigned"],
  ["fc00::1", "private"],
  ["fd00::1", "private"],
  ["fd00:ec2::254", "cloud metadata"],
  ["fd20:ce::254", "cloud metadata"],
  ["fe80::1", "link-local"],
  ["fec0::1", "site-local"],
  ["ff02::1", "multicast"],
  ["fe80::1%eth0", "no address"],
  ["", "no address"],
  ["example.com", "no address"],
  ["127.1", "no address"],
  ["0x7f000001", "no address"],
];

describe("ADDRESS-1–ADDRESS-4", () => {
  test.each(others)("%s is %s", (address, what) => {
    expect(rangeOf(address, none)).toBe(what);
  });

  test("every row of the table is met here", () => {
    const met = new Set(others.map(([, what]) => what));

    expect(ranges.map(([, what]) => what).filter((what) => !met.has(what))).toEqual([]);
  });

  test("ADDRESS-3: an address of this machine is not public, however it is spelled", () => {
    const own = () => ["93.184.216.34", "2606:4700::1"];

    expect(rangeOf("93.184.216.34", own)).toBe("this machine");
    expect(rangeOf("2606:4700:0:0:0:0:0:1", own)).toBe("this machine");
    expect(rangeOf("64:ff9b::93.184.216.34", own)).toBe("this machine");
    expect(rangeOf("93.184.216.35", own)).toBeUndefined();
  });
});

test("an address is written as in a URL", () => {
  expect(hostOfAddress("127.0.0.1")).toBe("127.0.0.1");
  expect(hostOfAddress("0:0:0:0:0:0:0:1")).toBe("[::1]");
  expect(hostOfAddress("::ffff:127.0.0.1")).toBe("[::ffff:7f00:1]");
});

test("docs/man/addresses.md has every range, with what it is", () => {
  const page = readFileSync(new URL("../../../docs/man/addresses.md", import.meta.url), "utf8");
  const rows = page.split("\n").filter((line) => line.startsWith("|"));

  const missing = ranges.filter(
    ([range, what]) =>
      !rows.some((row) => row.includes(`\`${range}\``) && row.split("|").at(-2)?.trim() === what),
  );
  expect(missing).toEqual([]);
});
