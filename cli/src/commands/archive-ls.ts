import type { Command } from "../command.ts";
import { readNumberOption } from "../read-number.ts";
import { table } from "../table.ts";

const command: Command = async ({ client, options, out }) => {
  const tenant = options.text("tenant");
  const agent = options.text("agent");
  const limit = readNumberOption(options.text("limit"), "--limit");
  const runs = await client.archivedRuns({
    ...(tenant === undefined ? {} : { tenant }),
    ...(agent === undefined ? {} : { agent }),
    ...(limit === undefined ? {} : { limit }),
  });
  await out.data(runs, () =>
    table(
      ["PID", "AGENT", "TENANT", "STATE", "ENDED", "RECORDS", "BUNDLE"],
      runs.map((run) => [
        run.pid,
        run.agent,
        run.tenant,
        run.state,
        run.endedAt,
        run.hasHistory ? String(run.records) : "result only",
        run.bundle,
      ]),
    ),
  );
};

export default command;
