import type { JournalRecord } from "@aos/protocol/words";
import { expect, test } from "vitest";
import { callWords } from "./call-words.ts";

const record = (call: string, args: unknown) =>
  ({ kind: "intent", call, args }) as unknown as JournalRecord;

test.each([
  [
    "exec",
    { tool: "shell.execute", args: { command: ["npm", "test"] } },
    "runs shell.execute: npm test",
  ],
  ["exec", { tool: "file.read", args: { path: "/work/a" } }, "runs file.read: /work/a"],
  ["exec", { tool: "add", args: { a: 1 } }, "runs add"],
  ["infer", { model: "m" }, "asked the model m"],
  ["spawn", { agent: "helper" }, "starts helper"],
  ["spawn", { manifest: {} }, "starts another agent"],
  ["receive", {}, "waits for a message"],
  ["unknown", { x: 1 }, "unknown"],
])("%s %j reads: %s", (call, args, words) => {
  expect(callWords(record(call, args))).toBe(words);
});

test("a record that is no call is named by its kind", () => {
  expect(callWords({ kind: "crash" } as unknown as JournalRecord)).toBe("crash");
});
