// View: what `aos top` shows, and what a key does to it. No terminal and no clock here.
//
// V1  The chosen process stays chosen while the list moves; when it is gone the one in its place is.
// V2  Nothing is ended without a yes.

import type { ModelReport, ProcessInfo, QueueReport } from "@aos/protocol/words";
import type { Key } from "./keys.ts";

/** What was seen at one look. */
export interface Look {
  readonly atMs: number;
  readonly processes: readonly ProcessInfo[];
  readonly queue: QueueReport;
  readonly models: readonly ModelReport[];
}

export interface View {
  readonly look: Look;
  /** The pid that the keys are about. */
  readonly chosen: string | null;
  /** A yes is awaited: this one would be ended. */
  readonly ending: string | null;
  /** One process in full, over the rest. */
  readonly detail: string | null;
  /** What was done or went wrong last. */
  readonly word: string;
}

export type Act =
  | { readonly do: "quit" }
  | { readonly do: "pause" | "resume" | "kill" | "show"; readonly pid: string };

export const firstView = (look: Look): View => ({
  look,
  chosen: look.processes[0]?.pid ?? null,
  ending: null,
  detail: null,
  word: "",
});

/** V1. */
export function lookAgain(view: View, look: Look): View {
  const pids = look.processes.map(({ pid }) => pid as string);
  const isThere = view.chosen !== null && pids.includes(view.chosen);
  const place = Math.min(placeOf(view), pids.length - 1);
  return {
    ...view,
    look,
    chosen: isThere ? view.chosen : (pids[Math.max(0, place)] ?? null),
    ending: view.ending !== null && pids.includes(view.ending) ? view.ending : null,
  };
}

export function press(view: View, key: Key): { view: View; act?: Act } {
  if (key === "stop") return { view, act: { do: "quit" } };
  if (view.detail !== null) return { view: { ...view, detail: null } };
  if (view.ending !== null) {
    const calm = { ...view, ending: null, word: "" };
    return key === "y" ? { view: calm, act: { do: "kill", pid: view.ending } } : { view: calm }; // V2
  }
  if (key === "q" || key === "escape") return { view, act: { do: "quit" } };
  if (key === "up" || key === "down") return { view: moved(view, key === "up" ? -1 : 1) };
  const process = view.look.processes.find(({ pid }) => pid === view.chosen);
  if (process === undefined) return { view };
  const { pid, state } = process;
  if (key === "k") return { view: { ...view, ending: pid, word: "" } };
  if (key === "p") return { view, act: { do: state === "paused" ? "resume" : "pause", pid } };
  if (key === "enter") return { view, act: { do: "show", pid } };
  return { view };
}

export const placeOf = ({ look, chosen }: View): number =>
  look.processes.findIndex(({ pid }) => pid === chosen);

function moved(view: View, by: number): View {
  const { processes } = view.look;
  const place = Math.min(Math.max(0, placeOf(view) + by), processes.length - 1);
  return { ...view, chosen: processes[place]?.pid ?? null, word: "" };
}
