import type { Command } from "../command.ts";
import { goalText } from "../goal-text.ts";

const command: Command = async ({ args, client, out }) => {
  const goal = await client.goal({ pid: args[0] ?? "" });
  const questions = goal.endedAt === null ? await client.questions({ pid: goal.pid }) : [];
  await out.data(goal, () => goalText(goal, { isWide: out.isWide, questions }));
};

export default command;
