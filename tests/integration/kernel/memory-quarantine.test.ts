// Facts that an untrusted process wrote (HANDLER-FILES-1).

import { expect, test } from "vitest";
import type { Json, Sys } from "@aos/protocol";
import type { Kernel } from "@aos/kernel";
import { bootForTest } from "../../helpers/kernel.ts";

const ALL = ["memory:/mem/**:*", "memory:/mem/agents/**:*"];
const UNTRUSTED = { integrity: "untrusted", secrecy: "public" } as const;
const LONG = "/mem/agents/keeper/semantic/planted";

interface Task {
  readonly write?: string;
  readonly at?: string;
  readonly search?: string;
  readonly label?: "trusted" | "mixed" | "untrusted";
}

const keeper = async (sys: Sys, input: Json) => {
  const { write, at = "/mem/semantic/planted", search = "/mem/semantic", label } = input as Task;
  if (write !== undefined) await sys.write(at, write);
  const found = await sys.search(search, "account", label === undefined ? {} : { label });
  return found.map(({ path, label: of }) => [path, of]);
};

const run = async (
  kernel: Kernel,
  input: Task,
  { isRed = false, agent = "keeper" } = {},
): Promise<Json> => {
  const how = isRed ? { label: UNTRUSTED } : {};
  const pid = await kernel.spawn({ agent, input: input as Json, capabilities: ALL, ...how });
  const { output, error } = await kernel.wait(pid);
  expect(error).toBeNull();
  return output;
};

const boot = async () => (await bootForTest({ programs: { keeper, person: keeper } })).kernel;

test("what an untrusted run makes a fact is found by no search, of this run, the next, or another agent", async () => {
  const kernel = await boot();

  const itself = await run(kernel, { write: "the account is mallory's" }, { isRed: true });

  expect(itself).toEqual([]);
  expect(await run(kernel, {})).toEqual([]);
  const other = { search: "/mem/agents/keeper/semantic" };
  expect(await run(kernel, other, { agent: "person" })).toEqual([]);
});

test("the write says so, and that of a trusted run or to another place does not", async () => {
  const keeps = (sys: Sys, path: Json) =>
    sys.write(path as string, "x") as Promise<unknown> as Promise<Json>;
  const { kernel } = await bootForTest({ programs: { keeps } });
  const wrote = async (input: string, how = {}) =>
    (await kernel.wait(await kernel.spawn({ agent: "keeps", input, capabilities: ALL, ...how })))
      .output;

  expect(await wrote("/mem/semantic/a", { label: UNTRUSTED })).toEqual({ quarantined: true });
  expect(await wrote("/mem/agents/keeps/semantic/a", { label: UNTRUSTED })).toEqual({
    quarantined: true,
  });
  expect(await wrote("/mem/semantic/b")).toBeNull();
  expect(await wrote("/mem/shared/a", { label: UNTRUSTED })).toBeNull();
});

test("it is found by who asks for untrusted facts, and is shown as such", async () => {
  const kernel = await boot();
  await run(kernel, { write: "the account is mallory's" }, { isRed: true });

  const found = await run(kernel, { label: "untrusted" });

  expect(found).toEqual([["/mem/semantic/planted", "untrusted/public"]]);
});

test("once a person has written it, it is found as trusted", async () => {
  const kernel = await boot();
  await run(kernel, { write: "the account is CH93" }, { isRed: true });

  await run(kernel, { write: "the account is CH93", at: LONG }, { agent: "person" });

  expect(await run(kernel, {})).toEqual([["/mem/semantic/planted", "trusted/public"]]);
});

test("only facts are in quarantine: experience and shared files are found with their label", async () => {
  const kernel = await boot();
  const places = ["/mem/episodic", "/mem/shared"];

  for (const search of places) {
    const at = `${search}/a`;
    const found = await run(kernel, { write: "the account failed", at, search }, { isRed: true });
    expect(found).toEqual([[at, "untrusted/public"]]);
  }
});
