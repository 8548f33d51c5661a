// Recording: what models answered in a run, in their order, for `replay` of a test.
//
//   answers:
//     - asked: 3f0c…                # the digest of the messages that it answers
//       say: "Let me look."
//       call: [{ id: c1, tool: file.read, args: { path: /work/x } }]
//       finish: tool
//       usage: { inputTokens: 120, outputTokens: 14 }
//       usd: 0.0021
//     - asked: 88ab…
//       error: { code: EUPSTREAM, message: overloaded }

import { createHash } from "node:crypto";
import { canonicalText, type Json, type Message } from "@aos/protocol";
import { stringify } from "yaml";
import { z } from "zod";
import { readYaml } from "../yaml-file.ts";
import { failureCodeSchema, jsonSchema } from "./expect-schema.ts";

const count = z.number().int().nonnegative();

const answer = z
  .strictObject({
    asked: z.string().regex(/^[0-9a-f]{16}$/, "16 hexadecimal digits"),
    say: z.string().optional(),
    call: z
      .array(z.strictObject({ id: z.string(), tool: z.string().min(1), args: jsonSchema }))
      .optional(),
    reasoning: z
      .array(z.strictObject({ text: z.string(), meta: jsonSchema.optional() }))
      .optional(),
    finish: z.enum(["stop", "tool", "length", "filter"]).optional(),
    usage: z
      .strictObject({
        inputTokens: count,
        outputTokens: count,
        cachedTokens: count.optional(),
        cacheWriteTokens: count.optional(),
        reasoningTokens: count.optional(),
      })
      .optional(),
    usd: z.number().nonnegative().optional(),
    /** Tokens that the model could take in. */
    window: count.optional(),
    error: z
      .strictObject({ code: failureCodeSchema, message: z.string(), hint: z.string().optional() })
      .optional(),
  })
  .refine(
    ({ error, say, call }) => error !== undefined || say !== undefined || call !== undefined,
    {
      message: "an answer says something, calls for tools, or is an error",
    },
  );

const recordingSchema = z.strictObject({ answers: z.array(answer) });

export type RecordedAnswer = z.output<typeof answer>;

export const readRecording = (text: string, file: string): RecordedAnswer[] =>
  readYaml(text, file, recordingSchema).read.answers;

export const recordingText = (answers: readonly RecordedAnswer[]): string =>
  stringify({ answers }, { lineWidth: 0, aliasDuplicateObjects: false });

/** What tells one request from another: its messages, and not which tools were on offer. */
export const messagesDigest = (messages: readonly Message[]): string =>
  createHash("sha256")
    .update(canonicalText(messages as unknown as Json))
    .digest("hex")
    .slice(0, 16);
