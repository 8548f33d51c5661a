// Selectors, the slow way: which calls a rule speaks of, read again for every call.

import { parseCapability } from "@aos/kernel";
import type { Subject } from "@aos/kernel/parts";
import { couldCover, coversName, surelyCovers } from "./matching.ts";

/** Thrown for what this reference does not judge. */
export class NotJudged extends Error {}

const CALL = /^[a-z]+$/;

export const listOf = (written: string | readonly string[]): string[] =>
  (typeof written === "string" ? written.split(/,\s+/) : [...written]).map((one) => one.trim());

function halves(selector: string): readonly [word: string, rest: string] {
  const colon = selector.indexOf(":");
  return [selector.slice(0, colon), selector.slice(colon + 1)];
}

/** Kind and pattern, with verbs or without. */
function resourceOf(selector: string): { pattern: string; verbs: readonly string[] } {
  const bare = selector.startsWith("agent:") ? `${selector}:spawn` : `${selector}:*`;
  for (const text of [selector, bare])
    try {
      const { pattern, verbs } = parseCapability(text);
      return { pattern: pattern.text, verbs };
    } catch {
      continue;
    }
  throw new NotJudged(`the selector ${selector}`);
}

/** By what is the same for the whole call; undefined where it is about a resource. */
function ofTheCall(selector: string, subject: Subject): boolean | undefined {
  if (selector === "*" || selector === subject.call) return true;
  if (CALL.test(selector)) return false;
  const [word, rest] = halves(selector);
  if (word === "tool") return subject.tool !== undefined && coversName(rest, subject.tool);
  if (word === "model") return subject.model !== undefined && coversName(rest, subject.model);
  if (word === "pipe") return subject.edge !== undefined && coversName(rest, subject.edge);
  if (word === "sink") return subject.sinks.includes(rest as never);
  return word === "effect" ? subject.effect === rest : undefined;
}

/** Does a rule that takes away speak of it? One resource is enough. */
export function speaksOf(selector: string, subject: Subject): boolean {
  const said = ofTheCall(selector, subject);
  if (said !== undefined) return said;
  const [kind] = halves(selector);
  const { pattern, verbs } = resourceOf(selector);
  return subject.touches.some(
    (touch) =>
      touch.kind === kind && verbs.includes(touch.verb) && couldCover(kind, pattern, touch),
  );
}

/** What of a call a rule that gives covers: all of it, some sinks, some touches. */
export interface Covered {
  readonly isWhole: boolean;
  readonly sinks: readonly string[];
  /** By their place among the touches. */
  readonly touches: readonly number[];
}

export function coveredBy(selectors: readonly string[], subject: Subject): Covered {
  const isSink = (one: string) => one.startsWith("sink:");
  const wide = selectors.filter((one) => !isSink(one));
  return {
    isWhole: wide.some((one) => ofTheCall(one, subject) === true),
    sinks: selectors.filter(isSink).map((one) => one.slice("sink:".length)),
    touches: [...subject.touches.keys()].filter((i) =>
      wide.some((one) => isResource(one) && covers(one, subject.touches[i]!)),
    ),
  };
}

const isResource = (selector: string): boolean =>
  selector.includes(":") && !["tool", "model", "pipe", "effect"].includes(halves(selector)[0]);

function covers(selector: string, touch: Subject["touches"][number]): boolean {
  const [kind] = halves(selector);
  const { pattern, verbs } = resourceOf(selector);
  return touch.kind === kind && verbs.includes(touch.verb) && surelyCovers(kind, pattern, touch);
}

/** Does it cover anything of this call? */
export const gives = ({ isWhole, sinks, touches }: Covered, subject: Subject): boolean =>
  isWhole || touches.length > 0 || sinks.some((sink) => subject.sinks.includes(sink as never));

/** Is everything covered, by one rule or by several together? The tool itself does not count. */
export function isCovered(parts: readonly Covered[], { sinks, touches }: Subject): boolean {
  if (parts.some(({ isWhole }) => isWhole)) return true;
  const isNamed = (sink: string) => parts.some((part) => part.sinks.includes(sink));
  if (sinks.length > 0 && sinks.every(isNamed)) return true;
  const counted = [...touches.keys()].filter((i) => touches[i]!.kind !== "tool");
  return counted.length > 0 && counted.every((i) => parts.some((part) => part.touches.includes(i)));
}
