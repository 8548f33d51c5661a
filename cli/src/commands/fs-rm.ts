import type { Command } from "../command.ts";

const command: Command = async ({ args: [path = ""], client, options, out }) => {
  const tenant = options.text("tenant");
  const { pid } = await client.removeFile({ path, ...(tenant === undefined ? {} : { tenant }) });
  await out.data({ path, pid }, () => `${path} is removed.`);
};

export default command;
