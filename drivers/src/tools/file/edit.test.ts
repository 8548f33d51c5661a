import { expect, test } from "vitest";
import { applyEdits } from "./edit.ts";

const edit = (text: string, ...edits: [old: string, by: string, all?: boolean][]) =>
  applyEdits(
    text,
    edits.map(([old, by, all = false]) => ({ old, new: by, all })),
  );

test("EDIT-1: a piece that is there once is replaced, whatever is in it", () => {
  expect(edit("a $& b", ["$&", "$1 $$"])).toBe("a $1 $$ b");
  expect(edit("one\ntwo\nthree\n", ["two\n", ""])).toBe("one\nthree\n");
});

test("EDIT-1: one that is there several times is refused, with the lines, unless all are meant", () => {
  expect(() => edit("x\ny\nx\n", ["x", "z"])).toThrow(
    "edit 1: the text to replace occurs 2 times, in lines 1, 3",
  );
  expect(edit("x\ny\nx\n", ["x", "z", true])).toBe("z\ny\nz\n");
});

test("EDIT-1: one that is not there is refused, also when all are meant", () => {
  for (const all of [false, true])
    expect(() => edit("abc", ["d", "e", all])).toThrow(
      "edit 1: the text to replace is not in the file",
    );
});

test("EDIT-2: each edit sees what the one before made, and one that does not fit undoes all", () => {
  expect(edit("a", ["a", "b"], ["b", "c"])).toBe("c");
  expect(() => edit("a", ["a", "b"], ["a", "c"])).toThrow("edit 2");
});

test("EDIT-3: line ends stay as they were", () => {
  expect(edit("a\r\nb\r\nc\r\n", ["a\nb", "x\ny"])).toBe("x\r\ny\r\nc\r\n");
  expect(edit("a\r\nb\nc", ["b\n", "x\n"])).toBe("a\r\nx\nc");
  expect(() => edit("a\r\nb\nc", ["a\nb", "x"])).toThrow("not in the file");
});

test("EDIT-4: a text that would grow beyond the limit is refused before it is made", () => {
  const text = "a".repeat(1_000_000);
  const by = "b".repeat(10_000); // ten billion characters, which no string can have

  const grow = () => applyEdits(text, [{ old: "a", new: by, all: true }], 2_000_000);

  expect(grow).toThrow("after edit 1 the file would have more than 2000000 characters");
});

test("EDIT-4: the limit holds after every edit, not only after the last", () => {
  const edits = [
    { old: "a", new: "a".repeat(100), all: true },
    { old: "a", new: "", all: true },
  ];

  expect(() => applyEdits("a".repeat(100), edits, 5000)).toThrow("after edit 1");
  expect(applyEdits("a".repeat(100), edits, 10_000)).toBe("");
});

test("EDIT-4: line ends that are put back count", () => {
  const edits = [{ old: "a\n", new: "\n".repeat(10), all: false }];

  expect(() => applyEdits("a\r\n", edits, 15)).toThrow("with its line ends");
  expect(applyEdits("a\r\n", edits, 20)).toBe("\r\n".repeat(10));
});
