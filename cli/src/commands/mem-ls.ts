import type { MemoryFile, MemoryReport } from "@aos/protocol";
import type { Command } from "../command.ts";
import { printable } from "../printable.ts";
import { ago, table } from "../table.ts";

export const command: Command = async ({ args: [pid = "", path], client, out }) => {
  const files = listed(await client.memory({ pid, ...(path === undefined ? {} : { path }) }));
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
};

/** What is in a file is read, not listed. */
function listed({ file, files }: MemoryReport): readonly MemoryFile[] {
  if (file === null) return files;
  const { data: _, ...own } = file;
  return [own, ...files];
}
