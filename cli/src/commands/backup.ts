import { resolve } from "node:path";
import type { BackupReport } from "@aos/protocol";
import { SysError } from "@aos/protocol/words";
import type { Command, CommandCall } from "../command.ts";
import { NoDaemon } from "../daemon-fetch.ts";
import { runOffline } from "../offline.ts";
import { startProgress } from "../progress.ts";
import { readPassphrase } from "../read-passphrase.ts";

const command: Command = async (call) => {
  const file = resolve(call.args[0] ?? "");
  const passphrase = await readPassphrase(call.options, { isNew: true });
  const report = await backUp(call, file, passphrase);
  const { bytes, files, skipped, endedAt } = report;
  const left = skipped === 0 ? "" : `; ${skipped} links of workspaces are not in it`;
  await call.out.data(
    report,
    () =>
      `wrote ${file} (${bytes} bytes, ${files} files): all that was acknowledged before ${endedAt}${left}`,
  );
};

export default command;

/** A running daemon does it; where there is none, nothing is started for it. */
async function backUp(
  { client, endpoint, out }: CommandCall,
  file: string,
  passphrase: string,
): Promise<BackupReport> {
  const progress = startProgress(out, "backup", { unit: "bytes" });
  try {
    for await (const { doing, bytes, report } of client.backUp({ file, passphrase })) {
      if (report !== null) return report;
      progress.at(bytes, undefined, doing);
    }
  } catch (error) {
    if (!(error instanceof NoDaemon) || endpoint.remote !== undefined) throw error;
    return runOffline(endpoint, { do: "backup", file, passphrase }, out);
  } finally {
    progress.stop();
  }
  throw new SysError("EINTR", "the daemon stopped before the backup was written");
}
