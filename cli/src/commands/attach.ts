// `aos attach`: talks with a persistent agent, or follows another process to its end.

import type { Command } from "../command.ts";
import { ChatConversation } from "../chat/conversation.ts";
import { followRun } from "../follow-run.ts";

const command: Command = async (call) => {
  const { args, client } = call;
  const { pid, manifest } = await client.manifest({ pid: args[0] ?? "" });
  const { persistent } = manifest as { readonly persistent?: boolean };
  return persistent === true ? new ChatConversation(call, pid).hold() : followRun(call, pid);
};

export default command;
