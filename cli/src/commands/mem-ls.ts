import { MOST_LISTED, type MemoryFile, type MemoryReport } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { readLimit, printMoreHint } from "../list-page.ts";
import { printable } from "../printable.ts";
import { ago, table } from "../table.ts";

const USUAL_LIMIT = 1000;

const command: Command = async ({ args: [pid = "", path], client, options, out }) => {
  const limit = readLimit(options, { usual: USUAL_LIMIT, most: MOST_LISTED });
  const after = options.text("after");
  const report = await client.memory({
    pid,
    limit,
    ...(path === undefined ? {} : { path }),
    ...(after === undefined ? {} : { after }),
  });
  const files = after === undefined ? listed(report) : report.files;
  const nowMs = Date.now();
  await out.data(files, () =>
    table(
      ["PATH", "BYTES", "AGE", "WRITER", "+LABEL"],
      files.map((file) => [
        printable(file.path),
        String(file.bytes),
        ago(file.writtenAt, nowMs),
        file.writer,
        file.label,
      ]),
      out,
    ),
  );
  if (report.next === null) return;
  const place = path === undefined ? "" : ` ${path}`;
  const next = `aos mem ls ${pid}${place} -n ${limit} --after ${report.next}`;
  printMoreHint(out, { listed: report.files.length, most: MOST_LISTED, next: printable(next) });
};

export default command;

/** What is in a file is read, not listed. */
function listed({ file, files }: MemoryReport): readonly MemoryFile[] {
  if (file === null) return files;
  const { data: _, ...own } = file;
  return [own, ...files];
}
