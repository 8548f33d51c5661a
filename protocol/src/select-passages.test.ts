import type { Found } from "./sys.ts";
import { expect, test } from "vitest";
import { selectPassages } from "./select-passages.ts";

const found = (
  path: string,
  text: string,
  score: number,
  more: Partial<Found> & { heading?: string; line?: number } = {},
): Found => {
  const { heading, line, ...rest } = more;
  return {
    path,
    data: text,
    score,
    passage: {
      text,
      ...(heading === undefined ? {} : { heading }),
      ...(line === undefined ? {} : { line }),
    },
    ...rest,
  };
};
const long = (word: string, tokens: number): string => word.repeat((tokens * 4) / word.length);

test("SELECT-1: the best come first, within the budget, and what does not fit is counted", () => {
  const all = [
    found("/a", long("aaaa", 60), 0.9),
    found("/b", long("bbbb", 60), 0.95),
    found("/c", long("cccc", 30), 0.85),
  ];

  const { passages, leftOut, tokens } = selectPassages(all, 100);

  expect(passages.map(({ n, path }) => [n, path])).toEqual([
    [1, "/b"],
    [2, "/c"],
  ]);
  expect(tokens).toBe(90);
  expect(leftOut).toEqual([{ reason: "budget", passages: 1, tokens: 60 }]);
});

test("SELECT-1: only the best passage is cut to fit", () => {
  const { passages } = selectPassages([found("/a", long("aaaa", 200), 0.9)], 50);

  expect(passages[0]!.tokens).toBeLessThanOrEqual(50);
  expect(passages[0]!.text.endsWith("…")).toBe(true);
});

test("SELECT-2: the same text is shown once", () => {
  const all = [found("/a", "the port is 8080", 0.9), found("/b", "the  port\nis 8080", 0.8)];

  const { passages, leftOut } = selectPassages(all, 1000);

  expect(passages).toHaveLength(1);
  expect(leftOut).toEqual([{ reason: "duplicate", passages: 1, tokens: 5 }]);
});

test("SELECT-3: passages that follow each other in a file are one, with their lines", () => {
  const all = [
    found("/a", "three\nfour", 0.8, { line: 3, heading: "A" }),
    found("/a", "one\ntwo", 0.9, { line: 1, heading: "A" }),
    found("/a", "six", 0.85, { line: 6 }),
    found("/b", "seven", 0.84, { line: 7 }),
  ];

  const { passages } = selectPassages(all, 1000);

  expect(passages.map(({ path, text, line, endLine }) => [path, text, line, endLine])).toEqual([
    ["/a", "one\ntwo\nthree\nfour\n\nsix", 1, 6],
    ["/b", "seven", 7, 7],
  ]);
});

test("SELECT-4: versions of one section are shown together, before what fits as well, and named", () => {
  const heading = "Gateway › Port";
  const all = [
    found("/v1/a.md", "the gateway listens on port 8080 by default", 0.95, { heading }),
    found("/other", long("filler ", 42), 0.94),
    found("/v2/a.md", "the gateway listens on port 9090 by default", 0.85, { heading }),
    found("/v3/b.md", "nothing in common here whatsoever", 0.84, { heading }),
  ];

  const { passages, conflicts } = selectPassages(all, 30);

  expect(passages.map(({ path }) => path)).toEqual(
    ["/v1/a.md", "/v2/a.md", "/v3/b.md"].slice(0, passages.length),
  );
  expect(conflicts).toEqual([{ heading, passages: [1, 2] }]);
});

test("declarations of the same name in other files are no versions", () => {
  const all = [
    found("/a/one.ts", "const command = async () => print(one)", 0.95, { heading: "command" }),
    found("/a/two.ts", "const command = async () => print(two)", 0.94, { heading: "command" }),
  ];

  expect(selectPassages(all, 1000).conflicts).toEqual([]);
});

test("SELECT-5: what fits much less well than the best is left out and counted", () => {
  const all = [
    found("/a", "the port", 0.98),
    found("/b", "a harbour", 0.93),
    found("/c", "a name", 0.6),
  ];

  const { passages, leftOut } = selectPassages(all, 1000);

  expect(passages.map(({ path }) => path)).toEqual(["/a", "/b"]);
  expect(leftOut).toEqual([{ reason: "weak", passages: 1, tokens: 2 }]);
  expect(selectPassages([], 1000)).toEqual({ passages: [], conflicts: [], leftOut: [], tokens: 0 });
});
