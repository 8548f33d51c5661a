// `aos debug`: steps through a process at a terminal; elsewhere it prints the core dump or one record, or makes a
// fork with another result.

import { SysError } from "@aos/protocol/words";
import { stringify } from "yaml";
import type { CommandCall, Command } from "../command.ts";
import { momentText } from "../debug/moment-text.ts";
import { readJsonOption, readText } from "../read-input.ts";
import { readNumberOption } from "../read-number.ts";
import { formatContext } from "../format-context.ts";

const command: Command = async (call) => {
  const { args, client, options, out } = call;
  const pid = args[0] ?? "";
  const at = readNumberOption(options.text("at"), "--at");
  const edit = readNumberOption(options.text("edit"), "--edit");
  const result = options.text("result");
  if ((edit === undefined) !== (result === undefined))
    throw new SysError("EINVAL", "--edit and --result must be used together", {
      hint: `aos debug PID --edit SEQ --result '{"ok": true}'`,
    });
  if (edit !== undefined && result !== undefined) return editAt(call, pid, edit, result);
  if (at !== undefined) return showAt(call, pid, at);
  const isLive = out.terminal && process.stdin.isTTY && out.format === "text";
  if (isLive && !options.flag("core")) {
    const { stepThrough } = await import("../debug/session.ts");
    return stepThrough(client, pid);
  }
  const core = await client.coreDump({ pid });
  await out.data(core, () => stringify(core));
};

export default command;

async function showAt({ client, out }: CommandCall, pid: string, seq: number): Promise<void> {
  const [moment, context] = await Promise.all([
    client.moment({ pid, seq }),
    client.context({ pid, at: seq }),
  ]);
  await out.data({ ...moment, context }, () => momentText(moment, formatContext(context)));
}

async function editAt({ client, out }: CommandCall, pid: string, seq: number, given: string) {
  const result = readJsonOption(await readText(given), "--result");
  const { call, record } = await client.moment({ pid, seq });
  if (call === null)
    throw new SysError("EINVAL", `record ${seq} is not a call, it is ${record.kind}`, {
      hint: `\`aos logs ${pid}\` lists the records`,
    });
  const fork = await client.retry({ pid, from: call.n, result });
  await out.data({ pid: fork.pid }, () => fork.pid);
}
