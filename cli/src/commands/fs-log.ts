// `aos fs log`: the versions of a file, the newest first.

import type { Command } from "../command.ts";
import { printMoreHint, readLimit } from "../list-page.ts";
import { printable } from "../printable.ts";
import { ago, table } from "../table.ts";
import { whoseFiles } from "../whose-files.ts";

const USUAL_LIMIT = 50;
const MOST_LISTED = 1000;

const command: Command = async ({ args: [path = ""], client, options, out }) => {
  const limit = readLimit(options, { usual: USUAL_LIMIT, most: MOST_LISTED });
  const after = options.text("after");
  const page = { limit, ...(after === undefined ? {} : { after }) };
  const report = await client.fileVersions({ path, ...page, ...whoseFiles(options) });
  const nowMs = Date.now();
  await out.data(report.versions, () =>
    table(
      ["VERSION", "CHANGE", "BYTES", "AGE", "AGENT", "+LABEL"],
      report.versions.map((one) => [
        one.version,
        one.isCurrent ? `${one.change} (current)` : one.change,
        one.bytes === null ? "" : String(one.bytes),
        ago(one.writtenAt, nowMs),
        printable(one.agent),
        one.label ?? "",
      ]),
      out,
    ),
  );
  if (report.versions.length === 0) out.note(`${printable(path)} was never written`);
  if (!report.isComplete)
    out.note("retention has removed journals: there may have been other versions");
  if (report.next === null) return;
  const next = printable(`aos fs log ${path} -n ${limit} --after ${report.next}`);
  printMoreHint(out, { listed: report.versions.length, most: MOST_LISTED, next });
};

export default command;
