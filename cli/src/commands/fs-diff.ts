// `aos fs diff`: what differs between two versions of a file, as a patch.

import { colouredPatch } from "../coloured-patch.ts";
import type { Command } from "../command.ts";
import { printable } from "../printable.ts";
import { whoseFiles } from "../whose-files.ts";

const command: Command = async ({ args: [path = ""], client, options, out }) => {
  const [from, to] = [options.text("from"), options.text("to")];
  const report = await client.diffFile({
    path,
    ...whoseFiles(options),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  });
  if (report.diff === "") out.note("no difference");
  await out.data(report, () => colouredPatch(out.terminal ? printable(report.diff) : report.diff));
};

export default command;
