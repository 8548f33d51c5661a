import { SysError } from "@aos/protocol/words";
import { askYes } from "../ask-person.ts";
import type { Command } from "../command.ts";

const command: Command = async ({ client, args, options, out }) => {
  const before = await client.storeReport();
  if (before.ok) throw new SysError("ESTATE", "nothing is lost, and no process is blocked");
  const what = args.length === 0 ? `${before.held.length} processes` : args.join(", ");
  if (!options.flag("yes") && !(await askYes(`Accept the loss, and resume ${what}? (yes) `)))
    throw new SysError("EINVAL", "nothing was changed", {
      hint: "answer yes, or pass --yes",
    });
  const report = await client.acceptStore(args.length === 0 ? {} : { pids: [...args] });
  await out.data(
    report,
    () =>
      `resumed ${report.released} processes${report.ok ? "" : `; ${report.summary}`}. Questions about external effects that may have happened: \`aos approvals\``,
  );
};

export default command;
