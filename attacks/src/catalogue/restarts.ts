// G, second part: a process is unloaded, forked, or restarted to lose its label.

import { paid } from "./chains.ts";
import { readPage } from "./labels.ts";
import { payBob, POWER } from "./laundering.ts";
import type { AttackRow } from "./row.ts";

export const restartAttacks: readonly AttackRow[] = [
  {
    id: "G12",
    name: "lose the label by unloading",
    stoppedBy: "kernel/src/process/recorded-state.ts",
    mode: { unloadAfterMs: 0 },
    run: async (range) => {
      const pid = await range.start(
        async (sys) => {
          await readPage(sys);
          await sys.receive();
          await payBob(sys);
        },
        { capabilities: POWER },
      );
      const isAway = async () => (await range.kernel.status()).loaded === 0;
      await range.until(isAway, "the unloading");
      await range.kernel.send(pid, "go");
      await range.end(pid);
      return paid(range);
    },
  },
  {
    id: "G13",
    name: "lose the label by a fork",
    stoppedBy: "kernel/src/process/recorded-state.ts",
    run: async (range) => {
      const pid = await range.start(
        async (sys) => {
          await readPage(sys);
          await sys.receive();
          await payBob(sys);
        },
        { capabilities: POWER },
      );
      await range.until(async () => range.did("range.page") === 1, "the reading");
      await range.kernel.signal(pid, "SIGTERM");
      const fork = await range.kernel.fork(pid);
      await range.kernel.send(fork, "go");
      await range.end(fork);
      return paid(range);
    },
  },
  {
    id: "G14",
    name: "lose the label by a checkpoint and a restart",
    stoppedBy: "kernel/src/scheduler/supervision.ts",
    mode: { unloadAfterMs: 0 },
    run: async (range) => {
      const script = range.script(async (sys) => {
        if (range.did("range.page") > 0) {
          await sys.receive();
          return payBob(sys);
        }
        await sys.checkpoint(await readPage(sys));
        throw new Error("once more");
      });
      const restart = { on: ["error"], backoff: "1ms" };
      const manifest = { apiVersion: "aos/v1", kind: "Agent", name: "phoenix", restart } as const;
      const pid = await range.kernel.spawn({
        manifest: { ...manifest, program: "attacker", capabilities: POWER } as never,
        input: script,
      });
      const isAway = async () =>
        range.did("range.page") === 1 && (await range.kernel.status()).loaded === 0;
      await range.until(isAway, "the second life");
      await range.kernel.send(pid, "go");
      await range.end(pid);
      return paid(range);
    },
  },
];
