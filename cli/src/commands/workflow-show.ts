import type { Command } from "../command.ts";
import { workflowText } from "../workflow-text.ts";

const command: Command = async ({ args, client, out }) => {
  const workflow = await client.workflow({ pid: args[0] ?? "" });
  await out.data(workflow, () => workflowText(workflow, out));
};

export default command;
