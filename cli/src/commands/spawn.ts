import type { Command } from "../command.ts";
import { spawnAgent } from "../spawn-agent.ts";

export const command: Command = async (call) => {
  const pid = await spawnAgent(call);
  await call.out.data({ pid }, () => pid);
};
