import type { Command } from "../command.ts";
import { readNumberOption } from "../read-number.ts";
import { ago, table } from "../table.ts";
import { money } from "../money.ts";
import { printable } from "../printable.ts";

const command: Command = async ({ client, options, out }) => {
  const limit = readNumberOption(options.text("limit"), "--limit");
  const goals = await client.goals(limit === undefined ? {} : { limit });
  await out.data(goals, () =>
    table(
      ["PID", "STATE", "LANE", "COST", "AGE", "GOAL"],
      goals.map(({ pid, state, lane, place, costUsd, startedAt, goal }) => [
        pid,
        place === null ? state : `${state} (${place})`,
        lane,
        money(costUsd),
        ago(startedAt, Date.now()),
        printable(goal.replaceAll(/\s+/g, " ")).slice(0, 80),
      ]),
      out,
    ),
  );
};

export default command;
