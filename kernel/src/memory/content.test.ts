import { expect, test } from "vitest";
import { array, assert, jsonValue, property, stringMatching } from "fast-check";
import type { Json } from "@aos/protocol";
import { memoryContentOf } from "./content.ts";
import { splitCode } from "./split-code.ts";
import { splitDocument } from "./split-text.ts";

test("a turn of a dialogue has its author and its day", () => {
  expect(
    memoryContentOf("/mem/shared/log/3", { speaker: "Ada", text: "We ship", date: "2026-03-04" }),
  ).toEqual({
    kind: "dialogue",
    passages: [{ author: "Ada", text: "We ship", day: 20260304 }],
  });
  expect(memoryContentOf("/mem/shared/log/3", "Ada: We ship").passages[0]).toMatchObject({
    author: "Ada",
  });
});

test("a list of messages is split into turns", () => {
  const data = [
    { role: "user", content: "Which port?" },
    { role: "assistant", content: "9443." },
  ];

  const { kind, passages } = memoryContentOf("/mem/shared/chat", data);

  expect(kind).toBe("dialogue");
  expect(passages.map(({ author }) => author)).toEqual(["user", "assistant"]);
});

test("a document is split by headings, outside of code blocks", () => {
  const text = "# A\none\n## B\ntwo\n```sh\n# no heading\n```\n## C\nthree";

  expect(splitDocument(text).map(({ head, line }) => [head, line])).toEqual([
    ["A", 1],
    ["A › B", 3],
    ["A › C", 8],
  ]);
});

test("source is split by declarations, each with its comment", () => {
  const [header, open, close] = splitCode(
    "// Doors.\n\n/** Opens it. */\nexport function open() {}\n\nexport class Closer {\n  close() {}\n}\n",
  );

  expect(header).toMatchObject({ text: "// Doors.", line: 1 });
  expect(open).toMatchObject({ head: "open", line: 3 });
  expect(close).toMatchObject({ head: "Closer close", line: 6 });
});

test("an episode is known by what it has", () => {
  expect(memoryContentOf("/mem/episodic/1", { goal: "deploy", outcome: "bad" }).kind).toBe(
    "episode",
  );
});

test("SPLIT-1: no word of a document is lost, whatever its length", () => {
  assert(
    property(array(stringMatching(/^[a-z #|-]{0,400}$/), { maxLength: 30 }), (lines) => {
      const text = lines.join("\n\n");
      const words = (one: string) => one.split(/\s+/).filter(Boolean);

      expect(splitDocument(text).flatMap((one) => words(one.text))).toEqual(words(text));
    }),
  );
});

test("MEMORY-CONTENT-2: any data has a passage", () => {
  assert(
    property(jsonValue(), (data) => {
      expect(memoryContentOf("/mem/shared/x", data as Json).passages.length).toBeGreaterThan(0);
    }),
  );
});
