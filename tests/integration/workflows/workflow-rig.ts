// What the tests of workflows have in common: tools that leave a mark outside, and how a run is looked at.

import type { Json, ManifestText, Program, Tool, ToolUndo, WorkflowOutcome } from "@aos/protocol";
import { programs as shipped } from "@aos/userland";

export const workflowPrograms = {
  workflow: shipped["workflow"]!.run as Program,
  echoes: async (_sys: unknown, input: Json) => input,
};

export const workflow = (
  steps: readonly Json[],
  more: Partial<ManifestText> | Readonly<Record<string, Json>> = {},
): ManifestText =>
  ({
    apiVersion: "aos/v1",
    kind: "Workflow",
    name: "flow",
    steps,
    capabilities: ["tool:*:call", "agent:*:spawn"],
    ...more,
  }) as unknown as ManifestText;

export interface Bookings {
  /** What was done outside, in order: `book hotel`, `cancel hotel`. */
  readonly done: string[];
  /** A name is removed once it has failed as often as it says. */
  readonly failing: Map<string, number>;
  readonly tools: Tool[];
}

const anything = { integrity: "trusted", secrecy: "public" } as const;

/** `book` and `cancel`: both are seen outside, and `cancel` is the declared undo of `book`. */
export function bookings(
  undo: ToolUndo = { tool: "cancel", args: { what: "{{args.what}}" } },
): Bookings {
  const done: string[] = [];
  const failing = new Map<string, number>();
  const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
    name,
    version: "1",
    description: `to ${name}`,
    effect: "external",
    label: anything,
    input: { type: "object", required: ["what"], properties: { what: { type: "string" } } },
    touches: () => [],
    run: async (args) => {
      const { what } = args as { what: string };
      const act = `${name} ${what}`;
      const left = failing.get(act) ?? 0;
      if (left > 0) {
        failing.set(act, left - 1);
        throw new Error(`no luck with ${what}`);
      }
      done.push(act);
      return { id: `${what}-1` };
    },
    ...more,
  });
  const output = { type: "object", properties: { id: { type: "string" } } };
  return { done, failing, tools: [tool("book", { undo, output }), tool("cancel")] };
}

export const book = (id: string, more: Readonly<Record<string, Json>> = {}): Json => ({
  id,
  tool: "book",
  args: { what: id },
  ...more,
});

export const outcomeOf = (output: Json): WorkflowOutcome => output as unknown as WorkflowOutcome;
