import type { Command } from "../command.ts";
import { readMessageBody } from "../read-input.ts";
import { readUrgency } from "../read-urgency.ts";

const command: Command = async ({ args, client, options, out }) => {
  const [topic = "", given = ""] = args;
  const label = options.text("label");
  const tenant = options.text("tenant");
  const report = await client.publish({
    topic,
    body: await readMessageBody(given, options.flag("json")),
    ...(label === undefined ? {} : { label }),
    ...(tenant === undefined ? {} : { tenant }),
    ...readUrgency(options),
  });
  await out.data(report, () => String(report.reached));
};

export default command;
