import type { Command } from "../command.ts";

const command: Command = async ({ client, options, out }) => {
  const report = await client.collect({ dryRun: options.flag("dryRun") });
  const { dryRun, compacted, archived, recordsRemoved, bytesFreed, kept, resultsRemoved } = report;
  const results =
    resultsRemoved === 0
      ? ""
      : `; ${dryRun ? "would remove" : "removed"} ${resultsRemoved} old results`;
  const verb = archived > 0 ? ["archive", "archived"] : ["compact", "compacted"];
  const did = dryRun ? `would ${verb[0]}` : verb[1];
  await out.data(
    report,
    () =>
      `${did} ${compacted + archived} runs (${recordsRemoved} records, ${bytesFreed} bytes); ${kept} runs keep their history${results}`,
  );
};

export default command;
