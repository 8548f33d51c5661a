import type { Command } from "../command.ts";
import { printEstimate } from "../print-estimate.ts";
import { readNumberOption } from "../read-number.ts";

const command: Command = async ({ args, client, options, out }) => {
  const at = readNumberOption(options.text("at"), "--at");
  if (options.flag("estimate")) {
    const of = { pid: args[0] ?? "", ...(at === undefined ? {} : { at }) };
    return printEstimate(out, await client.estimateFork(of));
  }
  const { pid } = await client.fork({ pid: args[0] ?? "", ...(at === undefined ? {} : { at }) });
  await out.data({ pid }, () => pid);
};

export default command;
