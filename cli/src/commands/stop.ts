import type { Command } from "../command.ts";
import { signalEach } from "../signal-each.ts";

const command: Command = (call) => signalEach(call, "SIGINT");

export default command;
