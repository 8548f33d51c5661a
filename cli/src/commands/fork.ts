import type { Command } from "../command.ts";
import { printEstimate } from "../print-estimate.ts";
import { readNumber } from "../read-number.ts";

export const command: Command = async ({ args, client, options, out }) => {
  const at = readNumber(options.text("at"), "--at");
  if (options.flag("estimate")) {
    const of = { pid: args[0] ?? "", ...(at === undefined ? {} : { at }) };
    return printEstimate(out, await client.estimateFork(of));
  }
  const { pid } = await client.fork({ pid: args[0] ?? "", ...(at === undefined ? {} : { at }) });
  await out.data({ pid }, () => pid);
};
