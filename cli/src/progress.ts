// Progress: how far long work is, in the last line of a terminal.
//
//   const progress = startProgress(out, "audit", { unit: "records" });
//   progress.at(120, 4_000);                   done, and of how many where that is known
//   progress.at(121, 4_000, "docs/cli.md");    and what is looked at now
//   progress.stop();                           in a `finally`
//
//   audit  ━━━━━━━━╌╌╌╌╌╌╌╌╌╌╌╌  41%  8,120 of 19,800 records  2,400/s  5s left
//
// PROGRESS-1  It is written to standard error, only on a terminal, and never with -o json, yaml or name.
// PROGRESS-2  Nothing is shown of work that is over within a second. What was shown ends with one line that stays: how
//             much, how long, how fast.
// PROGRESS-3  A line is never wider than the terminal.
// PROGRESS-4  Where nothing is counted, the seconds are.

import { colors } from "./colors.ts";
import type { Output } from "./output.ts";
import { cutToWidth } from "./cut-to-width.ts";
import { printable } from "./printable.ts";

export interface ProgressLine {
  at(done: number, total?: number, detail?: string): void;
  /** Takes the line away, so that something else can be written; the next `at` brings it back. */
  hide(): void;
  stop(): void;
}

interface ProgressOptions {
  /** In the plural: `records`. With `bytes`, sizes are written for people. */
  readonly unit?: string;
  /** For tests. */
  readonly screen?: Screen;
}

/** Where it is shown, and the clock. */
interface Screen {
  readonly isTTY: boolean;
  readonly columns: number;
  write(text: string): void;
  nowMs(): number;
  /** Calls back again and again; the answer ends that. */
  every(ms: number, tick: () => void): () => void;
}

const FIRST_SHOWN_MS = 1000;
const REDRAW_MS = 100;
const CLEAR_LINE = "\r\u001b[2K";
const BAR_CELLS = 20;
const USUAL_COLUMNS = 80;

const silent: ProgressLine = { at: () => {}, hide: () => {}, stop: () => {} };

export function startProgress(
  { format }: Pick<Output, "format">,
  what: string,
  { unit = "", screen = terminal() }: ProgressOptions = {},
): ProgressLine {
  if (!screen.isTTY || format !== "text") return silent; // PROGRESS-1
  const startedMs = screen.nowMs();
  let state: ProgressState = { what, unit, done: 0 };
  let isShown = false;
  const draw = () => {
    const ms = screen.nowMs() - startedMs;
    if (ms < FIRST_SHOWN_MS) return; // PROGRESS-2
    isShown = true;
    screen.write(CLEAR_LINE + progressLine(state, ms, screen.columns));
  };
  const end = screen.every(REDRAW_MS, draw);
  return {
    at(done, total, detail) {
      state = {
        what,
        unit,
        done,
        ...(total === undefined ? {} : { total }),
        ...(detail === undefined ? {} : { detail }),
      };
    },
    hide: () => void (isShown && screen.write(CLEAR_LINE)),
    stop() {
      end();
      if (!isShown) return;
      screen.write(`${CLEAR_LINE}${lastLine(state, screen.nowMs() - startedMs, screen.columns)}\n`);
    },
  };
}

export interface ProgressState {
  readonly what: string;
  readonly unit: string;
  readonly done: number;
  readonly total?: number;
  readonly detail?: string;
}

/** PROGRESS-3. */
export function progressLine(work: ProgressState, ms: number, columns: number): string {
  const { what, done, total, detail } = work;
  const rate = done / (ms / 1000);
  const parts = [what];
  if (total !== undefined && total > 0) {
    const part = Math.min(1, done / total);
    parts.push(bar(part), `${String(Math.floor(part * 100)).padStart(3)}%`);
  }
  if (done > 0) parts.push(counted(work), rateText(work, rate));
  if (total !== undefined && done > 0 && done < total)
    parts.push(`${duration((total - done) / rate)} left`);
  if (done === 0) parts.push(duration(ms / 1000)); // PROGRESS-4
  if (detail !== undefined) parts.push(printable(detail));
  return cutToWidth(parts.join("  "), columns - 1);
}

function lastLine(work: ProgressState, ms: number, columns: number): string {
  const { what, done, unit } = work;
  const parts = [what, duration(ms / 1000, 1)];
  if (done > 0) parts.splice(1, 0, counted({ done, unit }), rateText(work, done / (ms / 1000)));
  return colors.dim(cutToWidth(parts.join("  "), columns - 1));
}

function bar(part: number): string {
  const full = Math.round(part * BAR_CELLS);
  return "━".repeat(full) + "╌".repeat(BAR_CELLS - full);
}

function counted({ done, total, unit }: Pick<ProgressState, "done" | "total" | "unit">): string {
  if (unit === "bytes")
    return total === undefined ? bytes(done) : `${bytes(done)} of ${bytes(total)}`;
  const of = total === undefined ? "" : ` of ${number(total)}`;
  return `${number(done)}${of}${unit === "" ? "" : ` ${unit}`}`;
}

const rateText = ({ unit }: ProgressState, rate: number): string =>
  unit === "bytes" ? `${bytes(rate)}/s` : `${rate < 10 ? rate.toFixed(1) : number(rate)}/s`;

const number = (value: number): string => Math.round(value).toLocaleString("en-US");

function bytes(value: number): string {
  if (value < 1000) return `${Math.round(value)} B`;
  if (value < 1_000_000) return `${(value / 1000).toFixed(0)} kB`;
  return value < 1e9 ? `${(value / 1e6).toFixed(1)} MB` : `${(value / 1e9).toFixed(2)} GB`;
}

function duration(seconds: number, digits = 0): string {
  if (seconds < 60) return `${seconds.toFixed(digits)}s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${whole % 60}s`;
  return `${Math.floor(whole / 3600)}h ${Math.floor((whole % 3600) / 60)}m`;
}

const terminal = (): Screen => ({
  isTTY: process.stderr.isTTY && process.env["TERM"] !== "dumb",
  get columns() {
    return process.stderr.columns || USUAL_COLUMNS;
  },
  write: (text) => void process.stderr.write(text),
  nowMs: () => performance.now(),
  every(ms, tick) {
    const timer = setInterval(tick, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
});
