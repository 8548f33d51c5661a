// What anybody may ingest, or say in a run, is indexed in the daemon: no text of a megabyte may hold it up.

import { expect, test } from "vitest";
import { memoryContentOf } from "./content.ts";
import { IndexSegment } from "./segment.ts";

const MANY = 200_000;

test.each<[string, string]>([
  ["a heading of spaces", `# a${" ".repeat(MANY)}b`],
  ["a heading of signs", `# a${" #".repeat(MANY)} b`],
  ["question marks", `${"? ".repeat(MANY)}x`],
  ["one paragraph", "word ".repeat(MANY)],
  ["one word", "x".repeat(MANY)],
  ["digits", "1".repeat(MANY)],
  ["dates", "1 May, ".repeat(MANY / 4)],
  ["capitals", "Aa ".repeat(MANY)],
  ["list signs", "- \n".repeat(MANY)],
  ["fences", "```\n".repeat(MANY)],
  ["names", `Ada${" .'-".repeat(MANY / 4)}: x`],
])("SPLIT-2: %s take linear time, and no passage is long", (_what, text) => {
  const segment = new IndexSegment();
  for (const [path, data] of [
    ["/mem/shared/x/a.md", text],
    ["/mem/shared/x/b", { source: { file: "b.md" }, text }],
    ["/mem/shared/x/c", { speaker: "Ada", text }],
  ] as const) {
    const content = memoryContentOf(path, data);
    segment.put({ path, content, writtenAt: 0, writer: "", label: "" });
    if (content.kind === "document")
      for (const passage of content.passages) expect(passage.text.length).toBeLessThan(5000);
  }
});
