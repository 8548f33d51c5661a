import { describe, expect, test } from "vitest";
import { seatbeltProfile, type SeatbeltPlan } from "./seatbelt-profile.ts";

const walls: SeatbeltPlan = {
  mounts: [
    { from: "/Users/a/work", at: "/work", mode: "write" },
    { from: "/Users/a/work/vendor", at: "/work/vendor", mode: "read" },
    { from: '/data/"odd\\name', at: "/data", mode: "read" },
  ],
  hidden: ["/Users/a/work/.env"],
  system: ["/opt/homebrew"],
  scratch: "/private/tmp/run-1",
  profile: "tool",
};

const after = (text: string, first: string, second: string): boolean =>
  text.includes(first) && text.indexOf(second) > text.indexOf(first);

describe("the profile for macOS", () => {
  const profile = seatbeltProfile(walls);

  test("denies everything that it does not allow", () => {
    expect(profile.startsWith("(version 1)\n(deny default)\n")).toBe(true);
    expect(profile).not.toContain("(allow default)");
    expect(profile).not.toContain('(subpath "/Users/a")');
    expect(profile).not.toContain('(subpath "/")');
  });

  test("lets the listed be read, and written only where it was said", () => {
    const line = (start: string) => profile.split("\n").find((text) => text.startsWith(start));

    expect(line("(allow file-read*")).toContain('(subpath "/Users/a/work")');
    expect(line("(allow file-read*")).toContain('(subpath "/opt/homebrew")');
    expect(line("(allow file-write*")).toBe(
      '(allow file-write* (subpath "/Users/a/work") (subpath "/private/tmp/run-1"))',
    );
  });

  test("a folder to read in one to write stays one to read", () => {
    const deny = '(deny file-write* (subpath "/Users/a/work/vendor")';

    expect(after(profile, "(allow file-write*", deny)).toBe(true);
  });

  test("a folder to write in one to read can be written", () => {
    const nested = seatbeltProfile({
      ...walls,
      mounts: [
        { from: "/data", at: "/data", mode: "read" },
        { from: "/data/out", at: "/data/out", mode: "write" },
      ],
    });

    expect(
      after(
        nested,
        "(deny file-write*",
        '(allow file-write* (subpath "/data/out"))\n(deny file-write-setugid)',
      ),
    ).toBe(true);
  });

  test("what is hidden is denied after all that is allowed", () => {
    const hidden = '(deny file-read* file-write* (subpath "/Users/a/work/.env"))';

    expect(profile.indexOf(hidden)).toBeGreaterThan(profile.lastIndexOf("(allow file"));
  });

  test("a name with quotes cannot end its word", () => {
    expect(profile).toContain(String.raw`(subpath "/data/\"odd\\name")`);
  });

  test("there is no network, but the relay and its socket where there is a proxy", () => {
    const proxy = { port: 31_280, socket: "/private/tmp/p.sock" };
    const proxied = seatbeltProfile({ ...walls, proxy });

    expect(profile).toContain("(deny network*)");
    expect(profile).not.toContain("(allow network");
    expect(proxied).toContain('(allow network-outbound (remote ip "localhost:31280"))');
    expect(proxied).toContain('(allow network-outbound (literal "/private/tmp/p.sock"))');
    expect(seatbeltProfile({ ...walls, proxy, profile: "program" })).not.toContain(
      "(allow network",
    );
  });
});
