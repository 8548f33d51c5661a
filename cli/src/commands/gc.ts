import type { Command } from "../command.ts";

const command: Command = async ({ client, options, out }) => {
  const report = await client.collect({ dryRun: options.flag("dryRun") });
  const { dryRun, compacted, recordsRemoved, bytesFreed, kept, resultsRemoved } = report;
  const results =
    resultsRemoved === 0
      ? ""
      : `; ${dryRun ? "would remove" : "removed"} ${resultsRemoved} old results`;
  await out.data(
    report,
    () =>
      `${dryRun ? "would compact" : "compacted"} ${compacted} runs (${recordsRemoved} records, ${bytesFreed} bytes); ${kept} runs keep their history${results}`,
  );
};

export default command;
