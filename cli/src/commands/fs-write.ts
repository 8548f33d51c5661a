import type { Command } from "../command.ts";
import { readJsonOption, readText } from "../read-input.ts";

const command: Command = async ({ args: [path = "", given = ""], client, options, out }) => {
  const text = await readText(given);
  const tenant = options.text("tenant");
  const label = options.text("label");
  const { pid } = await client.writeFile({
    path,
    data: options.flag("text") ? text : readJsonOption(text, "DATA"),
    ...(tenant === undefined ? {} : { tenant }),
    ...(label === undefined ? {} : { label }),
  });
  await out.data({ path, pid }, () => `${path} is written.`);
};

export default command;
