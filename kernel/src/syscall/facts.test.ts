import type { Json, SyscallName } from "@aos/protocol";
import { expect, test } from "vitest";
import { look, needsFacts } from "./facts.ts";
import { devicesOf, processOf } from "../../../tests/helpers/kernel/process.ts";

const RED = { integrity: "untrusted", secrecy: "public" } as const;
const GREEN = { integrity: "trusted", secrecy: "public" } as const;

/** What is looked up for it, as text. */
async function lookedUp(name: SyscallName, args: Json): Promise<string[]> {
  const asked: string[] = [];
  const note = (what: string, found: unknown) => async (_of: unknown, which: string) => {
    asked.push(`${what} ${which}`);
    return found as never;
  };
  const process = processOf({ label: RED });
  process.streams.set(3, { path: "/mem/open", mode: "append", offset: 0 });
  const store = { standing: note("standing", ["grant"]) };
  const devices = {
    isPlugged: (tool: string) => tool === "look",
    prepare: () => note("provider", undefined)(null, "of the project"),
  };
  const facts = await look(
    {
      devices: devices as never,
      journal: { store } as never,
      files: { peek: note("file", "row") } as never,
      find: note("process", "target"),
    },
    process,
    { name, args },
  );
  return [...asked, ...Object.entries(facts).map(([fact, found]) => `${fact}=${String(found)}`)];
}

test.each<[SyscallName, Json, string[]]>([
  ["wait", { pid: "agt_9" }, ["process agt_9", "target=target"]],
  ["signal", { pid: "agt_9" }, ["process agt_9", "target=target"]],
  ["send", { to: "agt_9", pid: "agt_8" }, ["process agt_9", "target=target"]],
  ["request", { to: "agt_9" }, ["process agt_9", "target=target"]],
  ["grant", { to: "agt_9" }, ["process agt_9", "target=target"]],
  ["wait", { pid: "someone" }, []],
  ["wait", { pid: 9 }, []],
  ["wait", null, []],
  ["send", {}, []],
  ["receive", { from: "agt_9", pid: "agt_9", to: "agt_9" }, []],
  ["spawn", { agent: "helper", path: "/mem/a" }, ["standing helper", "standing=grant"]],
  ["spawn", { agent: 7 }, []],
  ["exec", { tool: "look", agent: "helper", path: "/mem/a", pid: "agt_9" }, []],
  ["exec", { tool: "far", agent: "helper" }, ["provider of the project"]],
  ["exec", { tool: 5 }, ["provider of the project"]],
  ["exec", null, ["provider of the project"]],
  ["infer", { tool: "far", agent: "helper" }, []],
  ["write", { path: "/mem/a", agent: "x" }, ["file /mem/a", "replaced=row"]],
  ["remove", { path: "/mem/a" }, ["file /mem/a", "replaced=row"]],
  ["write", { fd: 3 }, ["file /mem/open", "replaced=row"]],
  ["write", { fd: 4 }, []],
  ["write", { path: 5 }, []],
  ["write", null, []],
  ["read", { path: "/mem/a" }, []],
])("%s %j looks up %j", async (name, args, expected) => {
  expect(await lookedUp(name, args)).toEqual(expected);
});

test("who is trusted replaces nothing that is more trusted, and need not look", () => {
  const needs = (name: SyscallName, label: typeof RED | typeof GREEN) =>
    needsFacts(processOf({ label }), { name, args: { tool: "look" } }, devicesOf());

  for (const name of ["write", "remove"] as const)
    expect([needs(name, GREEN), needs(name, RED)]).toEqual([false, true]);
  for (const name of ["spawn", "wait", "signal", "send", "request", "grant"] as const)
    expect([needs(name, GREEN), needs(name, RED)]).toEqual([true, true]);
  for (const name of ["read", "exec", "infer", "receive"] as const)
    expect([needs(name, GREEN), needs(name, RED)]).toEqual([false, false]);
});

test("a tool that is not there from the start may have to be got ready", () => {
  const needs = (args: Json) => needsFacts(processOf({}), { name: "exec", args }, devicesOf());

  expect([needs({ tool: "look" }), needs({ tool: "far" }), needs({}), needs(null)]).toEqual([
    false,
    true,
    true,
    true,
  ]);
});
