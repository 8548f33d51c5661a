// A line of the log, as it is written. DAEMON-LOG-2 of log.ts is here.

const levels: Readonly<Record<number, readonly [name: string, color: string]>> = {
  10: ["TRACE", "90"],
  20: ["DEBUG", "90"],
  30: ["INFO ", "32"],
  40: ["WARN ", "33"],
  50: ["ERROR", "31"],
  60: ["FATAL", "31"],
};

/** What JSON leaves as it is and a terminal or a pager would act on: C1, line ends, directions. */
const CONTROLS = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** JSON stays the same JSON: such a character can only stand in a string. */
export const escapeControls = (json: string): string =>
  json.replace(CONTROLS, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** `12:34:56.789 INFO  ready pid=7 url=http://…`, and below it where an error came from. */
export function prettyLine(json: string, hasColors: boolean): string {
  const { level, time, msg, err, ...more } = JSON.parse(json) as Record<string, unknown>;
  const [name, color] = levels[Number(level)] ?? ["?    ", "0"];
  const paint = (text: string, code: string) =>
    hasColors ? `\u001b[${code}m${text}\u001b[0m` : text;
  const { message, stack, ...rest } = errorOf(err);
  const members = { ...more, ...(message === undefined ? {} : { error: message }), ...rest };
  const told = Object.entries(members).map(
    ([key, value]) => ` ${paint(quiet(key), "90")}=${plain(value)}`,
  );
  const clock = typeof time === "string" ? quiet(time.slice(11, 23)) : "";
  const head = `${paint(clock, "90")} ${paint(name, color)} ${quiet(typeof msg === "string" ? msg : "")}`;
  return `${head}${told.join("")}\n${framesOf(stack)}`;
}

function errorOf(err: unknown): { message?: unknown; stack?: unknown; code?: unknown } {
  if (typeof err !== "object" || err === null) return err === undefined ? {} : { message: err };
  const { message, stack, code } = err as Record<string, unknown>;
  return { message, stack, ...(code === undefined ? {} : { code }) };
}

/** Only lines of the kind that an engine writes: a message may have line ends of its own. */
const framesOf = (stack: unknown): string =>
  (typeof stack === "string" ? stack : "")
    .split("\n")
    .filter((line) => /^ {4}at \S/.test(line))
    .map((line) => `${quiet(line)}\n`)
    .join("");

/** As it is, where it is one plain word; otherwise as JSON. */
function plain(value: unknown): string {
  const isWord = typeof value === "string" && /^[\x21-\x7e]+$/.test(value) && !/["'=]/.test(value);
  return isWord ? value : escapeControls(JSON.stringify(value) ?? "undefined");
}

const quiet = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (one) => JSON.stringify(one).slice(1, -1))
    .replace(CONTROLS, (one) => escapeControls(one));
