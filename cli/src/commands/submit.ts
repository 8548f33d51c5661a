// `aos submit`: starts an agent in the lane `background`, or a goal that is said in words.

import type { Command, Options } from "../command.ts";
import { estimateAgent } from "../estimate-agent.ts";
import { printEnding } from "../print-ending.ts";
import { spawnAgent } from "../spawn-agent.ts";
import { isGoal, submitGoal } from "../submit-goal.ts";
import { waitForEnd } from "../wait-for-end.ts";

/** Work that is handed in is in no hurry. */
const unhurried = (options: Options): Options => ({
  texts: (name) => options.texts(name),
  flag: (name) => options.flag(name),
  text: (name) => options.text(name) ?? (name === "lane" ? "background" : undefined),
});

const command: Command = async (given) => {
  const call = { ...given, options: unhurried(given.options) };
  const { client, options, out } = call;
  if (isGoal(call)) return submitGoal(call);
  if (options.flag("estimate")) return estimateAgent(call);
  const pid = await spawnAgent(call);
  const { place } = await client.show({ pid });
  const where = place === null ? "the process has started" : `position ${place} in the queue`;
  if (options.flag("wait")) {
    out.note(`${pid}: ${where}`);
    return printEnding(out, await waitForEnd(call, pid));
  }
  await out.data({ pid, place }, () => pid);
  if (out.format === "text") out.note(where);
};

export default command;
