import { exitCodes, SysError } from "@aos/protocol/words";
import { askYes } from "../ask-person.ts";
import type { Command } from "../command.ts";
import { recordLines } from "../memory-record-text.ts";
import { wholeText } from "../memory-text.ts";
import { quarantinedPath } from "../quarantined-path.ts";

/** What was read is what is let in, whatever is written meanwhile. It is shown first. */
const command: Command = async ({ args: [given = ""], client, options, out }) => {
  const path = quarantinedPath(given);
  const tenant = options.text("tenant");
  const whose = tenant === undefined ? {} : { tenant };
  const record = await client.memoryRecord({ path, ...whose });
  const { data, label } = record;
  if (!label.startsWith("untrusted/"))
    throw new SysError("ESTATE", `${path} is not in quarantine: its label is ${label}`);
  if (!options.flag("yes")) {
    process.stderr.write(
      `${recordLines(record).join("\n")}\n\n${wholeText(data, { terminal: true })}\n\n`,
    );
    if (!(await askYes("Let it in, in your name? Type yes: ")))
      throw new SysError("EINVAL", "it stays in quarantine", {
        hint: "without a terminal pass --yes",
      });
  }
  const approved = label.replace(/^untrusted/, "trusted"); // how secret it is stays
  const { pid } = await client.writeFile({ path, data, label: approved, ...whose });
  out.note(`${path} is let in, as ${approved}`);
  await out.data({ path, pid, data }, () => wholeText(data, out));
  return exitCodes.success;
};

export default command;
