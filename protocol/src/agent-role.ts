// AgentRole: a kind of worker that a plan names: parameters, what it may do with them, and how it is asked. A role is
// a template of a manifest; a subtask of a plan fills it in (userland/src/plan/expand.ts).
//
//   capabilities: ["file:{inputs.*}:read", "file:{output}:write"]     placeholders are parameters
//
// ROLE-1  A placeholder stands for a resource, or the beginning of one: never for a kind, verb or constraint.
// ROLE-2  Every placeholder of capabilities and message names a parameter of the role.

import { z } from "zod";
import { lanes } from "./lane.ts";
import { readCount, readDurationMs } from "./quantity.ts";
import { escalations } from "./escalation.ts";
import { writtenQuantity } from "./written-quantity.ts";

export const roleName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, "1 to 63 of a-z 0-9 _ -, starting with a letter or digit");

export const parameterTypes = ["string", "path", "url", "string_list"] as const;

const parameter = z.strictObject({
  type: z.enum(parameterTypes),
  required: z.boolean().default(false),
  description: z.string().max(1000).default(""),
});
export type RoleParameter = z.output<typeof parameter>;

/** What a role or a subtask may use up. */
export const workBudget = z.strictObject({
  usd: z.number().nonnegative().optional(),
  tokens: writtenQuantity(readCount).optional(),
  toolCalls: writtenQuantity(readCount).optional(),
  wall: writtenQuantity(readDurationMs, "duration").optional(),
});

/** Failures after which a subtask is tried again. */
export const retryReasons = ["timeout", "upstream", "rate_limit", "crash", "any"] as const;

export const agentRoleSchema = z
  .strictObject({
    name: roleName,
    description: z.string().max(1000).default(""),
    /** A ladder; the goal's own where there is none. A subtask's tier is where it begins. */
    model: z.array(z.string().min(1)).min(1).optional(),
    escalate_on: z.array(z.enum(escalations)).default([]),
    parameters: z
      .record(z.string().regex(/^[a-z][a-z0-9_]{0,62}$/, "a-z 0-9 _"), parameter)
      .default({}),
    capabilities: z.array(z.string().min(1).max(1000)).max(100).default([]),
    tools: z.array(z.string().min(1)).default([]),
    system: z.string().default(""),
    message: z.string().default(""),
    budget: workBudget.default({}),
    /** The longest of its answers, in tokens. */
    maxTokens: writtenQuantity(readCount).optional(),
    retry: z
      .strictObject({
        max: z.number().int().min(1).max(30).default(1),
        on: z.array(z.enum(retryReasons)).default([]),
      })
      .default({ max: 1, on: [] }),
    lane: z.enum(lanes).optional(),
    /** A program in place of a model, e.g. `fetcher`: it gets `{params}` as its input. */
    program: z.string().min(1).max(100).optional(),
    maxSteps: z.number().int().positive().optional(),
    /** It fails where it has not written what its parameters say. */
    requireOutputs: z.boolean().default(true),
    output: z.strictObject({ schema: z.record(z.string(), z.unknown()) }).optional(),
  })
  .superRefine((role, context) => {
    for (const [path, message] of roleFlaws(role))
      context.addIssue({ code: "custom", path: [...path], message });
  });

export type AgentRole = z.output<typeof agentRoleSchema>;
export type AgentRoleText = z.input<typeof agentRoleSchema>;

export interface Placeholder {
  readonly parameter: string;
  /** `{inputs.*}`: one grant for each of a list. */
  readonly isEach: boolean;
}

const PLACEHOLDER = /\{([a-z][a-z0-9_]*)(\.\*)?\}/g;
/** `file:{output}/**:write`: kind, placeholder, rest of the resource, and what follows. */
const TEMPLATE =
  /^([a-z]+):\{([a-z][a-z0-9_]*)(\.\*)?\}((?:\/[^:{}]*)?)(:[a-z,*]+(?:\{[^{}]*\})?)$/;

export const rolePlaceholders = (text: string): Placeholder[] =>
  [...text.matchAll(PLACEHOLDER)].map(([, name, each]) => ({
    parameter: name!,
    isEach: each !== undefined,
  }));

export interface CapabilityTemplate extends Placeholder {
  readonly kind: string;
  /** After the placeholder, still of the resource: `/**` or nothing. */
  readonly rest: string;
  /** Verbs and constraints. */
  readonly tail: string;
}

/** Undefined for a capability without placeholders. */
export function readCapabilityTemplate(text: string): CapabilityTemplate | undefined {
  if (rolePlaceholders(text).length === 0) return undefined;
  const [, kind, parameter, each, rest, tail] = TEMPLATE.exec(text) ?? [];
  if (kind === undefined) return undefined;
  return { kind, parameter: parameter!, isEach: each !== undefined, rest: rest!, tail: tail! };
}

type Flaw = readonly [path: readonly (string | number)[], message: string];

function* roleFlaws(
  role: Pick<AgentRole, "parameters" | "capabilities" | "message" | "program" | "system">,
): Generator<Flaw> {
  const { parameters, capabilities, message } = role;
  const isKnown = (name: string) => Object.hasOwn(parameters, name);
  for (const [nth, text] of capabilities.entries()) {
    const used = rolePlaceholders(text);
    for (const { parameter: name, isEach } of used) {
      const place = ["capabilities", nth];
      if (!isKnown(name)) yield [place, `{${name}} is no parameter of the role`]; // ROLE-2
      else if (isEach !== (parameters[name]!.type === "string_list"))
        yield [place, `{${name}.*} is for a string_list, and {${name}} for the others`];
    }
    if (used.length > 0 && readCapabilityTemplate(text) === undefined)
      yield [["capabilities", nth], `${text}: a placeholder is the beginning of a resource`]; // ROLE-1
  }
  for (const { parameter: name } of rolePlaceholders(message))
    if (!isKnown(name)) yield [["message"], `{${name}} is no parameter of the role`];
  if (role.program === undefined && role.system === "" && message === "")
    yield [["message"], "a role has a message, a system prompt, or a program"];
}
