// Prints what an undo restored or a commit applied.

import type { WorkspaceActReport } from "@aos/protocol";
import type { Output } from "./output.ts";
import { printable } from "./printable.ts";

export async function printAct(
  out: Output,
  done: string,
  report: WorkspaceActReport & { readonly notes?: readonly string[] },
): Promise<void> {
  const { files, project, notes = [] } = report;
  for (const note of notes) out.note(note);
  const where = project === null ? "" : ` (${project})`;
  out.note(
    files.length === 0
      ? `nothing to do${where}`
      : `${done} ${files.length} ${files.length === 1 ? "file or folder" : "files and folders"}${where}`,
  );
  const say = (text: string) => (out.terminal ? printable(text) : text);
  await out.data(report, () => files.map(say).join("\n"));
}
