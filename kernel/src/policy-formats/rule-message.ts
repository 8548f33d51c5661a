// Rule message: reads the `say` of a rule, and fills in its placeholders.

import { isInvisible } from "../capability/characters.ts";
import { PolicyError } from "../policy/problem.ts";
import type { RuleMessage } from "../policy/rule.ts";
import type { Subject } from "../policy/subject.ts";
import { nearestHint } from "./problem-list.ts";

const BLANKS = ["agent", "tenant", "tool", "call", "resource", "path", "rule"] as const;
const LONGEST_SHOWN = 200;

/** `{agent} may not read {path}`. A blank that is none of BLANKS is an error. */
export function readRuleMessage(text: string): RuleMessage {
  const pieces = text.split(/\{([^{}]*)\}/);
  for (let i = 1; i < pieces.length; i += 2) {
    const blank = pieces[i]!;
    if ((BLANKS as readonly string[]).includes(blank)) continue;
    throw new PolicyError([], `unknown placeholder {${blank}}${nearestHint(blank, BLANKS)}`);
  }
  return (subject, rule) =>
    pieces.map((piece, i) => (i % 2 === 0 ? piece : shown(blankOf(piece, subject, rule)))).join("");
}

function blankOf(blank: string, subject: Subject, rule: string): string {
  const { agent, tenant, call, tool, touches } = subject;
  const touched = touches.find(({ kind }) => kind !== "tool") ?? touches[0];
  const path = touches.find(({ kind }) => kind === "file" || kind === "memory");
  const filled = {
    agent,
    tenant,
    call,
    rule,
    tool: tool ?? call,
    resource: touched?.resource ?? call,
    path: (path ?? touched)?.resource ?? call,
  };
  return filled[blank as (typeof BLANKS)[number]];
}

/** What an agent chose must not draw on a terminal, nor fill a screen. */
function shown(text: string): string {
  const cut = text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
  return Array.from(cut, (one) => (isInvisible(one.codePointAt(0)!) ? "\u{fffd}" : one)).join("");
}
