import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { OnProgress } from "@aos/client";
import { exitCodes, SysError } from "@aos/protocol/words";
import type { Command, CommandCall } from "../command.ts";
import { runOffline } from "../offline.ts";
import { printEstimate } from "../print-estimate.ts";
import { startProgress } from "../progress.ts";

const command: Command = async (call) => {
  const { args, client, options, out } = call;
  if (options.flag("estimate"))
    return printEstimate(out, await client.estimateReplay({ pid: args[0] ?? "" }));
  const asked = args[0] ?? "";
  if (isFile(asked)) return replayImported(call, { file: resolve(asked) });
  const progress = startProgress(out, "replay", { unit: "records" });
  const onProgress: OnProgress = ({ done, total }) => progress.at(done, total);
  const report = await client
    .replay({ pid: asked }, { onProgress })
    .catch((error: unknown) => {
      if (error instanceof SysError && error.code === "ENOENT" && asked.startsWith("agt_"))
        return null;
      throw error;
    })
    .finally(() => progress.stop());
  if (report === null) return replayImported(call, { pid: asked });
  const { pid, records, identical, difference } = report;
  await out.data(report, () => {
    if (identical) return `${pid}: ${records} records, identical`;
    if (difference === null || options.flag("verify")) return `${pid}: not identical`;
    return [
      `${pid}: not identical from record ${difference.seq} on`,
      `recorded  ${difference.recorded}`,
      `replayed  ${difference.replayed}`,
    ].join("\n");
  });
  return identical ? exitCodes.success : exitCodes.failed;
};

export default command;

const isFile = (text: string): boolean =>
  statSync(text, { throwIfNoEntry: false })?.isFile() === true;

/** Of a bundle, or of one that was imported: no daemon is needed. */
async function replayImported(
  { endpoint, out }: CommandCall,
  of: { readonly file: string } | { readonly pid: string },
): Promise<number> {
  const { runs } = await runOffline(endpoint, { do: "replay", ...of }, out);
  await out.data(runs, () => runs.map(({ pid, replay }) => `${pid}: ${replay}`).join("\n"));
  return runs.every(({ replay }) => replay === "identical") ? exitCodes.success : exitCodes.failed;
}
