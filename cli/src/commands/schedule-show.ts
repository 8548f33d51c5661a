import type { Command } from "../command.ts";
import { formatSchedule } from "../format-schedule.ts";

const command: Command = async ({ args: [name = ""], client, options, out }) => {
  const tenant = options.text("tenant");
  const schedule = await client.schedule({ name, ...(tenant === undefined ? {} : { tenant }) });
  await out.data(schedule, () => formatSchedule(schedule));
};

export default command;
