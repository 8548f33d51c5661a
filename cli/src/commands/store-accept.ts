import { SysError } from "@aos/protocol/words";
import { askYes } from "../ask-person.ts";
import type { Command } from "../command.ts";

const command: Command = async ({ client, args, options, out }) => {
  const before = await client.storeReport();
  if (before.ok) throw new SysError("ESTATE", "nothing is lost, and nothing is held");
  const what = args.length === 0 ? `${before.held.length} processes` : args.join(", ");
  if (!options.flag("yes") && !(await askYes(`Accept the loss, and let ${what} go on? (yes) `)))
    throw new SysError("EINVAL", "nothing was changed", {
      hint: "say yes when asked, or give --yes",
    });
  const report = await client.acceptStore(args.length === 0 ? {} : { pids: [...args] });
  await out.data(
    report,
    () =>
      `${report.released} processes go on${report.ok ? "" : `; ${report.summary}`}. What may have happened outside is asked about: \`aos approvals\``,
  );
};

export default command;
