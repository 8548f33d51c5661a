import { exitCodes, SysError } from "@aos/protocol/words";
import { askYes } from "../ask-person.ts";
import type { Command } from "../command.ts";
import { wholeText } from "../memory-text.ts";
import { printable } from "../printable.ts";
import { quarantinedPath } from "../quarantined-path.ts";

/** What was read is what is let in, whatever is written meanwhile. It is shown first. */
const command: Command = async ({ args: [given = ""], client, options, out }) => {
  const path = quarantinedPath(given);
  const tenant = options.text("tenant");
  const whose = tenant === undefined ? {} : { tenant };
  const { data, label, writer } = await client.memoryRecord({ path, ...whose });
  if (!label.startsWith("untrusted"))
    throw new SysError("ESTATE", `${path} is not in quarantine: its label is ${label}`);
  if (!options.flag("yes")) {
    process.stderr.write(`${path}\nwritten by ${writer}, ${label}\n\n${textOf(data)}\n\n`);
    if (!(await askYes("Let it in, in your name? Type yes: ")))
      throw new SysError("EINVAL", "it stays in quarantine", {
        hint: "without a terminal pass --yes",
      });
  }
  const { pid } = await client.writeFile({ path, data, ...whose });
  out.note(`${path} is let in, as trusted`);
  await out.data({ path, pid, data }, () => wholeText(data, out));
  return exitCodes.success;
};

const textOf = (data: unknown): string =>
  printable(typeof data === "string" ? data : JSON.stringify(data, null, 2));

export default command;
