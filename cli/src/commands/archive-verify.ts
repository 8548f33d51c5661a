import { exitCodes } from "@aos/protocol/words";
import type { Command } from "../command.ts";

const command: Command = async ({ client, out }) => {
  const report = await client.verifyArchive();
  const { ok, bundles, runs, unlisted, findings } = report;
  await out.data(report, () =>
    [
      `${bundles} bundles, ${runs} runs: ${ok ? "all as they were written" : `${findings.length} findings`}`,
      ...findings.map(({ bundle, message }) => `  ${bundle}: ${message}`),
      ...(unlisted === 0 ? [] : [`${unlisted} bundles are not in the ledger, and are not read`]),
    ].join("\n"),
  );
  return ok ? exitCodes.success : exitCodes.failed;
};

export default command;
