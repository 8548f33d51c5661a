import type { Command } from "../command.ts";

const command: Command = async ({ args: [name = ""], client, options, out }) => {
  const tenant = options.text("tenant");
  const removed = await client.removeSchedule({
    name,
    ...(tenant === undefined ? {} : { tenant }),
  });
  await out.data(removed, () => "");
};

export default command;
