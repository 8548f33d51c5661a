import type { Command } from "../command.ts";
import { readMessageBody } from "../read-input.ts";
import { readUrgency } from "../read-urgency.ts";

const command: Command = async ({ args, client, options, out }) => {
  const [pid = "", given = ""] = args;
  const type = options.text("type");
  const label = options.text("label");
  const { id } = await client.send({
    pid,
    body: await readMessageBody(given, options.flag("json")),
    ...(type === undefined ? {} : { type }),
    ...(label === undefined ? {} : { label }),
    ...readUrgency(options),
  });
  await out.data({ id }, () => id);
};

export default command;
