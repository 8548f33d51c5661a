import type { Command } from "../command.ts";
import { signalEach } from "../signal-each.ts";

const command: Command = (call) => signalEach(call, "SIGTERM");

export default command;
