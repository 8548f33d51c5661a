import type { Command } from "../command.ts";
import { signalEach } from "../signal-each.ts";

export const command: Command = (call) => signalEach(call, "SIGINT");
