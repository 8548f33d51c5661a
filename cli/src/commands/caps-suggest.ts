import { writeFileSync } from "node:fs";
import { SysError } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { holderOf } from "../holder-of.ts";

const command: Command = async ({ args, client, options, out }) => {
  const widen = options.text("widen");
  const file = options.text("write");
  if (widen !== undefined && widen !== "folder" && widen !== "none") {
    throw new SysError("EINVAL", `--widen is folder or none, not ${JSON.stringify(widen)}`);
  }
  const report = await client.suggest({
    ...holderOf(args[0] ?? ""),
    ...(widen === undefined ? {} : { widen }),
  });
  const { runs, calls, unused, manifest } = report;
  out.note(`from ${calls} calls of ${runs} ${runs === 1 ? "run" : "runs"}`);
  for (const capability of unused) out.note(`never used: ${capability}`);
  if (file !== undefined) writeNew(file, manifest);
  await out.data(report, () => (file === undefined ? manifest : ""));
};

export default command;

/** A manifest that somebody wrote is not ours to write over. */
function writeNew(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: "wx" });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw code === "EEXIST"
      ? new SysError("EEXIST", `${file} already exists`, { hint: "name a new file" })
      : new SysError("EINVAL", `cannot write ${file}: ${message}`);
  }
}
