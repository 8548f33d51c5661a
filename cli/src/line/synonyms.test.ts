import { expect, test } from "vitest";
import { commands } from "../commands.ts";
import { readLine } from "./read-line.ts";
import { adviceFor, ownWords } from "./synonyms.ts";
import { namesOf } from "./shape.ts";

const meant = (typed: string) => ownWords(commands, typed.split(" "))?.join(" ");

test.each([
  ["agents", "agent ls"],
  ["agents ls", "agent ls"],
  ["agent list", "agent ls"],
  ["tools list -o json", "tool ls -o json"],
  ["tools -o json", "tool ls -o json"],
  ["list -a", "ps -a"],
  ["describe agt_1", "show agt_1"],
  ["inspect agt_1", "show agt_1"],
  ["approval", "approvals"],
  ["approval show q", "approvals show q"],
  ["secrets delete x", "secret rm x"],
  ["memory search x", "mem search x"],
  ["log agt_1 -f", "logs agt_1 -f"],
  ["tenant create x", "tenant add x"],
])("aos %s is aos %s", (typed, own) => {
  expect(meant(typed)).toBe(own);
});

test.each(["nonsense", "agent nonsense", "rm x", "exec x"])("aos %s is no command", (typed) => {
  expect(meant(typed)).toBeUndefined();
});

test("SYNONYMS-1: every command of ours is read as itself", () => {
  for (const row of commands) {
    const words = namesOf(row);
    const line = readLine(commands, [...words, "--help"]);
    expect(line).toMatchObject({ kind: "help", names: words });
  }
});

test.each(["rm", "exec", "start", "restart", "login"])(
  "SYNONYMS-2: aos %s is answered with the commands that we have",
  (word) => {
    const named = [...adviceFor(word)!.matchAll(/`aos ([a-z ]+?)(?: [A-Z]+)?`/g)].map(
      ([, name]) => name!,
    );

    expect(named.length).toBeGreaterThan(1);
    for (const name of named) expect(commands.map((row) => namesOf(row).join(" "))).toContain(name);
    expect(() => readLine(commands, [word, "x"])).toThrow(
      expect.objectContaining({ hint: expect.stringContaining("aos ") as string }),
    );
  },
);
