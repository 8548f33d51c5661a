// `aos chat`: starts an agent that stays, and talks with it.

import { isAtTerminal } from "../is-at-terminal.ts";
import type { Command } from "../command.ts";
import { ChatConversation } from "../chat/conversation.ts";
import { spawnArgs } from "../spawn-agent.ts";

const command: Command = async (call) => {
  const { args, client, out } = call;
  const [agent = "", first] = args;
  const asked = await spawnArgs({ ...call, args: [agent], readsPipe: false });
  const { pid } = await client.spawn({ ...asked, persistent: true });
  const isTerminal = isAtTerminal();
  out.note(isTerminal ? `${pid} listens; /help lists the commands` : `${pid} listens`);
  const code = await new ChatConversation(call, pid).hold(first);
  // Nobody knows of one that was fed from a pipe.
  if (!isTerminal) await client.signal({ pid, signal: "SIGTERM" }).catch(() => {});
  return code;
};

export default command;
