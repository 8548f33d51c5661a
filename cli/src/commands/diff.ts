// `aos diff`: the changes of a workspace as a patch.

import type { ChangesReport, FileChange } from "@aos/protocol";
import { colouredPatch } from "../coloured-patch.ts";
import type { Command } from "../command.ts";
import { printable } from "../printable.ts";
import { table } from "../table.ts";

const command: Command = async ({ args, client, options, out }) => {
  const isShort = options.flag("names");
  const report: ChangesReport & { readonly notes?: readonly string[] } = await client.changes({
    pid: args[0] ?? "",
    ...(isShort ? {} : { text: true }),
  });
  for (const note of report.notes ?? []) out.note(note);
  if (report.changes.length === 0) out.note(`no changes (${report.state})`);
  const say = (text: string) => (out.terminal ? printable(text) : text);
  await out.data(report, () =>
    isShort ? say(names(report.changes)) : colouredPatch(say(patches(report.changes))),
  );
};

export default command;

/** Folders are in no patch; an empty one that was added would be told by nothing. */
const patches = (changes: readonly FileChange[]): string =>
  changes.map(({ diff }) => diff ?? "").join("");

const names = (changes: readonly FileChange[]): string =>
  changes.length === 0
    ? ""
    : table(
        ["CHANGE", "KIND", "BEFORE", "AFTER", "PATH"],
        changes.map(({ change, kind, before, after, path }) => [
          change,
          kind,
          before === null ? "-" : String(before),
          after === null ? "-" : String(after),
          path,
        ]),
      );
