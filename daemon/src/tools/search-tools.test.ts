import type { Tool } from "@aos/protocol";
import { expect, test } from "vitest";
import { createToolSearch, searchableText } from "./search-tools.ts";

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
  tool("file.remove", "Remove a file."),
  tool("http.send", "Send by post or delete."),
  tool("echo", "Return the arguments."),
  tool("git.log", "The last commits."),
];

/** Directions in a plane, by a word of the text; degrees. */
const meaningBy = (degrees: Readonly<Record<string, number>>) => ({
  of: async (texts: readonly string[]) =>
    texts.map((text) => {
      const word = Object.keys(degrees).find((one) => text.includes(one));
      const angle = ((degrees[word ?? ""] ?? 90) * Math.PI) / 180;
      return Float32Array.of(Math.cos(angle), Math.sin(angle));
    }),
});

const silent = () => {};

test("a tool is found by what is meant, without any of its words", async () => {
  const search = createToolSearch(meaningBy({ "throw away": 0, "file remove": 10 }), silent);

  const found = await search(tools, "throw away");

  expect(found).toEqual([
    { name: "file.remove", score: expect.any(Number), searchedBy: "words and meaning" },
  ]);
});

test("SEARCH-TOOLS-1: who knows the name finds that tool first", async () => {
  const search = createToolSearch(meaningBy({ "git.log": 0, "file remove": 5 }), silent);

  const found = await search(tools, "git.log");

  expect(found.map(({ name }) => name)).toEqual(["git.log", "file.remove"]);
});

test("SEARCH-TOOLS-2: what is meant by none is found by none: near and apart it has to be", async () => {
  const allFar = createToolSearch(meaningBy({ "throw away": 0, "file remove": 75 }), silent);
  const allAlike = createToolSearch(meaningBy({ "": 20 }), silent);

  expect(await allFar(tools, "throw away")).toEqual([]);
  expect(await allAlike(tools, "throw away")).toEqual([]);
});

test("both together put first what has both", async () => {
  const search = createToolSearch(meaningBy({ "delete something": 0, "file remove": 10 }), silent);

  const found = await search(tools, "delete something");

  expect(found.map(({ name }) => name).toSorted()).toEqual(["file.remove", "http.send"]);
});

test("SEARCH-TOOLS-3: without meanings the words decide, and it is said, and why", async () => {
  const troubles: unknown[] = [];
  const trouble = new Error("no model");
  const search = createToolSearch({ of: () => Promise.reject(trouble) }, (error) =>
    troubles.push(error),
  );

  expect(await search(tools, "delete")).toEqual([
    { name: "http.send", score: 1, searchedBy: "words" },
  ]);
  expect(await search(tools, "throw away")).toEqual([]);
  expect(troubles).toEqual([trouble, trouble]);
});

test("what a tool is about is its name, its tags and its first sentence", () => {
  const one = tool("file.read_many", "Read `several` files. Gives `files`.", ["file", "text"]);

  expect(searchableText(one)).toBe("file read many, file, text. Read several files.");
});
