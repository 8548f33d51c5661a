// EvalFile: the format of `kind: Eval`.
//
// EVAL-FILE-1  An unknown field, or a value that could never be used, is an error with file, line and field.

import {
  evalScorer,
  type EvalScorer,
  type Json,
  piecesOf,
  readDurationMs,
  scorerNameOf,
  textsOf,
  writtenQuantity,
} from "@aos/protocol";
import { compileRegex } from "@aos/userland";
import { z } from "zod";
import { type FieldProblem, readYaml } from "../yaml-file.ts";

const json = z.unknown() as unknown as z.ZodType<Json>;
const name = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, "1 to 63 of a-z 0-9 . _ -");

const agent = z.union([
  z.string().min(1).max(1000),
  z.strictObject({
    name: z.string().min(1).max(100).describe("Its name in the report."),
    agent: z.string().min(1).max(1000).optional().describe("A name, a file or a folder."),
    manifest: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("Instead: the manifest itself."),
  }),
]);
export type WrittenAgent = z.output<typeof agent>;

export const evalSchema = z.strictObject({
  apiVersion: z.literal("aos/v1"),
  kind: z.literal("Eval"),
  name,
  description: z.string().max(1000).optional(),
  agents: z
    .array(agent)
    .min(1)
    .max(20)
    .optional()
    .describe(
      "Names of agents, or paths from this file to a manifest or a folder with agent.yaml.",
    ),
  models: z
    .array(z.string().min(3).max(200))
    .min(1)
    .max(20)
    .optional()
    .describe("Each agent is run with each. Default: with its own."),
  data: z
    .union([
      z.string().min(1).max(1000),
      z.array(z.record(z.string(), z.unknown())).min(1).max(10_000),
    ])
    .describe("The cases, or the path of a JSONL or CSV file from this file."),
  input: json
    .optional()
    .describe("A template of the input, with `{{field}}`. Default: `input` of the case."),
  scorers: z.array(evalScorer).min(1).max(50),
  repeat: z.number().int().min(1).max(100).default(1).describe("Runs of each case."),
  concurrency: z.number().int().min(1).max(64).default(4).describe("Runs at once."),
  budget: z
    .strictObject({
      usd: z.number().positive().optional().describe("Of all runs and judges together."),
      perRun: z.number().positive().optional().describe("Dollars of one run, without judges."),
    })
    .default({}),
  timeout: writtenQuantity(readDurationMs, "duration")
    .default(600_000)
    .describe("The longest time of one run."),
  workspace: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe("A folder that each run has a copy of, as a path from this file."),
  failUnder: z
    .record(z.string(), z.number().min(0).max(1))
    .default({})
    .describe("The least mean score of scorers, or of all gates: `passed`."),
});
export type EvalFile = z.output<typeof evalSchema>;

/** Throws EINVAL that says `file:line: field: …`. */
export const readEvalFile = (text: string, file: string): EvalFile =>
  readYaml(text, file, evalSchema, complaintsOf).read;

function complaintsOf({ scorers, failUnder, agents = [], input }: EvalFile): FieldProblem[] {
  const names = scorers.map(scorerNameOf);
  const twice = scorers.flatMap((scorer, nth) =>
    names.indexOf(scorerNameOf(scorer)) === nth
      ? []
      : [{ path: ["scorers", nth], message: `two scorers are called ${scorerNameOf(scorer)}` }],
  );
  const reserved = scorers.flatMap(({ name: given }, nth) =>
    given === "passed" ? [{ path: ["scorers", nth, "name"], message: "all gates together" }] : [],
  );
  const unknown = Object.keys(failUnder)
    .filter((one) => one !== "passed" && !names.includes(one))
    .map((one) => ({ path: ["failUnder", one], message: `there is no scorer ${one}` }));
  const unclear = agents.flatMap((one, nth) =>
    typeof one === "string" || (one.agent === undefined) !== (one.manifest === undefined)
      ? []
      : [{ path: ["agents", nth], message: "give either an agent or a manifest" }],
  );
  return [
    ...twice,
    ...reserved,
    ...unknown,
    ...unclear,
    ...scorers.flatMap(scorerFlaws),
    ...templateFlaws(input ?? null, ["input"]),
  ];
}

function scorerFlaws(scorer: EvalScorer, nth: number): FieldProblem[] {
  const path = ["scorers", nth];
  if (scorer.type === "regex") {
    try {
      compileRegex(scorer.pattern, scorer.flags);
      return [];
    } catch (error) {
      return [{ path: [...path, "pattern"], message: (error as Error).message }];
    }
  }
  const { value } = scorer as { readonly value?: Json };
  return templateFlaws(value ?? null, [...path, "value"]);
}

const templateFlaws = (template: Json, path: (string | number)[]): FieldProblem[] =>
  [...textsOf(template)].flatMap(({ text, path: below }) => {
    try {
      if (text.includes("{{")) piecesOf(text);
      return [];
    } catch (error) {
      return [{ path: [...path, ...below], message: (error as Error).message }];
    }
  });
