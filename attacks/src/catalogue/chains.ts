// E, first part: handles and chains. The attacker uses power that it was never granted, or more than it was granted.

import type { Range } from "../range.ts";
import { codeOf, tried, type AttackRow, type AttackOutcome } from "./row.ts";

const POWERS = "kernel/src/syscall/capability-check.ts";
const CHAIN = "kernel/src/capability/chain.ts";
const GRANTS = "kernel/src/operator/grants.ts";
const TREES = "kernel/src/process/trees.ts";
const OBSTACLE = "kernel/src/capability/obstacle.ts";
export const PAY = "tool:range.pay:call";
const LOOK = "tool:range.look:call";
const SPAWN = "agent:accomplice:spawn";

export const paid = (range: Range, most = 0): AttackOutcome => {
  const times = range.did("range.pay");
  return tried(times > most, `paid ${times} times, ${most} at most were granted`);
};

/** A child that pays as often as it can, under these grants. */
const child = async (
  range: Range,
  sys: Parameters<Parameters<Range["run"]>[0]>[0],
  capabilities: string[],
  times = 1,
): Promise<string> => {
  const paying = range.script(async (own) => {
    for (let i = 0; i < times; i++) await codeOf(own.exec("range.pay", { i }));
  });
  return sys.spawn("accomplice", paying, { capabilities: range.granted(...capabilities) });
};

