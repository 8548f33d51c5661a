import type { Command } from "../command.ts";

const command: Command = async ({ args, client, options, out }) => {
  const to = options.text("to");
  const redriven: { id: string; to: string }[] = [];
  for (const id of args)
    redriven.push(await client.redrive({ id, ...(to === undefined ? {} : { to }) }));
  await out.data(redriven, () => redriven.map(({ id, to: pid }) => `${id} → ${pid}`).join("\n"));
};

export default command;
