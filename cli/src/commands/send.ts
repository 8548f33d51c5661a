import type { Command } from "../command.ts";
import { readInput, readJsonOption } from "../read-input.ts";

const command: Command = async ({ args, client, options, out }) => {
  const [pid = "", given = ""] = args;
  const input = await readInput(given);
  const type = options.text("type");
  const label = options.text("label");
  const { id } = await client.send({
    pid,
    body:
      options.flag("json") && typeof input === "string"
        ? readJsonOption(input, "the message")
        : input,
    ...(type === undefined ? {} : { type }),
    ...(label === undefined ? {} : { label }),
  });
  await out.data({ id }, () => id);
};

export default command;
