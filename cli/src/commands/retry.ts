import type { Command } from "../command.ts";
import { readJsonOption, readText } from "../read-input.ts";
import { readNumberOption } from "../read-number.ts";

const command: Command = async ({ args, client, options, out }) => {
  const from = readNumberOption(options.text("from"), "--from");
  const result = options.text("result");
  const { pid } = await client.retry({
    pid: args[0] ?? "",
    ...(from === undefined ? {} : { from }),
    ...(result === undefined ? {} : { result: readJsonOption(await readText(result), "--result") }),
  });
  await out.data({ pid }, () => pid);
};

export default command;
