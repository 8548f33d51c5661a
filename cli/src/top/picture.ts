// Picture: renders a view as lines that fit a terminal.
//
// TOP-PICTURE-1  No line is wider and no picture higher than the terminal; the chosen process is always visible.

import { stripVTControlCharacters } from "node:util";
import { lanes, type ProcessInfo, type SlotReport } from "@aos/protocol/words";
import { colors } from "../colors.ts";
import { printable } from "../printable.ts";
import { formatMs } from "../format-model.ts";
import { ago, table } from "../table.ts";
import { processTree, shownInTree, treeHeading, treeLines } from "./tree.ts";
import { listed, selectedRow, type ProcessSnapshot, type TopView } from "./view.ts";

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

const HELP = "↑↓ choose   Enter show   w why   p pause/go on   k end   a ended too   q leave";
/** Of the rows, for models. */
const MODELS_PART = 3;

export function renderTop(view: TopView, size: Size): string[] {
  const foot = footOf(view);
  if (view.detail !== null)
    return framed(view.detail.split("\n"), [colors.dim("any key goes back")], size);
  const [heading = "", ...rows] = processLines(view);
  const head = [
    ...headLines(view.look),
    "",
    ...modelLines(view.look.queue.slots, Math.floor(size.rows / MODELS_PART)),
    "",
    heading,
  ];
  const room = Math.max(1, size.rows - head.length - 1);
  return framed([...head, ...visibleRows(rows, selectedRow(view), room)], [foot], size);
}

/** All of it, for a printer. */
export function renderTopOnce(look: ProcessSnapshot, isWide = false): string {
  if (look.isTree === true)
    return [
      cutLine(headLines(look)[0]!, isWide ? Infinity : TREE_COLUMNS),
      "",
      treeHeading(isWide),
      ...treeOf(look, isWide).map(({ text }) => text),
    ].join("\n");
  const none = { look, showsEnded: false, chosen: null, ending: null, detail: null, word: "" };
  return [
    ...headLines(look),
    "",
    ...modelLines(look.queue.slots, Infinity),
    "",
    ...processLines(none),
  ].join("\n");
}

export function headLines({ processes, queue, atMs }: ProcessSnapshot): string[] {
  const count = (state: ProcessInfo["state"]) =>
    processes.filter((process) => process.state === state).length;
  const states = (["running", "waiting", "paused", "pending"] as const)
    .map((state) => `${count(state)} ${state}`)
    .join(", ");
  const spent = processes.reduce((sum, { costUsd }) => sum + costUsd, 0);
  const queued = lanes.map((lane) => `${lane} ${queue.queued[lane]}`).join(", ");
  return [
    `${colors.bold("aos top")}  ${states}  spent by these $${spent.toFixed(4)}  ${timeOf(atMs)}`,
    `running trees ${queue.running} of ${queue.limit ?? "unlimited"}   start queue: ${queued} (of ${queue.queueLimit})`,
  ];
}

const timeOf = (ms: number): string => new Date(ms).toISOString().slice(11, 19);

export function modelLines(slots: readonly SlotReport[], most: number): string[] {
  if (slots.length === 0) return [colors.dim("no model request yet")];
  const busiest = slots.toSorted(
    (a, b) => b.running + b.queued - (a.running + a.queued) || b.requests - a.requests,
  );
  const lines = table(
    ["MODEL", "RUNNING", "QUEUED", "LIMIT", "P50", "P95", "WAIT P95", "ASKED", "FAILED", "BREAKER"],
    busiest.map((slot) => [
      printable(slot.model),
      String(slot.running),
      String(slot.queued),
      String(slot.limits.concurrency ?? "-"),
      formatMs(slot.p50Ms),
      formatMs(slot.p95Ms),
      formatMs(slot.waitP95Ms),
      String(slot.requests),
      String(slot.failures),
      slot.breaker,
    ]),
  ).split("\n");
  const room = Math.max(2, most);
  return lines.length <= room
    ? lines
    : [...lines.slice(0, room - 1), colors.dim(`… and ${lines.length - room + 1} more`)];
}

const TREE_COLUMNS = 80;

const treeOf = ({ processes, ended, atMs }: ProcessSnapshot, isWide: boolean) =>
  treeLines(processTree(shownInTree(processes, ended)), { nowMs: atMs, isWide });

function processLines(view: TopView): string[] {
  const { look, chosen } = view;
  if (look.isTree === true)
    return [
      treeHeading(true), // it is cut where the terminal ends
      ...treeOf(look, true).map(({ pid, text }) => (pid === chosen ? colors.inverse(text) : text)),
    ];
  const processes = listed(view);
  const lines = table(
    ["", "PID", "AGENT", "STATE", "LANE", "COST", "AGE"],
    processes.map((process) => [
      process.pid === chosen ? ">" : " ",
      process.pid,
      printable(process.agent),
      stateOf(process),
      process.lane,
      `$${process.costUsd.toFixed(4)}`,
      ago(process.startedAt, look.atMs),
    ]),
  ).split("\n");
  return lines.map((line, at) =>
    at > 0 && processes[at - 1]?.pid === chosen ? colors.inverse(line) : line,
  );
}

const stateOf = ({ state, waitingOn, exitCode }: ProcessInfo): string => {
  if (exitCode !== null) return `${state} ${exitCode}`;
  return waitingOn === null ? state : `${state} (${waitingOn})`;
};

function footOf({ ending, word }: TopView): string {
  if (ending !== null)
    return colors.bold(`End ${ending}? Press y to confirm, any other key to cancel.`);
  return word === "" ? colors.dim(HELP) : printable(word).replaceAll("\n", " ");
}

/** TOP-PICTURE-1: as many rows as there is room for, around the chosen one. */
export function visibleRows<T>(rows: readonly T[], chosen: number, room: number): readonly T[] {
  const first = Math.min(
    Math.max(0, chosen - Math.floor(room / 2)),
    Math.max(0, rows.length - room),
  );
  return rows.slice(first, first + room);
}

/** TOP-PICTURE-1. */
export function framed(body: readonly string[], foot: readonly string[], size: Size): string[] {
  const room = Math.max(0, size.rows - foot.length);
  const lines = body.slice(0, room);
  while (lines.length < room) lines.push("");
  return [...lines, ...foot].slice(-size.rows).map((line) => cutLine(line, size.columns));
}

/** A line that is cut loses its colours: half a code would be worse. */
export function cutLine(line: string, columns: number): string {
  const plain = stripVTControlCharacters(line);
  if (plain.length <= columns) return line;
  const cut = plain.slice(0, Math.max(0, columns - 1)).toWellFormed() + "…";
  return line.startsWith(colors.inverse("x").split("x")[0]!) ? colors.inverse(cut) : cut;
}
