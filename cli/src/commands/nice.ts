import type { Command } from "../command.ts";
import { readLane } from "../read-lane.ts";

const command: Command = async ({ args, client, out }) => {
  const niced = await client.nice({ pid: args[0] ?? "", lane: readLane(args[1] ?? "") });
  await out.data(niced, () => `${niced.pid} ${niced.lane}`);
};

export default command;
