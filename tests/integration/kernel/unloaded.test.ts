// What is asked about a process has one answer, whether the process is in memory or not
// (process/recorded-state.ts RECORDED-STATE-1, inspection/inspected-process.ts INSPECTED-1, inspection/listing.ts LISTING-1).

import type { Kernel } from "@aos/kernel";
import type { Json, ProcessState, Sys, Tool } from "@aos/protocol";
import { expect, test } from "vitest";
import { allowBut } from "../../helpers/policy.ts";
import { bootForTest, codeOf, TOOLS, until } from "../../helpers/kernel.ts";

const mail: Tool = {
  name: "mail",
  effect: "read",
  version: "1",
  description: "brings what strangers wrote",
  input: {},
  label: { integrity: "untrusted", secrecy: "confidential" },
  touches: () => [],
  run: async () => "hello",
};

const CALLS: readonly (readonly [string, Json])[] = [
  ["exec", { tool: "look", args: {} }],
  ["exec", { tool: "pay", args: {} }],
  ["infer", { model: "fake/one", messages: [{ role: "user", content: "?" }] }],
  ["spawn", { agent: "child", input: null }],
  ["write", { fd: 3, data: "more" }],
  ["write", { path: "/mem/working/note", data: "x" }],
  ["send", { to: "operator", body: 1, replyTo: "msg_1" }],
];

const programs = {
  child: async (sys: Sys) => (await sys.receive()).body,
  /** Has read a stranger's words, and waits for a message. */
  reader: async (sys: Sys) => {
    await sys.exec("mail", {});
    return (await sys.receive()).body;
  },
  /** The same, and cut its journal since. */
  kept: async (sys: Sys, _input: Json, state?: Json) => {
    if (state === undefined) {
      await sys.exec("mail", {});
      await sys.checkpoint({ at: 1 });
    }
    await sys.now();
    return (await sys.receive()).body;
  },
  /** Waits for a person, about the call that is dangerous after those words. */
  payer: async (sys: Sys) => {
    await sys.exec("mail", {});
    return codeOf(sys.exec("pay", {}));
  },
  sleeper: async (sys: Sys) => {
    await sys.infer({ model: "fake/one", messages: [{ role: "user", content: "hi" }] });
    await sys.sleep((await sys.now()) + 3_600_000);
    return "late";
  },
  /** Its tree is full. */
  parent: async (sys: Sys) => {
    const pid = await sys.spawn("child", null);
    return (await sys.wait(pid)).output;
  },
  writer: async (sys: Sys) => {
    await sys.write("/mem/working/log", "a");
    await sys.open("/mem/working/log", "append");
    return (await sys.receive()).body;
  },
};

const options = {
  programs,
  tools: [mail],
  limits: { treeProcesses: 2 },
};

const CAPABILITIES = [
  ...TOOLS,
  "tool:mail:call",
  "model:fake/*:infer",
  "agent:child:spawn",
  "memory:/mem/working/**:read,write",
];

async function answersAbout(kernel: Kernel, pid: string): Promise<unknown> {
  const said = async (asked: Promise<unknown>) =>
    asked.catch((error: { code?: string; message: string }) => `${error.code} ${error.message}`);
  const checks: unknown[] = [];
  for (const [call, args] of CALLS) checks.push([call, await kernel.check(pid, call, args)]);
  const states: readonly ProcessState[] = ["pending", "running", "waiting", "paused"];
  const listed: unknown[] = [];
  for (const state of states)
    listed.push([state, (await kernel.list({ states: [state] })).map((one) => one.pid)]);
  return {
    checks,
    listed,
    show: await kernel.show(pid),
    power: await kernel.power({ pid }),
    why: await said(kernel.why(pid)),
    causes: await said(kernel.causes(pid)),
    moment: await said(kernel.moment(pid)),
    context: await said(kernel.context(pid)),
    cost: await kernel.cost({ pid }),
    states: (await kernel.status()).states,
    questions: (await kernel.questions()).filter((question) => question.pid === pid),
  };
}

