// Stepper: the position in the journal of a process, and the effect of each key. It uses neither terminal nor daemon.
//
// STEPPER-1  The position is always at an existing record.
// STEPPER-2  A fork, which may cost money, needs a yes.
// STEPPER-3  While a prompt is open, typed characters belong to it, until Enter or Escape.

import type { JournalRecord, Json, MomentReport, ProcessDetail } from "@aos/protocol/words";
import type { Key } from "../top/keys.ts";

export type Pane = "record" | "context" | "why" | "core";

export type BranchAction =
  | { readonly do: "fork"; readonly at: number }
  | { readonly do: "continue"; readonly n: number; readonly result: Json };

export interface Stepper {
  readonly process: ProcessDetail;
  readonly records: readonly JournalRecord[];
  readonly at: number;
  /** Undefined until it was asked for. */
  readonly moment: MomentReport | undefined;
  readonly pane: Pane;
  /** What the pane says; the record is drawn from the moment. */
  readonly text: string;
  /** How many lines of the pane lie above what is seen. */
  readonly scroll: number;
  /** What is being typed, and for what. */
  readonly typing: { readonly for: "g" | "/"; readonly text: string } | null;
  readonly sought: string;
  /** A yes is awaited for this. */
  readonly asking: BranchAction | null;
  readonly word: string;
}

export type StepperAction =
  | { readonly do: "quit" | "replay" | "edit" | "look" }
  | { readonly do: "begin"; readonly what: BranchAction };

export function firstStep(process: ProcessDetail, records: readonly JournalRecord[]): Stepper {
  return {
    process,
    records,
    at: Math.max(0, records.length - 1),
    moment: undefined,
    pane: "record",
    text: "",
    scroll: 0,
    typing: null,
    sought: "",
    asking: null,
    word: "",
  };
}

interface Pressed {
  readonly step: Stepper;
  readonly act?: StepperAction;
}

const panes: Readonly<Record<string, Pane>> = { c: "context", w: "why", d: "core" };
const PAGE = 10;

export function pressInStepper(step: Stepper, key: Key): Pressed {
  if (key === "stop") return { step, act: { do: "quit" } };
  if (step.typing !== null) return typed(step, step.typing, key);
  if (step.asking !== null) {
    const calm = { ...step, asking: null, word: "" };
    return key.toLowerCase() === "y"
      ? { step: calm, act: { do: "begin", what: step.asking } } // STEPPER-2
      : { step: calm };
  }
  const calm = { ...step, word: "" };
  switch (key) {
    case "q":
    case "escape":
      return { step, act: { do: "quit" } };
    case "n":
    case "down":
      return goTo(calm, step.at + 1);
    case "p":
    case "up":
      return goTo(calm, step.at - 1);
    case "g":
    case "/":
      return { step: { ...calm, typing: { for: key, text: "" } } };
    case "page-down":
    case " ":
      return { step: { ...calm, scroll: step.scroll + PAGE } };
    case "page-up":
      return { step: { ...calm, scroll: Math.max(0, step.scroll - PAGE) } };
    case "f":
      return { step: { ...calm, asking: { do: "fork", at: step.at } } };
    case "e":
      return { step: calm, act: { do: "edit" } };
    case "r":
      return { step: calm, act: { do: "replay" } };
    default: {
      const pane = panes[key];
      if (pane === undefined) return { step: calm };
      return shown(calm, step.pane === pane ? "record" : pane);
    }
  }
}

const shown = (step: Stepper, pane: Pane): Pressed => ({
  step: { ...step, pane, text: "", scroll: 0 },
  act: { do: "look" },
});

/** STEPPER-1. What is shown there is asked for anew. */
function goTo(step: Stepper, requested: number): Pressed {
  const at = Math.min(Math.max(0, requested), step.records.length - 1);
  if (at === step.at)
    return { step: { ...step, word: requested < 0 ? "this is the first" : "this is the last" } };
  return { step: { ...step, at, moment: undefined, text: "", scroll: 0 }, act: { do: "look" } };
}

/** STEPPER-3. */
function typed(step: Stepper, typing: NonNullable<Stepper["typing"]>, key: Key): Pressed {
  const done = { ...step, typing: null };
  if (key === "escape") return { step: done };
  if (key === "back")
    return {
      step: { ...step, typing: { ...typing, text: typing.text.replace(/.$/u, "") } },
    };
  if (key !== "enter") {
    const isCharacter = /^.$/u.test(key);
    return {
      step: isCharacter ? { ...step, typing: { ...typing, text: typing.text + key } } : step,
    };
  }
  return typing.for === "g" ? goToTyped(done, typing.text) : seek(done, typing.text);
}

function goToTyped(step: Stepper, text: string): Pressed {
  const isThere = /^\d{1,15}$/.test(text) && Number(text) < step.records.length;
  if (!isThere)
    return { step: { ...step, word: `the records are 0 to ${step.records.length - 1}` } };
  return Number(text) === step.at ? { step } : goTo(step, Number(text));
}

/** The next that has it, around the end; nothing typed seeks the same again. */
function seek(step: Stepper, text: string): Pressed {
  const sought = text === "" ? step.sought : text;
  if (sought === "") return { step };
  const { records, at } = step;
  const order = [...records.slice(at + 1), ...records.slice(0, at + 1)];
  const found = order.find((record) =>
    JSON.stringify(record).toLowerCase().includes(sought.toLowerCase()),
  );
  if (found === undefined)
    return { step: { ...step, sought, word: `no record contains ${sought}` } };
  return goTo({ ...step, sought }, found.seq);
}

/** What it came to by now. Who stands at the last record stays there. */
export const grown = (
  step: Stepper,
  process: ProcessDetail,
  more: readonly JournalRecord[],
): Stepper => ({ ...step, process, records: [...step.records, ...more] });
