// `aos why`: explains a record or the end of a process.

import type { Command } from "../command.ts";
import { whyText } from "../debug/why-text.ts";
import { readNumberOption } from "../read-number.ts";

const command: Command = async ({ args, client, out }) => {
  const seq = readNumberOption(args[1], "SEQ");
  const causes = await client.causes({ pid: args[0] ?? "", ...(seq === undefined ? {} : { seq }) });
  const columns = out.terminal ? process.stdout.columns : Infinity;
  await out.data(causes, () => whyText(causes, columns));
};

export default command;
