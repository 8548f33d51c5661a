// Handlers of operations about schedules.

import type { scheduleOperations } from "@aos/protocol";
import { omitUndefined } from "../../omit-undefined.ts";
import { readScheduleRequest } from "../read-schedule.ts";
import type { HandlersOf } from "./handler.ts";

export const scheduleHandlers: HandlersOf<typeof scheduleOperations> = {
  schedules: ({ kernel }, args) => kernel.schedules(omitUndefined(args)),
  schedule: ({ kernel }, { name, ...of }) => kernel.schedule(name, omitUndefined(of)),
  async createSchedule(gateway, args, { caller }) {
    const { text, folders } = readScheduleRequest(gateway, args, caller);
    return gateway.policy.admit(folders, () => gateway.kernel.createSchedule(text));
  },
  async editSchedule(gateway, { name, ...args }, { caller }) {
    const { text, folders } = readScheduleRequest(gateway, args, caller);
    return gateway.policy.admit(folders, () => gateway.kernel.editSchedule(name, text));
  },
  pauseSchedule: ({ kernel }, { name, ...how }, { caller }) =>
    kernel.pauseSchedule(name, { by: caller.name, ...omitUndefined(how) }),
  resumeSchedule: ({ kernel }, { name, ...how }, { caller }) =>
    kernel.resumeSchedule(name, { by: caller.name, ...omitUndefined(how) }),
  runSchedule: ({ kernel }, { name, ...how }, { caller }) =>
    kernel.runSchedule(name, { by: caller.name, ...omitUndefined(how) }),
  async removeSchedule({ kernel }, { name, ...how }, { caller }) {
    await kernel.removeSchedule(name, { by: caller.name, ...omitUndefined(how) });
    return { name };
  },
  scheduleTicks: ({ kernel }, { name, olderThan: before, ...page }) =>
    kernel.scheduleTicks(name, omitUndefined({ before, ...page })),
};
