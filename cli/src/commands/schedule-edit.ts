import { SysError } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { formatSchedule } from "../format-schedule.ts";
import { scheduleDraft } from "../schedule-draft.ts";

const command: Command = async (call) => {
  const { args, client, options, out } = call;
  const tenant = options.text("tenant");
  const of = tenant === undefined ? {} : { tenant };
  const before = await client.schedule({ name: args[0] ?? "", ...of }).catch((error: unknown) => {
    const isFile = error instanceof SysError && /[./]/.test(args[0] ?? "");
    if (!isFile) throw error;
    return undefined;
  });
  const { name, ...draft } = await scheduleDraft(call, before);
  const schedule = await client.editSchedule({ name, ...draft });
  await out.data(schedule, () => formatSchedule(schedule));
};

export default command;
