import type { Command } from "../command.ts";
import { printable } from "../printable.ts";
import { readNumberOption } from "../read-number.ts";
import { ago, table } from "../table.ts";

const command: Command = async ({ client, options, out }) => {
  const limit = readNumberOption(options.text("limit"), "--limit");
  const evals = await client.evals(limit === undefined ? {} : { limit });
  await out.data(evals, () =>
    table(
      ["PID", "NAME", "STATE", "RUNS", "AGE", "VARIANTS"],
      evals.map(({ pid, name, state, cells, startedAt, variants }) => [
        pid,
        printable(name),
        state,
        String(cells),
        ago(startedAt, Date.now()),
        printable(variants.join(", ")),
      ]),
      out,
    ),
  );
};

export default command;
