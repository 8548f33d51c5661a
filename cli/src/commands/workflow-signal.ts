import type { Command } from "../command.ts";
import { readMessageBody } from "../read-input.ts";

const command: Command = async ({ args, client, options, out }) => {
  const [pid = "", signal = "", given] = args;
  const label = options.text("label");
  const { id } = await client.signalWorkflow({
    pid,
    signal,
    ...(given === undefined ? {} : { body: await readMessageBody(given, options.flag("json")) }),
    ...(label === undefined ? {} : { label }),
  });
  await out.data({ id }, () => id);
};

export default command;
