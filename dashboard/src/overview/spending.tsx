// Spending: what was spent on each of the last days, and today.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { cost } from "../api/reports.ts";
import { Sparkline } from "../parts/sparkline.tsx";
import { formatCount, formatUsd } from "../parts/format.ts";
import { Section } from "../run/section.tsx";

const DAYS = 14;
const DAY_MS = 86_400_000;

export function Spending() {
  const { data } = useQuery(cost("day", null));
  if (data === undefined || data.rows.length === 0) return null;
  const days = lastDays(DAYS);
  const byDay = new Map(data.rows.map((row) => [row.key.slice(0, 10), row]));
  const today = byDay.get(days.at(-1)!);
  return (
    <Section title="Spending">
      <Link
        to="/cost"
        className="flex flex-wrap items-end justify-between gap-4 rounded-lg border border-line bg-sheet px-4 py-3 hover:bg-raised/60"
      >
        <span className="flex flex-col">
          <span className="figures text-lg font-medium">{formatUsd(today?.usd ?? 0)}</span>
          <span className="figures text-xs text-faint">
            today, {formatCount(today?.tokens ?? 0)} tokens; {formatUsd(data.total.usd)} in all
          </span>
        </span>
        <Sparkline
          label={`Tokens on each of the last ${DAYS} days`}
          values={days.map((day) => byDay.get(day)?.tokens ?? 0)}
        />
      </Link>
    </Section>
  );
}

/** As the cost report names them: UTC days, the oldest first. */
export const lastDays = (count: number, now: number = Date.now()): string[] =>
  Array.from({ length: count }, (_, index) =>
    new Date(now - (count - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
