import type { Command } from "../command.ts";
import { printEnding } from "../print-ending.ts";
import { readDurationOption } from "../read-number.ts";
import { waitForEnd } from "../wait-for-end.ts";

const command: Command = async (call) => {
  const timeoutMs = readDurationOption(call.options.text("timeout"), "--timeout");
  return printEnding(call.out, await waitForEnd(call, call.args[0] ?? "", timeoutMs));
};

export default command;
