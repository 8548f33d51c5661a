// TopView: the state of `aos top`, and the effect of each key. It uses neither terminal nor clock.
//
// TOP-VIEW-1  The chosen process stays chosen while the list moves; when it disappears, the one in its position is
//             chosen.
// TOP-VIEW-2  Ending a process needs a yes; ended processes can only be viewed.

import { isEnded, type ModelReport, type ProcessInfo, type QueueReport } from "@aos/protocol/words";
import type { Key } from "./keys.ts";
import { type ProcessBranch, processTree, shownInTree } from "./tree.ts";

/** What was seen at one look. */
export interface ProcessSnapshot {
  readonly atMs: number;
  /** Shown as a tree: `--tree`. */
  readonly isTree?: boolean;
  /** Those that live. */
  readonly processes: readonly ProcessInfo[];
  /** The last that ended. */
  readonly ended: readonly ProcessInfo[];
  readonly queue: QueueReport;
  readonly models: readonly ModelReport[];
}

export interface TopView {
  readonly look: ProcessSnapshot;
  /** Whether those that ended are listed. */
  readonly showsEnded: boolean;
  /** The pid that the keys are about. */
  readonly chosen: string | null;
  /** A yes is awaited: this one would be ended. */
  readonly ending: string | null;
  /** One process in full, over the rest. */
  readonly detail: string | null;
  /** What was done or went wrong last. */
  readonly word: string;
}

export type TopAction =
  | { readonly do: "quit" }
  | { readonly do: "pause" | "resume" | "kill" | "show" | "why"; readonly pid: string };

export const firstView = (look: ProcessSnapshot): TopView => ({
  look,
  showsEnded: false,
  chosen: listed({ look, showsEnded: false })[0]?.pid ?? null,
  ending: null,
  detail: null,
  word: "",
});

export function lookAgain(view: TopView, look: ProcessSnapshot): TopView {
  const next = { ...view, look };
  const isThere = listed(next).some(({ pid }) => pid === view.ending);
  return { ...next, chosen: chosenIn(next, view), ending: isThere ? view.ending : null };
}

/** TOP-VIEW-1. */
function chosenIn(next: TopView, before: TopView): string | null {
  const pids = listed(next).map(({ pid }) => pid as string);
  if (before.chosen !== null && pids.includes(before.chosen)) return before.chosen;
  return pids[Math.max(0, Math.min(selectedRow(before), pids.length - 1))] ?? null;
}

export function pressInTop(view: TopView, pressed: Key): { view: TopView; act?: TopAction } {
  const key = pressed.toLowerCase();
  if (key === "stop") return { view, act: { do: "quit" } };
  if (view.detail !== null) return { view: { ...view, detail: null } };
  if (view.ending !== null) {
    const calm = { ...view, ending: null, word: "" };
    return key === "y" ? { view: calm, act: { do: "kill", pid: view.ending } } : { view: calm }; // TOP-VIEW-2
  }
  if (key === "q" || key === "escape") return { view, act: { do: "quit" } };
  if (key === "up" || key === "down") return { view: moved(view, key === "up" ? -1 : 1) };
  if (key === "a") {
    const next = { ...view, showsEnded: !view.showsEnded, word: "" };
    return { view: { ...next, chosen: chosenIn(next, view) } };
  }
  const process = listed(view).find(({ pid }) => pid === view.chosen);
  if (process === undefined) return { view };
  const { pid, state } = process;
  if (key === "enter") return { view, act: { do: "show", pid } };
  if (key === "w") return { view, act: { do: "why", pid } };
  if ((key === "k" || key === "p") && isEnded(state))
    return { view: { ...view, word: `${pid} has ended; press w for the reason` } };
  if (key === "k") return { view: { ...view, ending: pid, word: "" } };
  if (key === "p") return { view, act: { do: state === "paused" ? "resume" : "pause", pid } };
  return { view };
}

/** What there is to choose from, in the order in which it is shown. */
export function listed({
  look: { processes, ended, isTree },
  showsEnded,
}: Pick<TopView, "look" | "showsEnded">): readonly ProcessInfo[] {
  if (isTree === true) return flat(processTree(shownInTree(processes, ended)));
  return showsEnded ? [...processes, ...ended] : processes;
}

const flat = (tree: readonly ProcessBranch[]): ProcessInfo[] =>
  tree.flatMap((branch) => [branch, ...flat(branch.children)]);

export const selectedRow = (view: TopView): number =>
  listed(view).findIndex(({ pid }) => pid === view.chosen);

function moved(view: TopView, by: number): TopView {
  const processes = listed(view);
  const place = Math.min(Math.max(0, selectedRow(view) + by), processes.length - 1);
  return { ...view, chosen: processes[place]?.pid ?? null, word: "" };
}
