import type { Command } from "../command.ts";

const command: Command = async ({ args, client, options, out }) => {
  const [from, skip] = [options.texts("from"), options.texts("skip")];
  const started = await client.retryGoal({
    pid: args[0] ?? "",
    cwd: process.cwd(),
    ...(from.length === 0 ? {} : { from: [...from] }),
    ...(skip.length === 0 ? {} : { skip: [...skip] }),
    ...(options.flag("replan") ? { replan: true } : {}),
  });
  await out.data(started, () => started.pid);
};

export default command;
