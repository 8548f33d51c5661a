import { resolve } from "node:path";
import type { Command } from "../command.ts";
import { readFile } from "../read-file.ts";
import { readDurationOption } from "../read-number.ts";
import { startProgress } from "../progress.ts";
import { table } from "../table.ts";

const command: Command = async ({ args, client, options, out }) => {
  const sinceMs = readDurationOption(options.text("since") ?? "30d", "--since") ?? 0;
  const { text } = readFile(args[0] ?? "");
  const progress = startProgress(out, "backtest", { unit: "runs" });
  const asked = client.backtestPolicy(
    { policy: { file: resolve(args[0] ?? ""), text }, sinceMs },
    { onProgress: ({ done, total, detail }) => progress.at(done, total, detail) },
  );
  const report = await asked.finally(() => progress.stop());
  const { runs, calls, changed, changes } = report;
  out.note(`${changed} of ${calls} calls in ${runs} runs since ${report.since} would differ`);
  await out.data(report, () =>
    changes.length === 0
      ? ""
      : table(
          ["AT", "PID", "SEQ", "AGENT", "CALL", "WAS", "WOULD BE", "RULE"],
          changes.map(({ at, pid, seq, agent, call, tool, from, to, rule }) => [
            at,
            pid,
            String(seq),
            agent,
            tool === null ? call : `${call} ${tool}`,
            from,
            to,
            rule,
          ]),
        ),
  );
};

export default command;
