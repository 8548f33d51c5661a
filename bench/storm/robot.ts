// Robot: the person of the storm. Says yes to what a rule asks, and looks outside before it answers what a crash left
// in doubt: what is there was done, what is not is tried again. So no effect may be doubled, and none lost.

import { pause, remoteAos, seen, type World } from "./world.ts";

const LINE = /[a-z]+-\d+\/\d+/;

interface Asked {
  readonly id: string;
  readonly kind: string;
  readonly question: string;
  readonly about: { readonly args: string } | null;
}

export interface RobotReport {
  readonly approved: number;
  readonly doubts: { readonly done: number; readonly retry: number };
}

export interface Robot {
  stop(): Promise<RobotReport>;
}

export function startRobot(world: World): Robot {
  const report = { approved: 0, doubts: { done: 0, retry: 0 } };
  const over = new AbortController();
  const work = (async () => {
    while (!over.signal.aborted) {
      await answerAll(world, report);
      await pause(700);
    }
  })();
  return {
    async stop() {
      over.abort();
      await work;
      return report;
    },
  };
}

async function answerAll(
  world: World,
  report: { approved: number; doubts: { done: number; retry: number } },
): Promise<void> {
  const { code, stdout } = await remoteAos(world, "approvals", "-o", "json");
  if (code !== 0) return; // the daemon is dead at this moment
  for (const asked of JSON.parse(stdout) as Asked[]) {
    if (asked.kind === "doubt") {
      const line = LINE.exec(`${asked.question} ${asked.about?.args ?? ""}`)?.[0];
      const wasDone = line !== undefined && seen(world).has(line);
      const choice = wasDone ? "done" : "retry";
      const said = await remoteAos(world, "approve", asked.id, choice);
      if (said.code === 0) report.doubts[choice] += 1;
    } else {
      const said = await remoteAos(world, "approve", asked.id);
      if (said.code === 0) report.approved += 1;
    }
  }
}
