import type { Command } from "../command.ts";
import { readJson, readText } from "../read-input.ts";
import { readNumber } from "../read-number.ts";

export const command: Command = async ({ args, client, options, out }) => {
  const from = readNumber(options.text("from"), "--from");
  const result = options.text("result");
  const { pid } = await client.retry({
    pid: args[0] ?? "",
    ...(from === undefined ? {} : { from }),
    ...(result === undefined ? {} : { result: readJson(await readText(result), "--result") }),
  });
  await out.data({ pid }, () => pid);
};
