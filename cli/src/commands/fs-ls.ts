import { MOST_LISTED } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { printMoreHint, readLimit } from "../list-page.ts";
import { printable } from "../printable.ts";
import { ago, table } from "../table.ts";
import { whoseFiles } from "../whose-files.ts";

const USUAL_LIMIT = 1000;

const command: Command = async ({ args: [path = "/"], client, options, out }) => {
  const limit = readLimit(options, { usual: USUAL_LIMIT, most: MOST_LISTED });
  const after = options.text("after");
  const report = await client.listFiles({
    path,
    limit,
    ...whoseFiles(options),
    ...(after === undefined ? {} : { after }),
  });
  const nowMs = Date.now();
  await out.data(report.entries, () =>
    table(
      ["PATH", "BYTES", "AGE", "+WRITER", "+LABEL"],
      report.entries.map((entry) => [
        printable(entry.path),
        entry.bytes === null ? "" : String(entry.bytes),
        entry.writtenAt === null ? "" : ago(entry.writtenAt, nowMs),
        entry.writer ?? "",
        entry.label ?? "",
      ]),
      out,
    ),
  );
  if (report.next === null) return;
  const next = printable(`aos fs ls ${path} -n ${limit} --after ${report.next}`);
  printMoreHint(out, { listed: report.entries.length, most: MOST_LISTED, next });
};

export default command;
