import type { Command } from "../command.ts";
import { formatSchedule } from "../format-schedule.ts";
import { scheduleDraft } from "../schedule-draft.ts";

const command: Command = async (call) => {
  const { name: _, ...draft } = await scheduleDraft(call);
  const schedule = await call.client.createSchedule(draft);
  await call.out.data(schedule, () => formatSchedule(schedule));
};

export default command;
