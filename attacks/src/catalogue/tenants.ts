// G, third part: processes and memory of others. What belongs to another process or tenant does not exist for the
// attacker.

import type { Sys } from "@aos/protocol";
import { ELSEWHERE, type Range } from "../range.ts";
import { paid, PAY } from "./chains.ts";
import { codeOf, gotOf, sleepMs, tried, type AttackRow } from "./row.ts";

const DIRECTORY = "kernel/src/process/process-table.ts";
const FILES = "kernel/src/vfs/files.ts";
const LOCATIONS = "kernel/src/vfs/memory-location.ts";
const MESSAGES = "kernel/src/handlers/messages.ts";
const RUNNER = "kernel/src/scheduler/runner.ts";
const POWER = ["tool:range.*:call", "memory:/mem/**:*", "message:*:*", "agent:*:*", "signal:*:*"];
/** A process of another tenant that acts when it receives a message. */
async function victimOf(range: Range): Promise<string> {
  let isReady = false;
  const pid = await range.start(
    async (sys) => {
      await sys.subscribe("news");
      await sys.write("/mem/shared/plan", range.treasure);
      isReady = true;
      await sys.receive();
      await sys.exec("range.set", {});
      return range.treasure;
    },
    { as: "victim", tenant: ELSEWHERE, capabilities: POWER },
  );
  await range.until(() => isReady, "the victim");
  await sleepMs(20); // what it wrote is in the store by then, and not only in memory
  return pid;
}

const reachFor =
  (reach: (sys: Sys, victim: string) => Promise<unknown>) =>
  async (range: Range): Promise<{ got: string; victim: string }> => {
    const victim = await victimOf(range);
    let got: unknown;
    await range.run(async (sys) => void (got = await gotOf(reach(sys, victim))), {
      capabilities: POWER,
    });
    return { got: JSON.stringify(got), victim };
  };

/** Whether the victim acted. */
const stirred = (reach: (sys: Sys, victim: string) => Promise<unknown>) => async (range: Range) => {
  const { got } = await reachFor(reach)(range);
  await sleepMs(20);
  return tried(range.did("range.set") > 0, got);
};

const seen = (reach: (sys: Sys, victim: string) => Promise<unknown>) => async (range: Range) => {
  const { got } = await reachFor(reach)(range);
  return tried(got.includes(range.treasure), got.slice(0, 100));
};

export const tenants: readonly AttackRow[] = [
  {
    id: "G15",
    name: "send a message to a process of another tenant",
    stoppedBy: DIRECTORY,
    run: stirred((sys, victim) => sys.send(victim, "go")),
  },
  {
    id: "G16",
    name: "kill a process of another tenant",
    stoppedBy: DIRECTORY,
    run: async (range) => {
      const { victim, got } = await reachFor((sys, pid) => sys.signal(pid, "SIGKILL"))(range);
      const { state } = await range.kernel.show(victim);
      return tried(state === "killed", `${got}; the victim is ${state}`);
    },
  },
  {
    id: "G17",
    name: "wait for the result of a process of another tenant",
    stoppedBy: DIRECTORY,
    run: seen(async (sys, victim) => {
      await codeOf(sys.send(victim, "go"));
      return sys.wait(victim, { until: (await sys.now()) + 200 });
    }),
  },
  {
    id: "G18",
    name: "grant power to a process of another tenant",
    stoppedBy: DIRECTORY,
    run: async (range) => {
      const { victim } = await reachFor((sys, pid) => sys.grant(pid, [PAY]))(range);
      const { holdings } = await range.kernel.power({ pid: victim });
      return tried(holdings.length > 1, `the victim holds ${holdings.length} chains`);
    },
  },
  {
    id: "G19",
    name: "read the shared memory of another tenant",
    stoppedBy: FILES,
    run: seen((sys) => sys.read("/mem/shared/plan")),
  },
  {
    id: "G20",
    name: "publish to the subscribers of another tenant",
    stoppedBy: MESSAGES,
    run: stirred((sys) => sys.publish("news", "go")),
  },
  {
    id: "G21",
    name: "read the working memory of another process",
    stoppedBy: LOCATIONS,
    run: async (range) => {
      await range.run(async (sys) => sys.write("/mem/working/plan", range.treasure), {
        as: "victim",
        capabilities: POWER,
      });
      const read = async (sys: Sys) => gotOf(sys.read("/mem/working/plan"));
      const { output } = await range.run(read, { capabilities: POWER });
      return tried(output === range.treasure, JSON.stringify(output));
    },
  },
  {
    id: "G22",
    name: "use in a fork what its origin was granted later",
    stoppedBy: "kernel/src/operator/fork.ts",
    run: async (range) => {
      const pid = await range.start(
        async (sys) => {
          await sys.receive();
          await codeOf(sys.exec("range.pay", {}));
        },
        { capabilities: ["tool:range.look:call"] },
      );
      await range.kernel.grant({ pid }, { capabilities: [PAY], by: "rita" });
      await range.kernel.signal(pid, "SIGTERM");
      const fork = await range.kernel.fork(pid);
      await range.kernel.send(fork, "go");
      await range.end(fork);
      return paid(range);
    },
  },
  {
    id: "G23",
    name: "use in a fork what its origin has used up",
    stoppedBy: "kernel/src/operator/fork.ts",
    run: async (range) => {
      const pid = await range.start(
        async (sys) => {
          await codeOf(sys.exec("range.pay", {}));
          await sys.receive();
          await codeOf(sys.exec("range.pay", {}));
        },
        { capabilities: [`${PAY}{max:1}`] },
      );
      await range.until(() => range.did("range.pay") === 1, "the payment");
      await range.kernel.signal(pid, "SIGTERM");
      const fork = await range.kernel.fork(pid);
      await range.kernel.send(fork, "go");
      await range.end(fork);
      return paid(range, 1);
    },
  },
  {
    id: "G24",
    name: "repeat a payment by a restart or a replay",
    stoppedBy: RUNNER,
    mode: { isKept: true },
    run: async (range) => {
      const pid = await range.start(
        async (sys) => {
          await codeOf(sys.exec("range.pay", {}));
          await sys.receive();
        },
        { capabilities: [PAY] },
      );
      await range.until(() => range.did("range.pay") === 1, "the payment");
      await range.restart();
      await range.kernel.send(pid, "go");
      await range.end(pid);
      if (range.did("range.pay") === 1) await range.kernel.replay(pid);
      return paid(range, 1);
    },
  },
  {
    id: "G25",
    name: 'use "always" of another tenant',
    stoppedBy: "kernel/src/operator/spawner.ts",
    run: async (range) => {
      const rules = [
        { id: "rest", allow: "*" },
        { id: "ask", ask: "tool:range.pay" },
      ];
      await range.under({ version: 1, rules });
      const { person } = range;
      range.person = "is silent";
      const script = async (sys: Sys) => codeOf(sys.exec("range.pay", { to: "bob" }));
      const first = await range.start(script, { tenant: ELSEWHERE, capabilities: [PAY] });
      const { id } = await range.question();
      await range.kernel.answer(id, { by: "rita", choice: "approve", always: true });
      await range.end(first);
      range.person = person;
      await range.run(script, { capabilities: [PAY] });
      return paid(range, 1);
    },
  },
];
