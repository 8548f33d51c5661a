import type { Command } from "../command.ts";
import { sayAct } from "../say-act.ts";

const command: Command = async ({ args, client, options, out }) => {
  const report = await client.undo({ pid: args[0] ?? "", force: options.flag("force") });
  await sayAct(out, "reverted", report);
};

export default command;
