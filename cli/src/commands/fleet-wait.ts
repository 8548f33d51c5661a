import type { Command } from "../command.ts";
import { readDurationOption } from "../read-number.ts";
import { waitForItem } from "../wait-for-item.ts";

const command: Command = async (call) => {
  const [name = "", item = ""] = call.args;
  const timeoutMs = readDurationOption(call.options.text("timeout"), "--timeout");
  return waitForItem(call, { name, item, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
};

export default command;
