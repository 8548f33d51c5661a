// Fake tool: replaces a tool in a test. To the gate it is the same: where a real tool has the name, the fake has its
// effect, touches, sinks and schema, unless the test says otherwise.
//
//   fakeTool("send_money", { effect: "external", answers: [{ return: { ok: true } }] })
//
// FAKE-TOOL-1  Nothing of a real tool is run.
// FAKE-TOOL-2  The first unused answer whose `when` fits is given; without one the call fails, and the test is
//     notified.

import { defineTool } from "@aos/drivers";
import { readLabel } from "@aos/kernel";
import { SysError, type CallPlace, type Json, type Tool, type Touch } from "@aos/protocol";
import { z } from "zod";
import { includesValue, valueText } from "./match-value.ts";
import { fakeSchema, type Fake, type FakeAnswer, type FakeText } from "./test-schema.ts";

export interface FakeOptions {
  /** The tool in whose place it is. */
  readonly real?: Tool | undefined;
  /** Told of a call that there is no answer to. */
  readonly onUnanswered?: (problem: string) => void;
}

export function fakeTool(name: string, declared: FakeText, options: FakeOptions = {}): Tool {
  const fake = fakeSchema.parse(declared);
  const told = new Map<FakeAnswer, number>();
  const answers = answersOf(fake);
  const base = options.real ?? newTool(name, fake);
  const { sinks, label, touches } = fake;
  return {
    ...base,
    ...saidOf(fake),
    ...(sinks === undefined ? {} : { sinks: () => sinks }),
    ...(label === undefined ? {} : { label: readLabel(label) }),
    ...(touches === undefined ? {} : toolTouches(name, base, touches)),
    run: async (args, context) => {
      const answer = answers.find(
        (one) => (told.get(one) ?? 0) < mostTimes(one) && includesValue(args, one.when ?? {}),
      );
      if (answer === undefined) throw unanswered(name, args, options);
      told.set(answer, (told.get(answer) ?? 0) + 1);
      if (answer.label !== undefined) context.label(readLabel(answer.label));
      if (answer.error === undefined) return answer.return as Json;
      const { code, message, hint } = answer.error;
      throw new SysError(code, message, hint === undefined ? {} : { hint });
    },
  };
}

/** What is said once is given as often as it is asked for. */
const answersOf = ({ answers, error, ...rest }: Fake): readonly FakeAnswer[] =>
  answers ?? [{ times: Infinity, ...(error === undefined ? { return: rest.return } : { error }) }];

const mostTimes = ({ times, when }: FakeAnswer): number =>
  times ?? (when === undefined ? 1 : Infinity);

/** FAKE-TOOL-2. */
function unanswered(name: string, args: Json, { onUnanswered }: FakeOptions): SysError {
  const problem = `${name} was called with ${valueText(args)}, and no answer of its fake is left for that`;
  onUnanswered?.(problem);
  return new SysError("EUPSTREAM", problem);
}

function saidOf(fake: Fake): Partial<Tool> {
  const names = ["effect", "egress", "authority"] as const;
  return Object.fromEntries(
    names.flatMap((name) => (fake[name] === undefined ? [] : [[name, fake[name]]])),
  );
}

/** A tool that there is nowhere else. */
function newTool(name: string, fake: Fake): Tool {
  if (fake.effect !== undefined) return toolOf(name, fake.effect, fake.touches ?? []);
  throw new SysError("EINVAL", `unknown tool ${name}: its fake must say its effect`, {
    hint: "effect: read, idempotent or external",
  });
}

const toolOf = (name: string, effect: Tool["effect"], touches: readonly string[]): Tool =>
  defineTool({
    name,
    version: "fake",
    description: name,
    input: z.record(z.string(), z.unknown()),
    effect,
    touches: touches.map(touchOf),
    run: async () => null, // FAKE-TOOL-1: the fake has its own
  });

const toolTouches = (name: string, { effect }: Tool, touches: readonly string[]) => {
  const tool = toolOf(name, effect, touches);
  return { touches: (args: Json, place: CallPlace) => tool.touches(args, place) };
};

/** `kind:resource:verb`; the resource may have colons. */
function touchOf(text: string): Touch {
  const first = text.indexOf(":");
  const last = text.lastIndexOf(":");
  return {
    kind: text.slice(0, first),
    resource: text.slice(first + 1, last),
    verb: text.slice(last + 1),
  };
}
