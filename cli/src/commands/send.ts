import type { Command } from "../command.ts";
import { readJson, readText } from "../read-input.ts";

export const command: Command = async ({ args, client, options, out }) => {
  const [pid = "", given = ""] = args;
  const text = await readText(given);
  const type = options.text("type");
  const label = options.text("label");
  const { id } = await client.send({
    pid,
    body: options.flag("json") ? readJson(text, "the message") : text,
    ...(type === undefined ? {} : { type }),
    ...(label === undefined ? {} : { label }),
  });
  await out.data({ id }, () => id);
};
