import { SysError } from "@aos/protocol/words";
import { stringify } from "yaml";
import type { Command } from "../command.ts";
import { printable } from "../printable.ts";

const command: Command = async ({ args, client, out }) => {
  const { pid, plan } = await client.goal({ pid: args[0] ?? "" });
  if (plan === null)
    throw new SysError("ENOENT", `${pid} has no plan yet`, { hint: `aos goal show ${pid}` });
  await out.data(plan, () => printable(stringify(plan)).trimEnd());
};

export default command;
