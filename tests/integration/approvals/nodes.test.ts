// Two nodes on one PostgreSQL: a vote may come to either of them.

import { bootKernel, type Kernel, type KernelOptions } from "@aos/kernel";
import type { Tool } from "@aos/protocol";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { codeOf, until } from "../../helpers/kernel.ts";
import { tryPostgres } from "../../helpers/postgres.ts";
import { checked } from "../../helpers/reference.ts";
import { openOf, payer, policyOf } from "./asking.ts";

const server = await tryPostgres();
const missing = "missing" in server ? server.missing : undefined;

afterAll(async () => {
  if (!("missing" in server)) await server.stop();
});

describe.skipIf(missing !== undefined)(
  `two nodes${missing === undefined ? "" : `: ${missing}`}`,
  () => {
    let url: string;
    let nodes: Kernel[];
    let paid: number;

    beforeEach(async () => {
      if ("missing" in server) return;
      ({ url } = await server.createDatabase());
      nodes = [];
      paid = 0;
    });

    afterEach(async () => {
      for (const node of nodes) await node.close();
    });

    const pay: Tool = {
      name: "pay",
      version: "1",
      description: "pays",
      input: {},
      effect: "external",
      touches: () => [],
      label: { integrity: "trusted", secrecy: "public" },
      run: async () => {
        paid++;
        return "done";
      },
    };

    async function boot(node: string, more: Partial<KernelOptions> = {}): Promise<Kernel> {
      const options: KernelOptions = {
        store: { url },
        node,
        policy: policyOf({ id: "ask-pay", ask: "tool:pay", quorum: 2 }),
        approvals: { channels: { board: { people: ["ann", "bob"], quorum: 2 } } },
        programs: {
          payer,
          poor: async (sys) => [
            await sys.ask("Please.", { propose: ["tool:look:call"], channel: "board" }),
            await codeOf(sys.exec("look", {})),
          ],
        },
        tools: [pay, { ...pay, name: "look", effect: "read", run: async () => "seen" }],
        ...more,
      };
      const kernel = checked(await bootKernel(options), options);
      nodes.push(kernel);
      return kernel;
    }

    const spawn = (kernel: Kernel, to: string) =>
      kernel.spawn({ agent: "payer", capabilities: ["tool:pay:call"], input: [{ to }] });

    test.each([0, 60_000])(
      "an answer on the node that has not the process reaches it (unloaded after %i ms)",
      async (unloadAfterMs) => {
        const a = await boot("a", { unloadAfterMs });
        const b = await boot("b", { unloadAfterMs });
        const pid = await spawn(a, "alice");
        const [question] = await openOf(b, 1);

        await b.answer(question!.id, { by: "ann", choice: "approve" });
        const last = await b.answer(question!.id, { by: "bob", choice: "approve" });

        expect(last).toMatchObject({ settled: true, votes: 2 });
        expect((await a.wait(pid)).output).toEqual(["ok"]);
        expect((await b.ledger()).map(({ node, by }) => `${node} ${by}`)).toEqual([
          "b ann",
          "b bob",
        ]);
        expect((await a.verify()).findings).toEqual([]);
      },
    );

    test("of two votes at once on two nodes both count, each time", async () => {
      const a = await boot("a");
      const b = await boot("b");
      const names = Array.from({ length: 12 }, (_, n) => `n${n}`);
      const pids = await Promise.all(names.map((to) => spawn(a, to)));
      const questions = await openOf(a, names.length);

      await Promise.all(
        questions.flatMap(({ id }) => [
          a.answer(id, { by: "ann", choice: "approve" }),
          b.answer(id, { by: "bob", choice: "approve" }),
        ]),
      );

      for (const pid of pids) expect((await a.wait(pid)).output).toEqual(["ok"]);
      expect(paid).toBe(names.length);
      expect((await b.verify()).findings).toEqual([]);
    });

    test("a yes and a no at once are a no or a yes, never both, and everybody is told the same", async () => {
      const policy = policyOf({ id: "ask-pay", ask: "tool:pay" });
      const a = await boot("a", { policy });
      const b = await boot("b", { policy });
      const pids = await Promise.all(["k", "l", "m", "n"].map((to) => spawn(a, to)));
      const questions = await openOf(a, pids.length);

      let yes = 0;
      for (const { id, pid } of questions) {
        const said = await Promise.allSettled([
          a.answer(id, { by: "ann", choice: "approve" }),
          b.answer(id, { by: "bob", choice: "deny" }),
        ]);
        const answers = said.flatMap((one) =>
          one.status === "fulfilled" ? [one.value.answer] : [],
        );
        const { output } = await a.wait(pid);
        expect(new Set(answers).size).toBe(1);
        expect(output).toEqual([answers[0] === "approve" ? "ok" : "EDENIED"]);
        if (answers[0] === "approve") yes++;
      }

      expect(paid).toBe(yes);
      expect((await a.verify()).findings).toEqual([]);
    });

    test("a proposal with its votes on two nodes gives what it says, once", async () => {
      const a = await boot("a");
      const b = await boot("b");
      const pid = await a.spawn({ agent: "poor" });
      const [question] = await openOf(a, 1);

      const said = await Promise.all([
        a.answer(question!.id, { by: "ann", choice: "approve" }),
        b.answer(question!.id, { by: "bob", choice: "approve" }),
      ]);

      expect(said.filter(({ settled }) => settled).length).toBeGreaterThan(0);
      expect((await a.wait(pid)).output).toEqual(["approve", "ok"]);
      const grants = (await a.journal(pid)).filter(({ kind }) => kind === "grant");
      expect(grants.length).toBe(1);
    });

    test("the vote of a node that is gone counts", async () => {
      const a = await boot("a", { leaseMs: 300 });
      const pid = await spawn(a, "alice");
      const [question] = await openOf(a, 1);
      await a.answer(question!.id, { by: "ann", choice: "approve" });
      await a.close();

      const b = await boot("b", { leaseMs: 300 });
      await b.answer(question!.id, { by: "bob", choice: "approve" });

      await until(async () => (await b.show(pid)).endedAt !== null, "the end");
      expect((await b.wait(pid)).output).toEqual(["ok"]);
      nodes.shift();
    });
  },
);
