// Two nodes on one PostgreSQL. A process belongs to one of them at a time: the one that lost it cannot
// go on with it, and the one that has it goes on where its journal ends.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Tool } from "@aos/protocol";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { tryPostgres } from "../../helpers/postgres.ts";
import { checkStore, reignOf } from "../../helpers/reference.ts";
import { effectsIn, Node, notesIn } from "./cluster.ts";
import type { NodeOptions } from "./node.program.ts";

/** Long enough that a node on a slow machine keeps what is its own. */
const LEASE_MS = 3000;
const CAPABILITIES = ["tool:*:call"];

/** What the reference has to know of the one tool that the nodes have. */
const effect: Tool = {
  name: "effect",
  version: "1",
  description: "something outside",
  input: {},
  effect: "external",
  touches: () => [],
  run: async () => null,
};

const server = await tryPostgres();
const missing = "missing" in server ? server.missing : undefined;

afterAll(async () => {
  if (!("missing" in server)) await server.stop();
});

describe.skipIf(missing !== undefined)(
  `two nodes${missing === undefined ? "" : `: ${missing}`}`,
  () => {
    let folder: string;
    let witness: string;
    let url: string;
    let database: { execute: (sql: string) => Promise<unknown> };
    let nodes: Node[];

    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), "aos-leases-"));
      witness = join(folder, "witness");
      if ("missing" in server) return;
      const created = await server.createDatabase();
      ({ url } = created);
      database = created;
      nodes = [];
    });

    afterEach(async () => {
      await Promise.all(nodes.map((node) => node.kill()));
      await checkStore({ url }, [reignOf({ tools: [effect] })]);
      await rm(folder, { recursive: true, force: true, maxRetries: 20 });
    });

    function start(name: string, more: Partial<NodeOptions> = {}): Node {
      const node = new Node({
        url,
        node: name,
        leaseMs: LEASE_MS,
        witness,
        unloadAfterMs: 60_000,
        ...more,
      });
      nodes.push(node);
      return node;
    }

    async function startBoth(more: Partial<NodeOptions> = {}): Promise<[Node, Node]> {
      const both = [start("a", more), start("b", more)] as const;
      await Promise.all(both.map((node) => node.up));
      return [...both];
    }

    /** A few things were done, and many are still to be. */
    const underWay = () => expect.poll(() => notesIn(witness).length).toBeGreaterThan(3);

    const namesOf = (name: string, count: number) =>
      Array.from({ length: count }, (_, n) => `${name}.${n}`).sort();

    test("the one that was paused cannot go on with what the other has taken over", async () => {
      const [a, b] = await startBoth();
      const input = { name: "paused", count: 100, ms: 20 };
      const pid = await a.ask("spawn", { agent: "steps", input, capabilities: CAPABILITIES });
      await underWay();

      a.pause();
      const ending = await b.ask("wait", pid, { timeoutMs: 120_000 });
      const before = await b.ask("journal", pid);
      a.goOn();
      await expect
        .poll(() => a.troubles.map(({ code }) => code), { timeout: 120_000 })
        .toContain("EFENCED");
      await delay(200);

      expect(ending).toMatchObject({ state: "completed", output: 100 });
      expect(effectsIn(witness)).toEqual(namesOf("paused", 100));
      expect(await b.ask("journal", pid)).toEqual(before);
      expect(await b.ask("wait", pid)).toEqual(await a.ask("wait", pid));
      expect((await b.ask("verify")).findings).toEqual([]);
      expect((await b.ask("replay", pid)).difference).toBeNull();
    });

    test("what waits to begin on a node is niced from another, which begins it when the first dies", async () => {
      const [a, b] = await startBoth({ running: 1 });
      await a.ask("spawn", { agent: "listener" });
      const older = await a.ask("spawn", { agent: "listener" });
      const pid = await a.ask("spawn", { agent: "listener" });
      const placeAt = async (node: Node) => (await node.ask("show", pid)).place;
      expect([await placeAt(a), await placeAt(b)]).toEqual([2, null]);

      await b.ask("nice", pid, "high", "ann");
      await expect.poll(() => placeAt(a), { timeout: 120_000 }).toBe(1);
      await a.kill();
      await expect.poll(() => placeAt(b), { timeout: 120_000 }).toBe(1); // the one that ran goes first
      const runs = (await b.ask("list")).find(({ state }) => state !== "pending")!;
      await b.ask("signal", runs.pid, "SIGKILL");
      for (const n of [1, 2, 3]) await b.ask("send", pid, n);

      expect((await b.ask("wait", pid, { timeoutMs: 120_000 })).output).toEqual([1, 2, 3]);
      await b.ask("signal", older, "SIGKILL");
    });

    test("the one that was paused begins nothing outside after the other has taken over", async () => {
      const [a, b] = await startBoth();
      const pids: string[] = [];
      for (let n = 0; n < 20; n++) {
        const input = { name: `many${n}`, count: 100, ms: 0 };
        pids.push(await a.ask("spawn", { agent: "steps", input, capabilities: CAPABILITIES }));
      }
      await underWay();

      a.pause();
      await expect
        .poll(() => notesIn(witness).some(({ node }) => node === "b"), { timeout: 120_000 })
        .toBe(true);
      await delay(200);
      a.goOn();
      for (const pid of pids)
        expect(await b.ask("wait", pid, { timeoutMs: 120_000 })).toMatchObject({
          state: "completed",
        });

      // What a tool of the first had begun before the pause is done twice by keys, once by effect.
      expect(effectsIn(witness)).toHaveLength(20 * 100);
      const takenOverAt = notesIn(witness).find(({ node }) => node === "b")!.at;
      const late = notesIn(witness).filter(
        ({ node, at, begins }) => node === "a" && begins !== undefined && at >= takenOverAt,
      );
      expect(late).toEqual([]);
    });

    test("one that is paused in the middle of a commit does not hold up the other", async () => {
      const [a, b] = await startBoth();
      const input = { name: "midway", count: 100, ms: 20 };
      const pid = await a.ask("spawn", { agent: "steps", input, capabilities: CAPABILITIES });
      await underWay();

      // Its commit has locked the end of the chain, and waits for the journal; then nobody is there to go on.
      const locking = database.execute(
        "begin; lock table journal in exclusive mode; select pg_sleep(2); commit",
      );
      await delay(1000);
      a.pause();
      await locking;
      const ending = await b.ask("wait", pid, { timeoutMs: 120_000 });
      a.goOn();

      expect(ending).toMatchObject({ state: "completed", output: 100 });
      await expect
        .poll(() => a.troubles.map(({ code }) => code), { timeout: 120_000 })
        .toContain("EFENCED");
      expect(effectsIn(witness)).toEqual(namesOf("midway", 100));
      // It was only slow: it goes on with what is its own.
      const more = await a.ask("spawn", { agent: "sleeper", input: { ms: 1 } });
      expect(await a.ask("wait", more, { timeoutMs: 120_000 })).toMatchObject({ output: "awake" });
      expect((await b.ask("verify")).findings).toEqual([]);
    });

    test("what a node that is killed leaves is finished by the other", async () => {
      const [a, b] = await startBoth();
      const input = { name: "killed", count: 50, ms: 30 };
      const pid = await a.ask("spawn", { agent: "steps", input, capabilities: CAPABILITIES });
      await underWay();

      await a.kill();

      expect(await b.ask("wait", pid, { timeoutMs: 120_000 })).toMatchObject({ output: 50 });
      expect(effectsIn(witness)).toEqual(namesOf("killed", 50));
      expect((await b.ask("verify")).findings).toEqual([]);
    });

    test("a clean stop hands over at once, however long the lease", async () => {
      const [a, b] = await startBoth({ leaseMs: 3_600_000 });
      const input = { name: "handed", count: 20, ms: 30 };
      const pid = await a.ask("spawn", { agent: "steps", input, capabilities: CAPABILITIES });
      await underWay();

      await a.close();
      const ending = await b.ask("wait", pid, { timeoutMs: 120_000 });

      expect(ending).toMatchObject({ state: "completed", output: 20 });
      expect(effectsIn(witness)).toEqual(namesOf("handed", 20));
    });

    test.each([
      ["in memory", 60_000],
      ["asleep", 0],
    ])(
      "messages reach a process of the other node that is %s, each once",
      async (_where, unloadAfterMs) => {
        const [a, b] = await startBoth({ unloadAfterMs });
        const pid = await a.ask("spawn", { agent: "listener" });
        await delay(100);

        const waiting = b.ask("wait", pid, { timeoutMs: 120_000 });
        await Promise.all([b.ask("send", pid, 1), b.ask("send", pid, 2)]);
        await a.ask("send", pid, 3);

        const { output } = await waiting;
        expect((output as number[]).toSorted((one, two) => one - two)).toEqual([1, 2, 3]);
      },
    );

    test("a signal reaches a process of the other node", async () => {
      const [a, b] = await startBoth();
      const pid = await a.ask("spawn", { agent: "listener" });
      await delay(100);

      await b.ask("signal", pid, "SIGTERM");

      expect(await b.ask("wait", pid, { timeoutMs: 120_000 })).toMatchObject({ state: "killed" });
    });

    test("an end is heard of even when the hint that tells of it is lost", async () => {
      const [a, b] = await startBoth();
      const pid = await a.ask("spawn", { agent: "listener" });
      const waiting = b.ask("wait", pid, { timeoutMs: 120_000 });
      await delay(100);

      // Everybody is cut off for the moment in which it ends.
      await a.ask("send", pid, 1);
      await a.ask("send", pid, 2);
      await database.execute(
        "select pg_terminate_backend(pid) from pg_stat_activity where query ilike 'listen%'",
      );
      await a.ask("send", pid, 3);

      expect(await waiting).toMatchObject({ state: "completed" });
    });

    test("a process that sleeps on a node that is killed wakes on the other, at its time", async () => {
      const [a, b] = await startBoth({ unloadAfterMs: 0 });
      const pid = await a.ask("spawn", { agent: "sleeper", input: { ms: 2500 } });
      const since = Date.now();
      await delay(200);

      await a.kill();

      expect(await b.ask("wait", pid, { timeoutMs: 120_000 })).toMatchObject({ output: "awake" });
      expect(Date.now() - since).toBeGreaterThanOrEqual(2400);
    });

    test("of many processes that are left, each is taken by one of two nodes that boot at once", async () => {
      const first = start("first");
      await first.up;
      const spawned = Array.from({ length: 60 }, (_, n) =>
        first.ask("spawn", {
          agent: "steps",
          input: { name: `left${n}`, count: 6, ms: 40 },
          capabilities: CAPABILITIES,
        }),
      );
      const pids = await Promise.all(spawned);
      await delay(60);
      await first.kill();
      await delay(LEASE_MS);

      const [a, b] = await startBoth();
      const endings = await Promise.all(
        pids.map((pid) => a.ask("wait", pid, { timeoutMs: 120_000 })),
      );

      expect(endings.filter(({ output }) => output !== 6)).toEqual([]);
      const expected = pids.flatMap((_pid, n) => namesOf(`left${n}`, 6)).sort();
      expect(effectsIn(witness)).toEqual(expected);
      // No thing was begun by both.
      const begunBy = new Map<string, Set<string>>();
      for (const { begins, node } of notesIn(witness)) {
        if (begins === undefined || node === "first") continue;
        begunBy.set(begins, (begunBy.get(begins) ?? new Set()).add(node));
      }
      expect([...begunBy.values()].filter((by) => by.size > 1)).toEqual([]);
      expect([...a.troubles, ...b.troubles]).toEqual([]);
      expect((await b.ask("verify")).findings).toEqual([]);
    });
  },
);
