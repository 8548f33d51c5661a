// Retry-After: the delay that a rate-limiting vendor asks for, in milliseconds.

/** The vendors' own: when what is used up is there again. Each with the one that says how much is left. */
const RESETS: readonly (readonly [reset: string, left: string])[] = [
  ["anthropic-ratelimit-requests-reset", "anthropic-ratelimit-requests-remaining"],
  ["anthropic-ratelimit-tokens-reset", "anthropic-ratelimit-tokens-remaining"],
  ["anthropic-ratelimit-input-tokens-reset", "anthropic-ratelimit-input-tokens-remaining"],
  ["anthropic-ratelimit-output-tokens-reset", "anthropic-ratelimit-output-tokens-remaining"],
  ["x-ratelimit-reset-requests", "x-ratelimit-remaining-requests"],
  ["x-ratelimit-reset-tokens", "x-ratelimit-remaining-tokens"],
  ["x-ratelimit-reset", "x-ratelimit-remaining"],
];
const LONGEST_MS = 24 * 3_600_000;

export function retryAfterMs(headers: Headers, body: string, now: number): number | undefined {
  const said =
    millis(headers.get("retry-after-ms")) ??
    after(headers.get("retry-after"), now) ??
    ofResets(headers, now) ??
    ofGoogle(body);
  return said === undefined ? undefined : Math.min(Math.max(Math.ceil(said), 0), LONGEST_MS);
}

const millis = (text: string | null): number | undefined =>
  text !== null && /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;

/** Seconds, or a date. */
function after(text: string | null, now: number): number | undefined {
  if (text === null) return undefined;
  const seconds = millis(text.trim());
  if (seconds !== undefined) return seconds * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at - now;
}

/** Of those that are used up the latest. */
function ofResets(headers: Headers, now: number): number | undefined {
  const waits = RESETS.filter(([, left]) => Number(headers.get(left) ?? "0") <= 0)
    .map(([reset]) => untilReset(headers.get(reset), now))
    .filter((wait) => wait !== undefined);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

/** `6m0s`, `20ms`, a date, or a time: seconds or milliseconds since 1970, or seconds from now. */
function untilReset(text: string | null, now: number): number | undefined {
  if (text === null || text === "") return undefined;
  const number = millis(text);
  if (number !== undefined)
    return number > 1e12 ? number - now : number > 1e9 ? number * 1000 - now : number * 1000;
  return span(text) ?? after(text, now);
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

function span(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return undefined;
  return [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)].reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * UNITS[unit!]!,
    0,
  );
}

/** Google says it in the body: `"retryDelay": "34s"`. */
function ofGoogle(body: string): number | undefined {
  const found = /"retryDelay"\s*:\s*"([\d.]+)s"/.exec(body);
  return found === null ? undefined : Number(found[1]) * 1000;
}
