import type { Command } from "../command.ts";
import { quarantinedPath } from "../quarantined-path.ts";

const command: Command = async ({ args: [given = ""], client, options, out }) => {
  const path = quarantinedPath(given);
  const tenant = options.text("tenant");
  const { pid } = await client.removeFile({ path, ...(tenant === undefined ? {} : { tenant }) });
  await out.data({ path, pid }, () => `${path} is removed.`);
};

export default command;
