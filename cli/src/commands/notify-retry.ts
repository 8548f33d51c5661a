import type { Command } from "../command.ts";

const command: Command = async ({ args, client, options, out }) => {
  const [id = ""] = args;
  const tenant = options.text("tenant");
  const report = await client.retryNotification({
    id,
    ...(tenant === undefined ? {} : { tenant }),
  });
  await out.data(report, () => report.id);
};

export default command;
