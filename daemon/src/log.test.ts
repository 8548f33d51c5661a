// `DAEMON-LOG-1` and `DAEMON-LOG-2` are the invariants of log.ts.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import type { Logger } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { prettyLine } from "./log-line.ts";
import { openLog, type LogFormat } from "./log.ts";

function logged(
  options: { scrub?: (text: string) => string; format?: LogFormat },
  say: (log: Logger) => void,
): string {
  const folder = mkdtempSync(join(tmpdir(), "aos-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "daemon.log");
  say(openLog({ level: "info", file, scrub: (text) => text, ...options }));
  return readFileSync(file, "utf8");
}

const failing = (log: Logger) =>
  log.error({ err: new Error("the server said hunter2") }, "a request failed");

test.each(["json", "pretty"] as const)(
  "DAEMON-LOG-1: every line is scrubbed, what an error carries included (%s)",
  (format) => {
    const scrub = (line: string) => line.replaceAll("hunter2", "[secret:X]");
    const text = logged({ format, scrub }, failing);

    expect(text).toContain("the server said [secret:X]");
    expect(text).not.toContain("hunter2");
  },
);

test("DAEMON-LOG-1: a line that cannot be scrubbed is not written", () => {
  const scrub = () => {
    throw new Error("no");
  };
  const text = logged({ scrub }, failing);

  expect(text).not.toContain("hunter2");
  expect(JSON.parse(text)).toMatchObject({ level: 50 });
});

test("for people: the time, how bad it is, what it is, and the rest", () => {
  const text = logged({ format: "pretty" }, (log) =>
    log.info({ pid: 7, url: "http://127.0.0.1:4040", note: "two words" }, "ready"),
  );

  expect(text).toMatch(
    /^\d\d:\d\d:\d\d\.\d{3} INFO {2}ready pid=7 url=http:\/\/127\.0\.0\.1:4040 note="two words"\n$/,
  );
});

test("for people, where an error came from is below it", () => {
  const [head, ...frames] = logged({ format: "pretty" }, failing).trimEnd().split("\n");

  expect(head).toMatch(/ERROR a request failed error="the server said hunter2"$/);
  expect(frames.length).toBeGreaterThan(0);
  for (const frame of frames) expect(frame).toMatch(/^ {4}at /);
});

test("auto is JSON where no person reads it", () => {
  expect(JSON.parse(logged({ format: "auto" }, (log) => log.info("x")))).toMatchObject({
    msg: "x",
  });
});

const TRICKY = "a\r\nINFO forged\u001b[2J\u009b2J\u2028\u202e\u0007\u007f\u0000";
/** All but the line feed. */
const SPOKEN = /(?!\n)[\p{Cc}\u2028-\u202e]/u;

test.each(["json", "pretty"] as const)(
  "DAEMON-LOG-2: no text begins a line or moves a cursor (%s)",
  (format) => {
    const text = logged({ format }, (log) => {
      log.warn({ what: TRICKY, [TRICKY]: 1, err: new Error(TRICKY) }, TRICKY);
    });
    const ofStack = text.split("\n").filter((line) => line.startsWith("    at "));

    expect(text).not.toMatch(SPOKEN);
    expect(text.trimEnd().split("\n")).toHaveLength(1 + ofStack.length);
  },
);

test("DAEMON-LOG-2: JSON is still what was said", () => {
  const text = logged({}, (log) => log.info({ what: TRICKY }, "x"));

  expect((JSON.parse(text) as { what: string }).what).toBe(TRICKY);
});

test("DAEMON-LOG-2: whatever a line holds, it is one for people", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()), (members) => {
      const { err: _, ...more } = members;
      const line = prettyLine(
        JSON.stringify({ level: 30, time: "2026", msg: "x", ...more }),
        false,
      );
      expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\u2028]/u);
    }),
    { numRuns: 30 },
  );
});
