import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AGENT_ROOT, isIn, toAgent, toMachine } from "./mapping.ts";

const ROOT = "/var/lib/aos/work/agt_1/files";

const part = fc
  .oneof(
    fc.string({ minLength: 1, maxLength: 12 }),
    fc.constantFrom("work", "files", "...", "~", "%2e%2e", "a b", "\n", "ﬁ", "aos", "var"),
  )
  .filter((text) => !/[/\0]/.test(text) && text !== "." && text !== "..");
const parts = fc.array(part, { maxLength: 6 });
const inWork = parts.map((list) => [AGENT_ROOT, ...list].join("/"));
const root = fc.oneof(
  fc.constant(ROOT),
  fc.constant("/work/aos/work/agt_1/files"),
  fc.array(part, { minLength: 1, maxLength: 4 }).map((list) => `/${list.join("/")}`),
);

describe("what agents call a file and what the machine calls it", () => {
  test("a path in /work is in the workspace's folder (MAPPING-1), and comes back letter by letter (MAPPING-2)", () => {
    fc.assert(
      fc.property(root, inWork, (root, path) => {
        const real = toMachine(root, path);

        expect(isIn(root, real)).toBe(true);
        expect(toAgent(root, real)).toBe(path);
      }),
    );
  });

  test("no text at all leads from /work to outside of the folder", () => {
    const wild = fc.array(fc.constantFrom("..", ".", "", "a", "work", "\0", "/", "//"), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(wild, (list) => {
        const path = `${AGENT_ROOT}/${list.join("/")}`;
        let real: string;
        try {
          real = toMachine(ROOT, path);
        } catch (error) {
          expect(error).toMatchObject({ code: "EINVAL" });
          return;
        }
        expect(new URL(`file://${real}`).pathname.startsWith(ROOT)).toBe(true);
        expect(real.split("/")).not.toContain("..");
      }),
    );
  });

  test.each(["/work/..", "/work/../etc/passwd", "/work/./a", "/work//a", "/work/a/", "work/a", ""])(
    "%j is refused: two spellings of one file would be two answers",
    (path) => {
      expect(() => toMachine(ROOT, path)).toThrow(expect.objectContaining({ code: "EINVAL" }));
      expect(() => toAgent(ROOT, path)).toThrow(expect.objectContaining({ code: "EINVAL" }));
    },
  );

  test("what is not in /work has one name", () => {
    expect(toMachine(ROOT, "/data/a")).toBe("/data/a");
    expect(toAgent(ROOT, "/data/a")).toBe("/data/a");
    expect(toMachine(ROOT, "/workshop/a")).toBe("/workshop/a");
  });

  test("the machine's own /work has no name (MAPPING-3)", () => {
    expect(() => toAgent(ROOT, "/work/a")).toThrow(expect.objectContaining({ code: "EACCES" }));
    expect(() => toAgent(ROOT, "/work")).toThrow(expect.objectContaining({ code: "EACCES" }));
  });

  test("a folder beside the workspace, whose name begins alike, is not in it", () => {
    expect(toAgent(ROOT, `${ROOT}2/a`)).toBe(`${ROOT}2/a`);
  });

  test("the whole machine is no workspace", () => {
    expect(() => toMachine("/", "/work/a")).toThrow(expect.objectContaining({ code: "EINVAL" }));
  });
});
