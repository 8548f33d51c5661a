import type { Command } from "../command.ts";
import { readNumber } from "../read-number.ts";
import { sayContext } from "../say-context.ts";

export const command: Command = async ({ args, client, options, out }) => {
  const at = readNumber(options.text("at"), "--at");
  const pid = args[0] ?? "";
  const report = await client.context(at === undefined ? { pid } : { pid, at });
  await out.data(report, () => sayContext(report));
};
