import { SysError } from "@aos/protocol/words";
import type { BudgetReport, CostReport } from "@aos/protocol";
import type { Command } from "../command.ts";
import type { Output } from "../output.ts";
import { readDurationOption } from "../read-number.ts";
import { money } from "../money.ts";
import { table } from "../table.ts";

const groups = ["agent", "tree", "model", "tool", "tenant", "day"] as const;

const command: Command = async ({ args, client, options, out }) => {
  const by = options.text("by") ?? "agent";
  if (!(groups as readonly string[]).includes(by))
    throw new SysError("EINVAL", `--by is one of ${groups.join(", ")}, not ${JSON.stringify(by)}`);
  const tenant = options.text("tenant");
  const report = await client.cost({
    by: by as (typeof groups)[number],
    sinceMs: readDurationOption(options.text("since") ?? "30d", "--since")!,
    ...(tenant === undefined ? {} : { tenant }),
    ...(args[0] === undefined ? {} : { pid: args[0] }),
  });
  await out.data(report, () => textOf(report, out));
};

export default command;

const textOf = ({ by, since, rows, total, rule, budgets }: CostReport, out: Output): string =>
  [
    table(
      [by.toUpperCase(), "COST", "TOKENS", "+TOOL CALLS", "+CALLS", "+UNPRICED", "+OWED"],
      [...rows, total].map((row) => [
        row.key,
        money(row.usd),
        String(row.tokens),
        String(row.toolCalls),
        String(row.calls),
        row.unpriced === 0 ? "" : String(row.unpriced),
        row.owed === undefined ? "" : `${money(row.owed.usd)}, ${row.owed.tokens} tokens`,
      ]),
      out,
    ),
    ...(budgets.length === 0 ? [] : [budgetsOf(budgets)]),
    `Since ${since}. ${rule}`,
  ].join("\n\n");

const budgetsOf = (budgets: readonly BudgetReport[]): string =>
  table(
    ["BUDGET", "PER", "LIMIT", "SPENT", "RESERVED", "LEFT"],
    budgets.map(({ of, per, unit, limit, spent, reserved, owed = 0 }) => {
      const shown = (value: number) => (unit === "usd" ? money(value) : `${value} ${unit}`);
      const left = Math.max(0, limit - spent - reserved - owed);
      return [of, per, shown(limit), shown(spent), shown(reserved), shown(left)];
    }),
  );
