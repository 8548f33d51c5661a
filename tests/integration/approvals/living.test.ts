// What is given to an agent reaches its processes that live already: in memory, as rows, after a restart,
// and on another node.

import { bootKernel, type Kernel, type KernelOptions } from "@aos/kernel";
import type { Json, Sys, Tool } from "@aos/protocol";
import { afterAll, describe, expect, test } from "vitest";
import { bootForTest, codeOf, until } from "../../helpers/kernel.ts";
import { tryPostgres } from "../../helpers/postgres.ts";
import { openOf, policyOf } from "./asking.ts";

const PAY = ["tool:pay:call"];
const ASK = policyOf({ id: "ask-pay", ask: "tool:pay" });
const ALWAYS = { by: "ann", choice: "approve", always: true };

/** Pays bob whenever it is told to; says how often. */
const server = async (sys: Sys, input: Json): Promise<string[]> => {
  const codes: string[] = [];
  for (let times = 0; times < (input as number); times++) {
    await sys.receive();
    codes.push(await codeOf(sys.exec("pay", { to: "bob" })));
  }
  return codes;
};

const startServer = (kernel: Kernel, times: number, tenant?: string) =>
  kernel.spawn({
    agent: "server",
    capabilities: PAY,
    input: times,
    ...(tenant === undefined ? {} : { tenant }),
  });

const tell = async (kernel: Kernel, pid: string, times = 1) => {
  for (let time = 0; time < times; time++) await kernel.send(pid, "go");
};

const paidBy = async (kernel: Kernel, pid: string): Promise<boolean> =>
  (await kernel.journal(pid)).some((record) => record.kind === "outcome" && "ok" in record);

test.each([
  ["stay in memory", 60_000],
  ["are rows", 0],
])("always reaches the process that asked, and others that %s", async (_what, unloadAfterMs) => {
  const { kernel } = await bootForTest({ policy: ASK, programs: { server }, unloadAfterMs });
  const asker = await startServer(kernel, 6);
  const other = await startServer(kernel, 2);
  await tell(kernel, asker);
  const [question] = await openOf(kernel, 1);

  await kernel.answer(question!.id, ALWAYS);
  await tell(kernel, asker, 5);
  await tell(kernel, other, 2);

  expect((await kernel.wait(asker)).output).toEqual(Array(6).fill("ok"));
  expect((await kernel.wait(other)).output).toEqual(["ok", "ok"]);
  expect(await kernel.questions()).toEqual([]);
});

test("always reaches it after a crash, and not another tenant's agent of the same name", async () => {
  const tenants = { other: { ceiling: "none" as const } };
  const first = await bootForTest({ policy: ASK, programs: { server }, tenants });
  const asker = await startServer(first.kernel, 2);
  const theirs = await startServer(first.kernel, 1, "other");
  await tell(first.kernel, asker);
  const [question] = await openOf(first.kernel, 1);
  await first.kernel.answer(question!.id, ALWAYS);
  await until(() => paidBy(first.kernel, asker), "a first payment");

  const { kernel } = await first.crash();
  await tell(kernel, asker);
  await tell(kernel, theirs);

  expect((await kernel.wait(asker)).output).toEqual(["ok", "ok"]);
  const [left] = await openOf(kernel, 1);
  expect(left!.pid).toBe(theirs);
  await kernel.answer(left!.id, { by: "ann", choice: "deny" });
  await kernel.wait(theirs);
});

test("a grant to an agent reaches its living processes, and its end as well", async () => {
  const { kernel } = await bootForTest({ programs: { server }, policy: policyOf() });
  const spawn = () => kernel.spawn({ agent: "server", capabilities: ["tool:look:call"], input: 3 });
  const pid = await spawn();
  await tell(kernel, pid);
  const paidOnce = async () =>
    (await kernel.journal(pid)).filter((record) => record.kind === "call" && record.call === "exec")
      .length === 1;
  await until(paidOnce, "a first try");

  const given = await kernel.grant({ agent: "server" }, { capabilities: PAY, by: "ann" });
  const { holdings } = await kernel.power({ pid });
  await tell(kernel, pid);
  await until(() => paidBy(kernel, pid), "a second try");
  await kernel.revoke(given.handle, "ann");
  await tell(kernel, pid);

  expect(holdings.flatMap(({ capabilities }) => capabilities)).toContain("tool:pay:call");
  expect((await kernel.wait(pid)).output).toEqual(["EACCES", "ok", "EACCES"]);
});

test("an agent that was told always more often than a process can hold is asked, and nothing fails", async () => {
  const { kernel } = await bootForTest({ policy: ASK, programs: { server } });
  const pid = await startServer(kernel, 1);
  for (let nth = 0; nth < 70; nth++)
    await kernel.grant({ agent: "server" }, { capabilities: [`tool:look${nth}:call`], by: "ann" });
  await tell(kernel, pid);

  const [question] = await openOf(kernel, 1);
  await kernel.answer(question!.id, { by: "ann", choice: "approve" });
  expect((await kernel.wait(pid)).output).toEqual(["ok"]);
});

const postgres = await tryPostgres();
const missing = "missing" in postgres ? postgres.missing : undefined;

afterAll(async () => {
  if (!("missing" in postgres)) await postgres.stop();
});

describe.skipIf(missing !== undefined)(
  `two nodes${missing === undefined ? "" : `: ${missing}`}`,
  () => {
    test("always reaches living processes of the other node, in memory and as rows", async () => {
      if ("missing" in postgres) return;
      const { url } = await postgres.createDatabase();
      const pay: Tool = {
        name: "pay",
        version: "1",
        description: "pays",
        input: {},
        effect: "external",
        touches: () => [],
        label: { integrity: "trusted", secrecy: "public" },
        run: async () => "done",
      };
      const boot = (node: string, more: Partial<KernelOptions> = {}) =>
        bootKernel({
          store: { url },
          node,
          policy: ASK,
          tools: [pay],
          programs: { server },
          onTrouble: () => {},
          ...more,
        });
      const one = await boot("one");
      const two = await boot("two", { unloadAfterMs: 0 });
      try {
        const [asker, here] = [await startServer(one, 1), await startServer(one, 1)];
        const there = await startServer(two, 1);
        await tell(one, asker);
        const [question] = await openOf(one, 1);

        await two.answer(question!.id, ALWAYS);
        await tell(one, here);
        await tell(two, there);

        for (const [node, pid] of [
          [one, asker],
          [one, here],
          [two, there],
        ] as const)
          expect((await node.wait(pid)).output).toEqual(["ok"]);
        expect(await one.questions()).toEqual([]);
        expect((await one.verify()).findings).toEqual([]);
      } finally {
        await one.close();
        await two.close();
      }
    });
  },
);
