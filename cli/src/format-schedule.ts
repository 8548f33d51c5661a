// Schedules and their ticks as text.

import type { ScheduleReport, TickReport } from "@aos/protocol";
import { stringify } from "yaml";
import { money } from "./money.ts";
import { printable } from "./printable.ts";

export const formatSchedule = (schedule: ScheduleReport): string => {
  const { last, month, schedule: written, ...rest } = schedule;
  return printable(
    stringify({
      ...rest,
      month: `${money(month.usd)}, ${month.tokens} tokens`,
      last: last === null ? null : tickLine(last),
      schedule: written,
    }).trimEnd(),
  );
};

export const tickLine = ({ id, outcome, pid, state, reason }: TickReport): string =>
  [id, outcome, state, pid, reason].filter((word) => word !== null).join(" ");
