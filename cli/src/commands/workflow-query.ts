import type { Command } from "../command.ts";
import { resultText } from "../print-ending.ts";
import { printable } from "../printable.ts";

const command: Command = async ({ args, client, out }) => {
  const [pid = "", query = ""] = args;
  const answer = await client.queryWorkflow({ pid, query });
  await out.data(answer, () => printable(resultText(answer.value)));
};

export default command;
