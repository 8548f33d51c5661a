// TimeZone: how far the clocks of a zone are from UTC, and when that changes.

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      era: "short",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    formats.set(zone, format);
  }
  return format;
}

/** What to add to an instant to have what its clocks show, in milliseconds. */
export function offsetAt(zone: string, instant: number): number {
  if (zone === "UTC") return 0;
  const second = Math.floor(instant / 1000) * 1000;
  const at: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(second)) at[type] = Number(value);
  const { year, month, day, hour, minute, second: seconds } = at as Record<string, number>;
  return Date.UTC(year!, month! - 1, day, hour, minute, seconds) - second;
}

/** Two changes of a zone are further apart. */
const STEP_MS = 5 * 86_400_000;

/** The first instant after `from`, and not after `to`, from which on the clocks show another offset. */
export function nextChange(zone: string, from: number, to: number): number | undefined {
  if (zone === "UTC") return undefined;
  const before = offsetAt(zone, from);
  for (let low = from; low < to;) {
    const high = Math.min(low + STEP_MS, to);
    if (offsetAt(zone, high) !== before) return firstChanged(zone, low, high, before);
    low = high;
  }
  return undefined;
}

function firstChanged(zone: string, from: number, to: number, before: number): number {
  let [low, high] = [Math.floor(from / 1000), Math.floor(to / 1000)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(zone, middle * 1000) === before) low = middle;
    else high = middle;
  }
  return high * 1000;
}
