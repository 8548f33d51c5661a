import type { Command } from "../command.ts";

const command: Command = async ({ args, client, out }) => {
  const ended = await client.cancelEval({ pid: args[0] ?? "" });
  await out.data(ended, () => ended.pid);
  out.note(`${ended.stopped} runs were ended with it`);
};

export default command;