export const chains: readonly AttackRow[] = [
  {
    id: "E1",
    name: "use a guessed handle",
    stoppedBy: POWERS,
    run: async (range) => {
      const by = `cap_${"A".repeat(22)}`;
      await range.run(async (sys) => codeOf(sys.exec("range.pay", {}, { by })), {
        capabilities: [LOOK],
      });
      return paid(range);
    },
  },
  {
    id: "E2",
    name: "use a handle of another process",
    stoppedBy: POWERS,
    run: async (range) => {
      const victim = await range.start(async (sys) => sys.receive(), { as: "victim" });
      const { handle } = await range.kernel.grant(
        { pid: victim },
        { capabilities: [PAY], by: "rita" },
      );
      await range.run(async (sys) => codeOf(sys.exec("range.pay", {}, { by: handle })));
      return paid(range);
    },
  },
  {
    id: "E3",
    name: "start a child with more power than its own",
    stoppedBy: CHAIN,
    run: async (range) => {
      await range.run(async (sys) => codeOf(sys.wait(await child(range, sys, [PAY]))), {
        capabilities: [LOOK, SPAWN],
      });
      return paid(range);
    },
  },
  {
    id: "E4",
    name: "start a child of an agent that was not granted",
    stoppedBy: "kernel/src/syscall/action.ts",
    run: async (range) => {
      await range.run(async (sys) => codeOf(child(range, sys, [PAY])), {
        capabilities: [PAY, "agent:victim:spawn"],
      });
      const started = (await range.kernel.list()).length;
      return tried(started > 1, `${started} processes`);
    },
  },
  {
    id: "E5",
    name: "have a child grant its parent what neither holds",
    stoppedBy: GRANTS,
    run: async (range) => {
      await range.run(
        async (sys) => {
          const { pid } = await sys.self();
          const giver = range.script(async (own) => codeOf(own.grant(pid, [PAY])));
          const capabilities = range.granted(LOOK);
          await sys.wait(await sys.spawn("accomplice", giver, { capabilities }));
          await codeOf(sys.exec("range.pay", {}));
        },
        { capabilities: [LOOK, SPAWN] },
      );
      return paid(range);
    },
  },
  {
    id: "E6",
    name: "hand on a grant with `hold:use`",
    stoppedBy: OBSTACLE,
    run: async (range) => {
      await range.run(async (sys) => codeOf(sys.wait(await child(range, sys, [PAY]))), {
        capabilities: [`${PAY}{hold:use}`, SPAWN],
      });
      return paid(range);
    },
  },
  {
    id: "E7",
    name: "use a grant with `hold:grant`",
    stoppedBy: OBSTACLE,
    run: async (range) => {
      await range.run(async (sys) => codeOf(sys.exec("range.pay", {})), {
        capabilities: [`${PAY}{hold:grant}`],
      });
      return paid(range);
    },
  },
  {
    id: "E8",
    name: "remove an expiry by handing a grant on",
    stoppedBy: CHAIN,
    run: async (range) => {
      await range.run(
        async (sys) => {
          await sys.sleep((await sys.now()) + 40);
          await codeOf(sys.wait(await child(range, sys, [PAY])));
        },
        { capabilities: [`${PAY}{expires:20ms}`, SPAWN] },
      );
      return paid(range);
    },
  },
  {
    id: "E9",
    name: "multiply `max` with children",
    stoppedBy: CHAIN,
    run: async (range) => {
      await range.run(
        async (sys) => {
          for (let i = 0; i < 3; i++) await sys.wait(await child(range, sys, [PAY], 2));
        },
        { capabilities: [`${PAY}{max:2}`, SPAWN] },
      );
      return paid(range, 2);
    },
  },
  {
    id: "E10",
    name: "multiply `max` with concurrent calls",
    stoppedBy: "kernel/src/syscall/capability-check.ts",
    run: async (range) => {
      const times = Array.from({ length: 10 }, (_, i) => i);
      await range.run(
        async (sys) =>
          void (await Promise.all(times.map((i) => codeOf(sys.exec("range.pay", { i }))))),
        { capabilities: [`${PAY}{max:3}`] },
      );
      return paid(range, 3);
    },
  },
  {
    id: "E11",
    name: "exceed a rate",
    stoppedBy: OBSTACLE,
    run: async (range) => {
      await range.run(
        async (sys) => {
          for (let i = 0; i < 12; i++) await codeOf(sys.exec("range.pay", { i }));
        },
        { capabilities: [`${PAY}{rate:5/h}`] },
      );
      return paid(range, 5);
    },
  },
  {
    id: "E12",
    name: "exceed the granted bytes",
    stoppedBy: "kernel/src/syscall/settlement.ts",
    run: async (range) => {
      const give = "x".repeat(5000);
      let got = 0;
      await range.run(
        async (sys) => {
          got = JSON.stringify(await sys.exec("range.look", { give }).catch(() => "")).length;
        },
        { capabilities: [`${LOOK}{bytes:1000}`] },
      );
      return tried(got > 1000, `it got ${got} bytes`);
    },
  },
  {
    id: "E13",
    name: "run a tool longer than the grant's timeout",
    stoppedBy: "kernel/src/handlers/devices.ts",
    run: async (range) => {
      await range.run(async (sys) => codeOf(sys.exec("range.set", { ms: 150 })), {
        capabilities: ["tool:range.set:call{timeout:30ms}"],
      });
      await new Promise((resolve) => setTimeout(resolve, 150));
      return tried(range.did("range.set") > 0, "the limit was 30 ms; the tool needs 150");
    },
  },
  {
    id: "E14",
    name: "exceed the tool budget with concurrent calls",
    stoppedBy: "kernel/src/budget/accounts.ts",
    run: async (range) => {
      const times = Array.from({ length: 6 }, (_, i) => i);
      await range.run(
        async (sys) =>
          void (await Promise.all(times.map((i) => codeOf(sys.exec("range.pay", { i }))))),
        { capabilities: [PAY], budget: { toolCalls: 2 } },
      );
      return paid(range, 2);
    },
  },
  {
    id: "E15",
    name: "spawn without a depth limit",
    stoppedBy: TREES,
    needs: ["small limits"],
    run: async (range) => {
      const capabilities = range.granted("agent:accomplice:spawn");
      let deepest = 0;
      const deeper = async (sys: Parameters<Parameters<Range["run"]>[0]>[0], given: unknown) => {
        deepest = Math.max(deepest, given as number);
        if ((given as number) > 8) return;
        const next = range.script(deeper, (given as number) + 1);
        await codeOf(sys.spawn("accomplice", next, { capabilities }).then((pid) => sys.wait(pid)));
      };
      await range.run(deeper, { capabilities: [SPAWN], given: 0 });
      return tried(deepest > 8, `${deepest} deep`);
    },
  },
  {
    id: "E16",
    name: "spawn without a limit on processes",
    stoppedBy: TREES,
    needs: ["small limits"],
    run: async (range) => {
      let living = 1;
      const pid = await range.start(
        async (sys) => {
          const waiting = range.script(async (own) => own.receive());
          for (let i = 0; i < 120; i++)
            if ((await codeOf(sys.spawn("accomplice", waiting))) === "ok") living += 1;
        },
        { capabilities: [SPAWN] },
      );
      await range.end(pid);
      return tried(living > 120, `${living} at once`);
    },
  },
];
