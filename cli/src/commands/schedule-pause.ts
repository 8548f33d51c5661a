import type { Command } from "../command.ts";
import { formatSchedule } from "../format-schedule.ts";

const command: Command = async ({ args: [name = ""], client, options, out }) => {
  const [tenant, reason] = [options.text("tenant"), options.text("reason")];
  const schedule = await client.pauseSchedule({
    name,
    ...(tenant === undefined ? {} : { tenant }),
    ...(reason === undefined ? {} : { reason }),
  });
  await out.data(schedule, () => formatSchedule(schedule));
};

export default command;
