import type { Command } from "../command.ts";
import { sayAct } from "../say-act.ts";

const command: Command = async ({ args, client, options, out }) => {
  const report = await client.commit({ pid: args[0] ?? "", force: options.flag("force") });
  await sayAct(out, "committed", report);
};

export default command;
