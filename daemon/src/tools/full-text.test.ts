import type { Tool } from "@aos/protocol";
import { expect, test } from "vitest";
import { searchText, stemmedWords } from "./full-text.ts";

const tool = (name: string, description: string, tags: readonly string[] = []): Tool => ({
  name,
  version: "1",
  description,
  tags,
  input: {},
  effect: "read",
  touches: () => [],
  run: async () => null,
});

const tools = [
  tool("document.convert", "Convert a document between formats.", ["pandoc"]),
  tool("file.read", "Read a text file."),
  tool("file.list", "List what is in a folder."),
  tool("media.convert", "Convert an audio or video file."),
];

const found = (words: string) => searchText(tools, words).map(({ name }) => name);

test("a word is found whatever its ending, and small words are none", () => {
  expect(stemmedWords("Converting the converted, converts; to convert")).toEqual(
    Array(4).fill("convert"),
  );
  expect(stemmedWords("is a of")).toEqual([]);
  expect(stemmedWords("red bus")).toEqual(["red", "bus"]);
});

test("FULL-TEXT-1: a rare word counts more than a common one", () => {
  expect(found("convert video")[0]).toBe("media.convert");
});

test("FULL-TEXT-1: a word of a name or a tag counts more than one of a description", () => {
  const both = [
    tool("a.b", "Something with lists and files."),
    tool("list.all", "Something else."),
  ];

  expect(searchText(both, "list").map(({ name }) => name)).toEqual(["list.all", "a.b"]);
  expect(found("pandoc")).toEqual(["document.convert"]);
});

test("FULL-TEXT-2: what has none of the words is not found", () => {
  expect(found("browser")).toEqual([]);
  expect(found("")).toEqual([]);
  expect(searchText([], "file")).toEqual([]);
});

test("how many of the words a tool has is said", () => {
  const [first] = searchText(tools, "video browser");

  expect(first).toMatchObject({ name: "media.convert", share: 0.5 });
});
