import { expect, test } from "vitest";
import { readLog, readStatus } from "./porcelain.ts";

test("what git says of a working tree, with names that have spaces", () => {
  const text = [
    "# branch.oid 1234",
    "# branch.head main",
    "# branch.upstream origin/main",
    "# branch.ab +2 -1",
    "1 .M N... 100644 100644 100644 aaa bbb src/a file.ts",
    "1 A. N... 000000 100644 100644 000 bbb new.ts",
    "2 R. N... 100644 100644 100644 aaa bbb R100 to.ts",
    "from.ts",
    "u UU N... 100644 100644 100644 100644 aaa bbb ccc both.ts",
    "? un tracked.txt",
    "",
  ].join("\0");
  expect(readStatus(text)).toEqual({
    branch: { name: "main", ahead: 2, behind: 1 },
    files: [
      { path: "src/a file.ts", unstaged: "modified" },
      { path: "new.ts", staged: "added" },
      { path: "to.ts", staged: "renamed", from: "from.ts" },
      { path: "both.ts", staged: "unmerged", unstaged: "unmerged" },
      { path: "un tracked.txt", unstaged: "untracked" },
    ],
  });
});

test("a log entry whose body has lines of its own", () => {
  const entry = (hash: string, body: string) =>
    [hash, "Ada", "ada@x", "2026-01-01T00:00:00Z", "Subject", body, "\u0001"].join("\0");
  expect(readLog(`${entry("h1", "one\n\ntwo\n")}\n${entry("h2", "")}\n`)).toEqual([
    {
      hash: "h1",
      author: "Ada <ada@x>",
      at: "2026-01-01T00:00:00Z",
      subject: "Subject",
      body: "one\n\ntwo",
    },
    { hash: "h2", author: "Ada <ada@x>", at: "2026-01-01T00:00:00Z", subject: "Subject", body: "" },
  ]);
  expect(readLog("")).toEqual([]);
});
