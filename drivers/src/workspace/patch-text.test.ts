// What a patch says is what happened: git reads it and makes the same of it.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_TEXT_BYTES, patchText, type Version } from "./patch-text.ts";

const file = (text: string | Buffer, mode = 0o644): Version => {
  const content = Buffer.from(text);
  return { kind: "file", mode, size: content.length, content };
};

const lines = fc
  .tuple(
    fc.array(fc.constantFrom("a", "b", "c", "", "é", "\t x", "\r"), { maxLength: 12 }),
    fc.boolean(),
  )
  .map(([list, isWhole]) => list.join("\n") + (isWhole && list.length > 0 ? "\n" : ""));

test("git applies it, and has the new file", () => {
  const folder = mkdtempSync(join(tmpdir(), "aos-patch-"));
  const check = (before: string, after: string) => {
    writeFileSync(join(folder, "f x"), before);
    const patch = patchText("f x", file(before), file(after));
    if (before !== after)
      execFileSync("git", ["apply", "--whitespace=nowarn", "-"], { cwd: folder, input: patch });
    expect(readFileSync(join(folder, "f x"), "utf8")).toBe(after);
  };
  try {
    fc.assert(fc.property(lines, lines, check), { numRuns: 25 });
    // Too different to look for what they share.
    const many = (word: string) =>
      Array.from({ length: 1500 }, (_, at) => `${word} ${at}\n`).join("");
    check(many("old"), many("new").trimEnd());
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("added, removed, made to run: as git says it", () => {
  expect(patchText("a", undefined, file("x\n"))).toBe(
    "diff --git a/a b/a\nnew file mode 100644\n--- /dev/null\n+++ b/a\n@@ -0,0 +1,1 @@\n+x\n",
  );
  expect(patchText("a", file("x\n"), undefined)).toContain(
    "deleted file mode 100644\n--- a/a\n+++ /dev/null",
  );
  expect(patchText("a", file("x"), file("x", 0o755))).toBe(
    "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n",
  );
});

test("a link is told by what it leads to, and another kind of thing by both", () => {
  const link: Version = { kind: "link", mode: 0o777, size: 0, content: Buffer.from("b") };

  expect(patchText("a", undefined, link)).toContain("new file mode 120000");
  expect(patchText("a", file("x\n"), link)).toMatch(
    /deleted file mode 100644[^]*new file mode 120000/,
  );
  expect(patchText("a", undefined, { kind: "folder", mode: 0o755, size: 0 })).toBeUndefined();
});

test("what is no text, or too long, is told by its size (PATCH-TEXT-1)", () => {
  for (const odd of [
    Buffer.from([0, 1]),
    Buffer.from([0xff, 0xfe]),
    Buffer.alloc(MAX_TEXT_BYTES + 1, "a"),
  ])
    expect(patchText("a", file("x"), file(odd))).toMatch(
      /Binary files .* differ \(1 bytes before, /,
    );
});

test("a name that could move the cursor is quoted", () => {
  expect(patchText('a"\u001b[2J\n', undefined, file("x"))).toContain('"b/a\\"\\033[2J\\012"');
});
