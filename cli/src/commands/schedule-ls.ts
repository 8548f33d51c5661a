import type { Command } from "../command.ts";
import { money } from "../money.ts";
import { printable } from "../printable.ts";
import { table } from "../table.ts";

const command: Command = async ({ client, options, out }) => {
  const tenant = options.text("tenant");
  const schedules = await client.schedules(tenant === undefined ? {} : { tenant });
  await out.data(schedules, () =>
    table(
      [
        "NAME",
        "WHEN",
        "+ZONE",
        "AGENT",
        "STATE",
        "NEXT",
        "LAST",
        "RUNS",
        "+FAILS",
        "MONTH",
        "+TENANT",
      ],
      schedules.map((one) => [
        one.name,
        printable(one.when),
        one.timeZone,
        printable(one.agent),
        one.state,
        one.nextStartAt ?? "",
        one.last === null ? "" : (one.last.state ?? one.last.outcome),
        String(one.running.length),
        String(one.failures),
        money(one.month.usd),
        one.tenant,
      ]),
      out,
    ),
  );
};

export default command;
