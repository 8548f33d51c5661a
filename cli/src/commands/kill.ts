import type { Command } from "../command.ts";
import { signalEach } from "../signal-each.ts";
import { signalOf } from "../signal-of.ts";

const command: Command = (call) =>
  signalEach(call, signalOf(call.options.text("signal") ?? "TERM"));

export default command;
