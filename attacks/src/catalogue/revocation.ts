// E, second part: revoked grants.

import type { Range } from "../range.ts";
import { paid, PAY } from "./chains.ts";
import { codeOf, sleepMs, tried, type AttackRow } from "./row.ts";

const GRANTS = "kernel/src/operator/grants.ts";
const OBSTACLE = "kernel/src/capability/obstacle.ts";
export const BY = "rita";

/** A process that makes these calls when it is told to. */
export const startWaiting = (range: Range, tool = "range.pay") =>
  range.start(
    async (sys) => {
      await sys.receive();
      await codeOf(sys.exec(tool, {}));
    },
    { capabilities: ["tool:range.look:call"] },
  );

export async function tell(range: Range, pid: string): Promise<void> {
  await range.kernel.send(pid, "go");
  await range.end(pid);
}

export const revocation: readonly AttackRow[] = [
  {
    id: "E17",
    name: "use a revoked grant",
    stoppedBy: OBSTACLE,
    run: async (range) => {
      const pid = await startWaiting(range);
      const { handle } = await range.kernel.grant({ pid }, { capabilities: [PAY], by: BY });
      await range.kernel.revoke(handle, BY);
      await tell(range, pid);
      return paid(range);
    },
  },
  {
    id: "E18",
    name: "use a grant in a child after it was revoked from the parent",
    stoppedBy: OBSTACLE,
    run: async (range) => {
      const pid = await range.start(
        async (sys) => {
          await sys.receive();
          const { handle } = (await sys.self()).grants[0]!;
          const paying = range.script(async (own) => {
            await own.receive();
            await codeOf(own.exec("range.pay", {}));
          });
          const how = { capabilities: [PAY], by: handle };
          const kid = await sys.spawn("accomplice", paying, how);
          await sys.send(kid, (await sys.receive()).body);
          await sys.wait(kid);
        },
        { capabilities: ["agent:accomplice:spawn"] },
      );
      const power = [PAY, "agent:accomplice:spawn"];
      const { handle } = await range.kernel.grant({ pid }, { capabilities: power, by: BY });
      await range.kernel.send(pid, "start");
      const isBorn = async () => (await range.kernel.list()).length === 2;
      await range.until(isBorn, "the child");
      await range.kernel.revoke(handle, BY);
      await tell(range, pid);
      return paid(range);
    },
  },
  {
    id: "E19",
    name: "continue a call whose grant is revoked",
    stoppedBy: GRANTS,
    run: async (range) => {
      const pid = await range.start(async (sys) => {
        await sys.receive();
        await codeOf(sys.exec("range.pay", { ms: 150 }));
      });
      const { handle } = await range.kernel.grant({ pid }, { capabilities: [PAY], by: BY });
      await range.kernel.send(pid, "go");
      await range.until(() => range.runs.length === 1, "the call");
      await range.kernel.revoke(handle, BY);
      await range.end(pid);
      await sleepMs(200);
      return paid(range);
    },
  },
  {
    id: "E20",
    name: "use a revoked grant after a restart",
    stoppedBy: "kernel/src/process/blocks.ts",
    mode: { isKept: true },
    run: async (range) => {
      const pid = await startWaiting(range);
      const { handle } = await range.kernel.grant({ pid }, { capabilities: [PAY], by: BY });
      await range.kernel.revoke(handle, BY);
      await range.restart();
      await tell(range, pid);
      return paid(range);
    },
  },
  {
    id: "E21",
    name: "revoke a grant of another process",
    stoppedBy: GRANTS,
    run: async (range) => {
      const victim = await startWaiting(range);
      const { handle } = await range.kernel.grant({ pid: victim }, { capabilities: [PAY], by: BY });
      await range.run(async (sys) => codeOf(sys.revoke(handle)));
      await tell(range, victim);
      return tried(range.did("range.pay") === 0, "the victim should have paid once");
    },
  },
  {
    id: "E22",
    name: "use an expired grant",
    stoppedBy: OBSTACLE,
    run: async (range) => {
      const pid = await startWaiting(range);
      const expiresAt = Date.now() + 1_000; // a slow machine takes its time to grant
      await range.kernel.grant({ pid }, { capabilities: [PAY], expiresAt, by: BY });
      while (Date.now() <= expiresAt) await sleepMs(20);
      await tell(range, pid);
      return paid(range);
    },
  },
];
