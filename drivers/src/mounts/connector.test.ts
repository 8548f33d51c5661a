import { expect, test } from "vitest";
import { deviceContextForTest } from "../../../tests/helpers/drivers/device-context.ts";
import { connector, isPlainName, pageOfPaths } from "./connector.ts";

const never = () => new Promise<never>(() => {});

test("a driver that does not listen is left behind when its time is up, or the call is over", async () => {
  const hanging = (timeout: number) =>
    connector(
      {
        name: "x",
        declaredBy: "config.yaml",
        declaration: { driver: "folder", folder: "/x", timeout },
      },
      {
        target: "x",
        egress: false,
        covers: () => true,
        needs: () => [],
        list: never,
        read: never,
      },
    );
  const stop = new AbortController();
  const stopped = deviceContextForTest({ signal: stop.signal });

  const late = hanging(50).read({ call: "read", path: "a" }, deviceContextForTest());
  const over = hanging(600_000).read({ call: "read", path: "a" }, stopped);
  stop.abort(new Error("revoked"));

  // Both at once: a rejection that nobody waits for yet is an error outside any test.
  await Promise.all([
    expect(late).rejects.toMatchObject({ code: "ETIMEDOUT" }),
    expect(over).rejects.toThrow("revoked"),
  ]);
});

test("a mount is untrusted and internal unless its declaration says otherwise", () => {
  const parts = { target: "x", egress: false, covers: () => true, needs: () => [] };
  const labelOf = (more: object) =>
    connector(
      {
        name: "x",
        declaredBy: "config.yaml",
        declaration: { driver: "folder", folder: "/x", ...more },
      },
      { ...parts, list: never, read: never },
    ).label;

  expect(labelOf({})).toEqual({ integrity: "untrusted", secrecy: "internal" });
  expect(labelOf({ integrity: "trusted", secrecy: "secret" })).toEqual({
    integrity: "trusted",
    secrecy: "secret",
  });
});

test.each(["", ".", "..", "a/b", "a\\b", "a\nb", "\u0000", "e\u0301", "x".repeat(256)])(
  "%j is no name of a file",
  (name) => {
    expect(isPlainName(name)).toBe(false);
  },
);

test("a page ends at its limit and goes on after its cursor", () => {
  const paths = ["a", "b", "c"];

  expect(pageOfPaths(paths, { call: "list", path: "", limit: 2 })).toEqual({
    paths: ["a", "b"],
    next: "b",
  });
  expect(pageOfPaths(paths, { call: "list", path: "", limit: 2, cursor: "b" })).toEqual({
    paths: ["c"],
    next: null,
  });
});
