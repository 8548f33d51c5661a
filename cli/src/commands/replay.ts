import { exitCodes } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { printEstimate } from "../print-estimate.ts";

const command: Command = async ({ args, client, options, out }) => {
  if (options.flag("estimate"))
    return printEstimate(out, await client.estimateReplay({ pid: args[0] ?? "" }));
  const report = await client.replay({ pid: args[0] ?? "" });
  const { pid, records, identical, difference } = report;
  await out.data(report, () => {
    if (identical) return `${pid}: ${records} records, identical`;
    if (difference === null || options.flag("verify")) return `${pid}: not identical`;
    return [
      `${pid}: not identical from record ${difference.seq} on`,
      `recorded  ${difference.recorded}`,
      `replayed  ${difference.replayed}`,
    ].join("\n");
  });
  return identical ? exitCodes.success : exitCodes.failed;
};

export default command;
