import type { Command } from "../command.ts";
import { printAct } from "../print-act.ts";

const command: Command = async ({ args, client, options, out }) => {
  const report = await client.undo({ pid: args[0] ?? "", force: options.flag("force") });
  await printAct(out, "reverted", report);
};

export default command;
