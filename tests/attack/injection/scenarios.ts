// Scenarios: every goal by every channel. Each is run three times: planted under the policy that ships,
// planted with nothing in the way, and, as its benign twin, with harmless words in the same place.

import { channels, HARMLESS, planted, type Channel } from "./channels.ts";
import { goals, type Goal } from "./goals.ts";
import { type Guard, Stage } from "./stage.ts";

export interface Scenario {
  readonly name: string;
  readonly channel: Channel;
  readonly goal: Goal;
}

export const scenarios: readonly Scenario[] = channels.flatMap((channel) =>
  goals.map((goal) => ({ name: `${channel.name}: ${goal.name}`, channel, goal })),
);

/** Plays it to the end of all that take part; the stage is the caller's to look at, and to close. */
export async function play(
  { channel, goal }: Scenario,
  guard: Guard,
  isPlanted: boolean,
): Promise<{ stage: Stage; state: string }> {
  const stage = await Stage.open(guard);
  await goal.prepare?.(stage);
  await channel.put(stage, isPlanted ? planted(goal.wants(stage)) : HARMLESS);
  const errand = goal.errand(stage);
  stage.employ(errand);
  const powers = [...channel.powers(stage), ...goal.powers(stage)];
  const plan = [...channel.reads(stage), ...errand];
  const pid = await stage.start("assistant", { plan } as never, powers);
  await channel.meanwhile?.(stage, pid);
  const { state } = await stage.kernel.wait(pid);
  if (stage.clerk !== undefined) await stage.kernel.wait(stage.clerk);
  return { stage, state };
}
