import type { Command } from "../command.ts";
import { tickLine } from "../format-schedule.ts";
import { printable } from "../printable.ts";

const command: Command = async ({ args: [name = ""], client, options, out }) => {
  const [tenant, key] = [options.text("tenant"), options.text("key")];
  const tick = await client.runSchedule({
    name,
    ...(tenant === undefined ? {} : { tenant }),
    ...(key === undefined ? {} : { key }),
  });
  await out.data(tick, () => tick.pid ?? printable(tickLine(tick)));
};

export default command;
