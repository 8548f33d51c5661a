import { expect, test } from "vitest";
import { readSlash, slashHelp } from "./slash-command.ts";

test.each([
  ["hello", { kind: "message", text: "hello", files: [] }],
  ["//etc", { kind: "message", text: "/etc", files: [] }],
  ["/attach a.png what is it", { kind: "message", text: "what is it", files: ["a.png"] }],
  ["/help", { kind: "help" }],
  ["/quit", { kind: "leave" }],
  ["/end", { kind: "end" }],
  ["/why", { kind: "why" }],
  ["/nonsense", { kind: "unknown", name: "/nonsense" }],
  ["/attach", { kind: "unknown", name: "/attach" }],
])("what is typed is read: %s", (typed, command) => {
  expect(readSlash(typed)).toEqual(command);
});

test("the help names the commands", () => {
  for (const name of ["/attach", "/status", "/why", "/quit", "/end"])
    expect(slashHelp).toContain(name);
});
