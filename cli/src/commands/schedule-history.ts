import type { Command } from "../command.ts";
import { readLimit, printMoreHint } from "../list-page.ts";
import { money } from "../money.ts";
import { printable } from "../printable.ts";
import { table } from "../table.ts";

const MOST = 1000;

const command: Command = async ({ args: [name = ""], client, options, out }) => {
  const limit = readLimit(options, { usual: 100, most: MOST });
  const [olderThan, tenant] = [options.text("after"), options.text("tenant")];
  const ticks = await client.scheduleTicks({
    name,
    limit,
    ...(olderThan === undefined ? {} : { olderThan }),
    ...(tenant === undefined ? {} : { tenant }),
  });
  await out.data(ticks, () =>
    table(
      ["TICK", "+NOMINAL", "+DUE", "OUTCOME", "PID", "STATE", "EXIT", "COST", "REASON"],
      ticks.map((tick) => [
        tick.id,
        tick.nominal,
        tick.dueAt,
        tick.outcome,
        tick.pid ?? "",
        tick.state ?? "",
        tick.exitCode === null ? "" : String(tick.exitCode),
        money(tick.costUsd),
        printable(tick.reason ?? ""),
      ]),
      out,
    ),
  );
  const last = ticks.at(-1);
  if (last === undefined || ticks.length < limit) return;
  const next = `aos schedule history ${name} -n ${limit} --after ${last.id}`;
  printMoreHint(out, { listed: ticks.length, most: MOST, next });
};

export default command;