/** So many wait, and none of them is in memory. */
async function haveLeft(kernel: Kernel, count: number): Promise<boolean> {
  const { loaded, states } = await kernel.status();
  return loaded === 0 && states.waiting === count;
}

test("every question about a process has the same answer loaded, unloaded and after a restart", async () => {
  const loaded = await bootForTest({ ...options, unloadAfterMs: 3_600_000 });
  const pids: string[] = [];
  for (const agent of ["reader", "kept", "payer", "sleeper", "parent"])
    pids.push(await loaded.kernel.spawn({ agent, capabilities: CAPABILITIES }));
  // It has used up what it may write: one more write to its stream is refused, if the stream is known.
  const twice = ["memory:/mem/working/**:write{max:2}"];
  pids.push(await loaded.kernel.spawn({ agent: "writer", capabilities: twice }));
  const allWait = async (kernel: Kernel) =>
    (await kernel.list({ states: ["waiting"] })).length === pids.length + 1;
  await until(() => allWait(loaded.kernel), "everybody to wait");
  expect((await loaded.kernel.status()).loaded).toBe(pids.length + 1);
  const inMemory = await Promise.all(pids.map((pid) => answersAbout(loaded.kernel, pid)));

  const leaving = await loaded.again({ unloadAfterMs: 0 });
  await until(() => haveLeft(leaving.kernel, pids.length + 1), "everybody to leave");
  const asRows = await Promise.all(pids.map((pid) => answersAbout(leaving.kernel, pid)));
  const again = await leaving.again({ unloadAfterMs: 0 });
  await until(() => haveLeft(again.kernel, pids.length + 1), "nobody to be loaded");
  const afterwards = await Promise.all(pids.map((pid) => answersAbout(again.kernel, pid)));

  expect(withoutTime(asRows)).toEqual(withoutTime(inMemory));
  expect(withoutTime(afterwards)).toEqual(withoutTime(inMemory));
  const checks = (inMemory[0] as { checks: [string, { allow: boolean }][] }).checks;
  expect(checks[1]).toMatchObject(["exec", { allow: false, code: "EDENIED" }]);
  expect((await again.kernel.show(pids[0]!)).labels.integrity).toBe("untrusted");
});

/** A report says when it was made. */
const withoutTime = (answers: unknown): unknown =>
  JSON.parse(
    JSON.stringify(answers, (name, value: unknown) => (name === "until" ? undefined : value)),
  );

test("one that waits is listed as waiting from the first moment, and one that runs is not", async () => {
  const { kernel } = await bootForTest({ ...options, unloadAfterMs: 3_600_000 });
  const waiting = await kernel.spawn({ agent: "child" });

  await until(async () => (await kernel.show(waiting)).state === "waiting", "the wait");

  expect((await kernel.list({ states: ["waiting"] })).map(({ pid }) => pid)).toEqual([waiting]);
  expect(await kernel.list({ states: ["running"] })).toEqual([]);
  expect((await kernel.status()).states).toEqual({ waiting: 1 });
  expect((await kernel.list({ states: ["waiting"], limit: 1 })).length).toBe(1);
});

test("a mark that a waiting call has put on its process is still there when that has left memory", async () => {
  const loaded = await bootForTest({
    ...options,
    unloadAfterMs: 3_600_000,
    policy: allowBut({ id: "heard", after: "receive", deny: "tool:pay" }),
  });
  const pid = await loaded.kernel.spawn({ agent: "child", capabilities: TOOLS });
  await until(async () => (await loaded.kernel.show(pid)).state === "waiting", "the wait");
  const pay = (kernel: Kernel) => kernel.check(pid, "exec", { tool: "pay", args: {} });
  const inMemory = await pay(loaded.kernel);

  const { kernel } = await loaded.again({ unloadAfterMs: 0 });
  await until(() => haveLeft(kernel, 1), "it to leave");

  expect(inMemory).toMatchObject({ allow: false, code: "EPOLICY" });
  expect(await pay(kernel)).toEqual(inMemory);
  expect((await kernel.show(pid)).labels.tags).toEqual(["test.heard"]);
});
