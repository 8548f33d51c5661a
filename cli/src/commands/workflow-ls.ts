import type { Command } from "../command.ts";
import { money } from "../money.ts";
import { printable } from "../printable.ts";
import { readNumberOption } from "../read-number.ts";
import { ago, table } from "../table.ts";

const command: Command = async ({ client, options, out }) => {
  const limit = readNumberOption(options.text("limit"), "--limit");
  const workflows = await client.workflows(limit === undefined ? {} : { limit });
  await out.data(workflows, () =>
    table(
      ["PID", "NAME", "STATE", "STEPS", "COST", "AGE", "WAITS FOR"],
      workflows.map(({ pid, name, state, done, steps, costUsd, startedAt, waitsFor }) => [
        pid,
        printable(name),
        state,
        `${done}/${steps}`,
        money(costUsd),
        ago(startedAt, Date.now()),
        printable(waitsFor.join(", ")) || "-",
      ]),
      out,
    ),
  );
};

export default command;
