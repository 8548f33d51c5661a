// `aos run`: start, follow, print the result.

import { exitCodes } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { estimateAgent } from "../estimate-agent.ts";
import { followRun } from "../follow-run.ts";
import { spawnAgent } from "../spawn-agent.ts";

const command: Command = async (call) => {
  const { options, out } = call;
  if (options.flag("estimate")) return estimateAgent(call);
  const pid = await spawnAgent(call);
  if (options.flag("detach")) {
    await out.data({ pid }, () => pid);
    return exitCodes.success;
  }
  return followRun(call, pid);
};

export default command;
