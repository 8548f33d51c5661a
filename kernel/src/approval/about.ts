// About: what a question shows to people beside its words. It is kept with the question, so that who
// answers a week later sees what was so when it was asked.
//
// S1  Whatever a program could make long is cut: a question is read by people.

import {
  canonicalText,
  colours,
  type Json,
  type Label,
  type QuestionAbout,
  type Touch,
} from "@aos/protocol";
import { labelText } from "../label/label.ts";

const MAX_ARGS = 2000;
const MAX_TOUCHES = 50;

export interface Matter {
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
}

export function aboutOf(matter: Matter, scrub: (text: string) => string): QuestionAbout {
  const { agent, call, args, label, difference } = matter;
  return {
    agent,
    call,
    tool: matter.tool ?? null,
    args: cut(scrub(canonicalText(args)), MAX_ARGS),
    touches: (matter.touches ?? [])
      .slice(0, MAX_TOUCHES)
      .map(({ kind, resource, verb }) => cut(scrub(`${kind}:${resource}:${verb}`), MAX_ARGS)),
    effect: matter.effect ?? null,
    sinks: [...(matter.sinks ?? [])],
    label: labelText(label),
    colour: colours[label.integrity],
    rule: matter.rule ?? null,
    everyTime: matter.everyTime ?? false,
    cover: [...(matter.cover ?? [])],
    ...(difference === undefined ? {} : { difference: [...difference] }),
  };
}

export const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length)}… (${text.length} characters)`;
