import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { filePath, folderPath, isReservedPath } from "./path-text.ts";

const reason = (path: string): string | undefined =>
  filePath.safeParse(path).error?.issues[0]?.message;

const refused: [path: string, reason: string][] = [
  ["x", "absolute"],
  ["./x", "absolute"],
  ["../x", "absolute"],
  ["", "absolute"],
  ["~/x", "~"],
  ["file:///etc/passwd", "URL"],
  ["FILE:/etc/passwd", "URL"],
  ["/a/../x", "`..`"],
  ["/..", "`..`"],
  ["/a/..", "`..`"],
  ["/a/./x", "`.`"],
  ["/a//x", "empty"],
  ["//a", "empty"],
  ["/a/", "empty"],
  ["/", "folder"],
  ["/a\\b", "backslash"],
  ["/a\0b", "U+0000"],
  ["/a\nb", "U+000A"],
  ["/a\u001b[2Jb", "U+001B"],
  ["/a\u0085b", "U+0085"],
  ["/a\u202eb", "U+202E"],
  ["/a\u2066b", "U+2066"],
  ["/a\u200bb", "U+200B"],
  ["/a\u00adb", "U+00AD"],
  ["/a\u00a0b", "U+00A0"],
  ["/a\ufe0fb", "U+FE0F"],
  ["/a\u{e0041}b", "U+E0041"],
  ["/a\ud800b", "U+D800"],
  ["/a\udc00", "U+DC00"],
  ["/proc/self/cwd/passwd", "without regular files"],
  ["/sys/kernel/x", "without regular files"],
  ["/dev/null", "without regular files"],
  ["/dev", "without regular files"],
  [`/${"a".repeat(256)}`, "255 bytes"],
  [`/${"é".repeat(128)}`, "255 bytes"],
  [`/${"a/".repeat(3000)}a`, "4096"],
];

describe("a path", () => {
  test.each(refused)("%j is refused with its reason", (path, why) => {
    expect(reason(path)).toContain(why);
  });

  test.each([
    "/a",
    "/work/.env",
    "/work/a b",
    "/work/~",
    "/work/..a",
    "/work/...",
    "/work/%2e%2e/x",
    "/work/．．/x",
    "/procedure",
    "/devices/x",
    `/${"a".repeat(255)}`,
    "/work/naïve-日本語-😀",
  ])("PATH-TEXT-4: %j is an ordinary name", (path) => {
    expect(filePath.parse(path)).toBe(path);
  });

  test("PATH-TEXT-3: is in normal form C before anything else sees it", () => {
    expect(filePath.parse("/work/cafe\u0301")).toBe("/work/caf\u00e9");
  });

  test("the top is a folder, and not a file", () => {
    expect(folderPath.parse("/")).toBe("/");
    expect(folderPath.safeParse("/..").success).toBe(false);
  });

  test("PATH-TEXT-1: what is taken has the same parts however it is read", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", ".", "..", "", "b c", "\\", "%2e")), (parts) => {
        const path = `/${parts.join("/")}`;
        const taken = filePath.safeParse(path);
        if (taken.success)
          expect(new URL(`file://${encodeURI(path)}`).pathname).toBe(encodeURI(path));
      }),
    );
  });

  test("a place is itself and what is below it", () => {
    expect(["/proc", "/proc/1", "/dev/shm/x"].every(isReservedPath)).toBe(true);
    expect(["/process", "/work/proc", "/"].some(isReservedPath)).toBe(false);
  });
});
