// The ceiling of a tenant, and people: no approval, "always" or yes to a proposal reaches past it.

import { bootKernel } from "@aos/kernel";
import type { Json, Sys, SysError, Tool } from "@aos/protocol";
import { expect, onTestFinished, test } from "vitest";
import { until } from "../../helpers/kernel.ts";
import { policyOf } from "../approvals/asking.ts";

const CEILING = ["tool:look:call", "tool:set:call", "message:*:receive"];
const ALL = ["tool:*:call", "message:*:receive"];

const codeAnd = (call: Promise<unknown>): Promise<Json> =>
  call.then(
    () => "ok",
    ({ code, message }: SysError) => `${code} ${message}`,
  );

const programs = {
  /** Proposes what it lacks, and then tries it. */
  proposes: async (sys: Sys) => {
    const answer = await sys.ask("may I pay?", { propose: ["tool:pay:call"] });
    return [answer, await codeAnd(sys.exec("pay", {}))];
  },
  sets: async (sys: Sys) => codeAnd(sys.exec("set", {})),
  setsTwice: async (sys: Sys) => {
    const first = await codeAnd(sys.exec("set", {}));
    await sys.receive();
    return [first, await codeAnd(sys.exec("set", {}))];
  },
  pays: async (sys: Sys) => codeAnd(sys.exec("pay", {})),
} as never;

/** Not `bootForTest`: its reference of the gate knows a ceiling only as it is at the end. */
async function boot() {
  const runs: string[] = [];
  const tool = (name: string): Tool => ({
    name,
    version: "1",
    description: "a fake",
    effect: "external",
    input: {},
    touches: () => [],
    run: async () => {
      runs.push(name);
      return null;
    },
  });
  const kernel = await bootKernel({
    programs,
    tools: ["look", "set", "pay"].map(tool),
    policy: policyOf({ id: "ask-set", ask: "tool:set" }, { id: "ask-pay", ask: "tool:pay" }),
    onTrouble: () => {},
  });
  onTestFinished(() => kernel.close());
  return { kernel, runs };
}

type Kernel = Awaited<ReturnType<typeof boot>>["kernel"];

async function open(kernel: Kernel, pid: string): Promise<string> {
  await until(async () => (await kernel.questions({ pid })).length === 1, "the question");
  return (await kernel.questions({ pid }))[0]!.id;
}

const tenanted = async () => {
  const booted = await boot();
  await booted.kernel.addTenant("acme", { ceiling: CEILING }, "op");
  return booted;
};
const OVER = /^EACCES .*the ceiling of tenant acme, set by the operator/;

test("a yes to a proposal gives nothing that the ceiling does not cover", async () => {
  const { kernel, runs } = await tenanted();
  const pid = await kernel.spawn({ agent: "proposes", capabilities: ALL, tenant: "acme" });

  const id = await open(kernel, pid).catch(() => undefined);
  if (id !== undefined) await kernel.answer(id, { by: "ann", choice: "approve" });
  const { output } = await kernel.wait(pid);

  expect((output as string[])[1]).toMatch(OVER);
  expect(runs).toEqual([]);
});

test("what is over the ceiling is refused before anybody is asked", async () => {
  const { kernel } = await tenanted();
  const pid = await kernel.spawn({ agent: "pays", capabilities: ALL, tenant: "acme" });

  expect((await kernel.wait(pid)).output).toMatch(OVER);
  expect(await kernel.questions()).toEqual([]);
});

test('an "always" ends with the ceiling that covered it', async () => {
  const { kernel, runs } = await tenanted();
  const spawn = () => kernel.spawn({ agent: "setsTwice", capabilities: ALL, tenant: "acme" });
  const first = await spawn();
  await kernel.answer(await open(kernel, first), { by: "ann", choice: "approve", always: true });
  const second = await spawn();
  await until(() => runs.length === 2, "the second, without a question");

  await kernel.setTenant("acme", { remove: ["tool:set:call"] }, "op");
  for (const pid of [first, second]) await kernel.send(pid, "go");

  for (const pid of [first, second])
    expect((await kernel.wait(pid)).output).toEqual(["ok", expect.stringMatching(OVER)]);
  expect(runs.length).toBe(2);
});

test("a yes that comes after the ceiling was lowered starts nothing", async () => {
  const { kernel, runs } = await tenanted();
  const pid = await kernel.spawn({ agent: "sets", capabilities: ALL, tenant: "acme" });
  const id = await open(kernel, pid);

  await kernel.setTenant("acme", { remove: ["tool:set:call"] }, "op");
  await kernel.answer(id, { by: "ann", choice: "approve" }).catch(() => {});

  expect((await kernel.wait(pid)).output).toMatch(OVER);
  expect(runs).toEqual([]);
});
