import type { Command } from "../command.ts";
import { estimateAgent } from "../estimate-agent.ts";
import { spawnAgent } from "../spawn-agent.ts";

const command: Command = async (call) => {
  if (call.options.flag("estimate")) return estimateAgent(call);
  const pid = await spawnAgent(call);
  await call.out.data({ pid }, () => pid);
};

export default command;
