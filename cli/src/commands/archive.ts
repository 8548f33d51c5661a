import { SysError } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { readDurationOption } from "../read-number.ts";

const command: Command = async ({ args, client, options, out }) => {
  const [pid] = args;
  const olderThan = readDurationOption(options.text("olderThan"), "--older-than");
  if (pid !== undefined && olderThan !== undefined)
    throw new SysError("EINVAL", "give a pid or --older-than, not both");
  const report = await client.archiveRuns({
    dryRun: options.flag("dryRun"),
    ...(pid === undefined ? {} : { pid }),
    ...(olderThan === undefined
      ? {}
      : { endedBefore: new Date(Date.now() - olderThan).toISOString() }),
  });
  const { dryRun, archived, records, bundles, waiting } = report;
  await out.data(report, () =>
    [
      `${dryRun ? "would archive" : "archived"} ${archived} runs (${records} records)`,
      ...bundles.map((bundle) => `  ${bundle}`),
      ...(waiting === 0 ? [] : [`${waiting} runs stay: their trees have not ended, or only just`]),
    ].join("\n"),
  );
};

export default command;
