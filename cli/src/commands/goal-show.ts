import type { Command } from "../command.ts";
import { goalText } from "../goal-text.ts";

const command: Command = async ({ args, client, out }) => {
  const goal = await client.goal({ pid: args[0] ?? "" });
  await out.data(goal, () => goalText(goal, out));
};

export default command;
