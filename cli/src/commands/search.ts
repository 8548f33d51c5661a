// `aos search`: what was said in runs.

import type { Command } from "../command.ts";
import { oneLine } from "../memory-text.ts";
import { printable } from "../printable.ts";
import { readNumberOption } from "../read-number.ts";
import { timeSpan } from "../time-span.ts";
import { table } from "../table.ts";

const command: Command = async ({ args, client, options, out }) => {
  const limit = readNumberOption(options.text("limit"), "--limit");
  const given = ["agent", "pid", "tenant", "label"].flatMap((name) => {
    const value = options.text(name);
    return value === undefined ? [] : [[name, value]];
  });
  const report = await client.searchRuns({
    query: args[0] ?? "",
    ...(Object.fromEntries(given) as { agent?: string }),
    ...timeSpan(options),
    ...(limit === undefined ? {} : { limit }),
  });
  await out.data(report, () => {
    const older =
      report.since === null ? [] : [`Records from before ${report.since} were not searched.`];
    const found =
      report.found.length === 0
        ? `Nothing that was said in the runs of ${report.tenant} fits these words.`
        : table(
            ["SCORE", "WHEN", "RECORD", "AGENT", "+LABEL", "+WHY", "SPEAKER", "TEXT"],
            report.found.map(({ score, at, pid, seq, agent, label, speaker, text, why }) => [
              score.toFixed(2),
              at.slice(0, 16).replace("T", " "),
              `${pid} ${seq}`,
              printable(agent),
              label,
              printable(why.map(({ says }) => says).join("; ")),
              printable(speaker),
              oneLine(text),
            ]),
            out,
          );
    return [found, ...older].join("\n");
  });
};

export default command;
