import { resolve } from "node:path";
import type { Command } from "../command.ts";

const command: Command = async ({ args, options, client, out }) => {
  const tenant = options.text("tenant");
  const removed = await client.distrustFolder({
    folder: resolve(args[0] ?? "."),
    ...(tenant === undefined ? {} : { tenant }),
  });
  await out.data(removed, () => `${removed.folder} is no longer trusted`);
};

export default command;
