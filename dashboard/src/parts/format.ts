// How numbers and times are said: short, and the same everywhere.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `340 ms`, `4.2 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`. */
export function formatDuration(ms: number): string {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10 * SECOND) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return two(ms, MINUTE, "min", SECOND, "s");
  if (ms < DAY) return two(ms, HOUR, "h", MINUTE, "min");
  return two(ms, DAY, "d", HOUR, "h");
}

function two(ms: number, big: number, bigName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % big) / small);
  const whole = `${Math.floor(ms / big)} ${bigName}`;
  return rest === 0 ? whole : `${whole} ${rest} ${smallName}`;
}

/** An age, in whole units: it does not flicker. */
export function formatAge(ms: number): string {
  if (ms < SECOND) return "now";
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`;
  return `${Math.floor(ms / DAY)} d`;
}

/** `–` for nothing, `$0.0012` where cents are too coarse. */
export function formatUsd(usd: number): string {
  if (usd === 0) return "–";
  if (usd < 0.0001) return "< $0.0001";
  return `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`;
}

export const formatCount = (count: number): string => count.toLocaleString("en-US");

/** `agt_…2s89`: the end is what tells runs of one minute apart. */
export const shortId = (id: string): string =>
  id.length <= 14 ? id : `${id.slice(0, 4)}…${id.slice(-6)}`;

/** How long ago that was. */
export const formatAgo = (ms: number): string => (ms < SECOND ? "now" : `${formatAge(ms)} ago`);
