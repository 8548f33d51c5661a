// A test of an agent as people write it: its input, the stand-ins for model, tools and people, and the expectations.
// docs/testing.md describes each field.

import { readCount, readDurationMs, sinks, writtenQuantity } from "@aos/protocol";
import { z } from "zod";
import { expectSchema, failureCodeSchema, jsonSchema } from "./expect-schema.ts";

const DEFAULT_TIMEOUT_MS = 30_000;

const said = (object: object, names: readonly string[]): string[] =>
  names.filter((name) => Object.hasOwn(object, name));

const toolError = z.strictObject({
  code: failureCodeSchema,
  message: z.string().default("it failed"),
  hint: z.string().optional(),
});
const result = { return: jsonSchema.optional(), error: toolError.optional() };

const answer = z
  .strictObject({
    /** The arguments that it is the answer to; others may be there too. */
    when: z.record(z.string(), jsonSchema).optional(),
    /** How often it is given: once, or with `when` as often as that fits. */
    times: z.number().int().positive().optional(),
    ...result,
    label: z.string().min(1).optional(),
  })
  .refine((one) => said(one, ["return", "error"]).length === 1, {
    message: "an answer needs either return or error",
  });

export const fakeSchema = z
  .strictObject({
    effect: z.enum(["read", "idempotent", "external"]).optional(),
    egress: z.boolean().optional(),
    sinks: z.array(z.enum(sinks)).optional(),
    authority: z.array(z.string().min(1)).optional(),
    /** `file:{path}:read`: what a call needs beside the tool, with its arguments put in. */
    touches: z.array(z.string().regex(/^[a-z]+:.+:[a-z]+$/, "kind:resource:verb")).optional(),
    label: z.string().min(1).optional(),
    answers: z.array(answer).optional(),
    ...result,
  })
  .refine((fake) => said(fake, ["answers", "return", "error"]).length === 1, {
    message: "a fake needs exactly one of answers, return and error",
  });

const request = z
  .strictObject({
    tool: z.string().min(1).optional(),
    call: z.string().min(1).optional(),
    rule: z.string().min(1).optional(),
    /** Words of the question. */
    question: z.string().min(1).optional(),
    /** `allow`, `deny`, or what the person says to a question of the agent's. */
    answer: z.string().min(1),
    times: z.number().int().positive().optional(),
  })
  .refine((one) => said(one, ["tool", "call", "rule", "question"]).length > 0, {
    message: "name a tool, a call, a rule or a question",
  });

export const testSchema = z
  .strictObject({
    name: z.string().min(1).max(200),
    /** A manifest file, a folder with agent.yaml, a name, or the manifest itself. */
    agent: z.union([z.string().min(1), z.record(z.string(), z.unknown())]),
    /** Where a manifest that is written here is from; the project unless said. */
    folder: z.string().min(1).optional(),
    input: jsonSchema.optional(),
    label: z.string().min(1).optional(),
    capabilities: z.array(z.string().min(1)).optional(),
    grants: z.array(z.string().min(1)).optional(),
    budget: z
      .strictObject({
        usd: z.number().nonnegative().optional(),
        tokens: writtenQuantity(readCount).optional(),
        toolCalls: writtenQuantity(readCount).optional(),
        wall: writtenQuantity(readDurationMs).optional(),
      })
      .optional(),
    messages: z
      .array(
        z.strictObject({
          body: jsonSchema,
          type: z.string().min(1).max(100).optional(),
          label: z.string().min(1).optional(),
        }),
      )
      .optional(),
    model: z.string().min(1).optional(),
    script: z.record(z.string(), z.unknown()).optional(),
    replay: z.string().min(1).optional(),
    files: z
      .record(z.string().startsWith("/work/", "a file of a test is below /work/"), z.string())
      .optional(),
    workspace: z.enum(["own", "copy", "direct"]).default("own"),
    tools: z.record(z.string().min(1).max(200), fakeSchema).default({}),
    real: z.array(z.string().min(1)).default([]),
    approvals: z
      .union([z.enum(["allow", "deny"]), z.array(request)], {
        error: "expected allow, deny or a list",
      })
      .default("deny"),
    timeout: writtenQuantity(readDurationMs).default(DEFAULT_TIMEOUT_MS),
    expect: expectSchema,
  })
  .refine((test) => said(test, ["model", "script", "replay"]).length <= 1, {
    message: "a test takes only one of model, script and replay",
  });

export const testFileSchema = z.strictObject({ tests: z.array(testSchema).min(1) });

/** As people write it. */
export type AgentTestText = z.input<typeof testSchema>;
export type AgentTest = z.output<typeof testSchema>;
export type Fake = z.output<typeof fakeSchema>;
export type FakeText = z.input<typeof fakeSchema>;
export type FakeAnswer = NonNullable<Fake["answers"]>[number];
export type PersonRule = z.output<typeof request>;
