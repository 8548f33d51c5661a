// Question about: the facts that a question shows besides its text. They are stored with the question, so that a
// person who answers later sees the state at the time of asking.
//
// QUESTION-ABOUT-1  A person sees everything that a yes covers: a call that is too long to show is refused
//     (approval-requests.ts). Text is cut only where no yes can allow the call.
// QUESTION-ABOUT-2  Characters that change the direction of text, or hide or erase it, are escaped here, for every
//     interface.

import {
  canonicalText,
  colours,
  type Json,
  type Label,
  type QuestionAbout,
  type RunIdentity,
  type Touch,
  SysError,
  visibleText,
} from "@aos/protocol";
import { labelText } from "../label/label.ts";

/** In characters, of arguments and of all touches together. */
const MOST_SHOWN = 100_000;

export interface QuestionSubject {
  readonly agent: string;
  readonly call: string;
  readonly args: Json;
  readonly label: Label;
  readonly tool?: string | undefined;
  readonly touches?: readonly Touch[];
  readonly effect?: string;
  readonly sinks?: readonly string[];
  readonly rule?: string;
  readonly everyTime?: boolean;
  readonly cover?: readonly string[];
  readonly difference?: readonly string[];
  readonly runs?: RunIdentity | undefined;
}

export function aboutOf(matter: QuestionSubject, scrub: (text: string) => string): QuestionAbout {
  const { agent, call, args, label, difference, runs } = matter;
  const shown = (text: string) => visibleLine(scrub(text));
  return {
    agent: shown(agent),
    call,
    tool: matter.tool ?? null,
    args: truncate(shown(canonicalText(shownArgs(args))), MOST_SHOWN),
    touches: (matter.touches ?? []).map(({ kind, resource, verb }) =>
      shown(`${kind}:${resource}:${verb}`),
    ),
    effect: matter.effect ?? null,
    sinks: [...(matter.sinks ?? [])],
    label: labelText(label),
    colour: colours[label.integrity],
    rule: matter.rule ?? null,
    everyTime: matter.everyTime ?? false,
    cover: [...(matter.cover ?? [])],
    ...(difference === undefined ? {} : { difference: [...difference] }),
    ...(runs === undefined ? {} : { runs }),
  };
}

/** Arguments as people read them: without the length at which a result is cut, which changes nothing outside. */
export function shownArgs(args: Json): Json {
  if (args === null || typeof args !== "object" || Array.isArray(args)) return args;
  const { cutAt: _, ...rest } = args as Readonly<Record<string, Json>>;
  return rest;
}

/** QUESTION-ABOUT-1. */
export function refuseUnshowable(about: QuestionAbout): void {
  const size = about.args.length + about.touches.reduce((all, one) => all + one.length, 0);
  if (size <= MOST_SHOWN) return;
  throw new SysError(
    "EDENIED",
    `${about.tool ?? about.call} needs approval (rule ${about.rule}), but the question would have ${size} characters and a person is shown at most ${MOST_SHOWN}`,
    { hint: "split the call into smaller ones", detail: { check: "approval", rule: about.rule } },
  );
}

const visibleLine = (text: string): string =>
  visibleText(text).replaceAll(/[\t\n]/g, (blank) => (blank === "\t" ? "\\t" : "\\n"));

export const truncate = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length)}… (${text.length} characters)`;
