// Operations on evaluations: agents and models over a set of cases, scored.

import { z } from "zod";
import { lanes } from "../lane.ts";
import { MOST_LISTED, processStates } from "../process.ts";
import {
  byPid,
  countArgument,
  folder,
  processReference,
  tenant,
  textFile,
  words,
} from "./argument-fields.ts";
import { operation, type ReportOf } from "./operation.ts";
import { processState } from "./process.ts";
import {
  amount,
  count,
  failureText,
  jsonValue,
  moment,
  named,
  names,
  pid,
} from "./response-fields.ts";

const signed = z.number();

const interval = named(
  "EvalInterval",
  z.strictObject({ low: signed, high: signed }).describe("95 %."),
);

const measure = named(
  "EvalMeasure",
  z.strictObject({
    mean: signed.nullable().describe("Null where nothing was measured."),
    interval: interval.nullable().describe("Null where too few cases were measured."),
    cases: count.describe("Cases that it is the mean of; repetitions of a case are one."),
  }),
);
export type EvalMeasure = ReportOf<typeof measure>;

const score = named(
  "EvalScore",
  z.strictObject({
    name: z.string(),
    score: z.number().min(0).max(1).nullable().describe("Null: it could not be scored."),
    passed: z.boolean().nullable(),
    isGate: z.boolean(),
    reason: z.string(),
    pid: pid.nullable().describe("The judge."),
    usd: amount,
  }),
);
export type EvalScore = ReportOf<typeof score>;

const cellStates = ["open", "passed", "failed", "unscored", "no budget"] as const;

const cell = named(
  "EvalCell",
  z.strictObject({
    case: z.string(),
    variant: z.string(),
    repeat: count.describe("From 1."),
    tags: names,
    state: z
      .enum(cellStates)
      .describe(
        "unscored: the run or a scorer failed for a reason that says nothing of the agent.",
      ),
    pid: pid.nullable(),
    output: z.string().describe("Its beginning; the run has all of it."),
    error: z.string().nullable(),
    label: z.string().nullable(),
    scores: z.array(score),
    usd: amount,
    judgeUsd: amount,
    tokens: amount,
    latencyMs: amount,
    steps: count,
  }),
);
export type EvalCell = ReportOf<typeof cell>;

const variant = named(
  "EvalVariantReport",
  z.strictObject({
    name: z.string(),
    agent: z.string(),
    model: z.string().nullable().describe("Null: those of its manifest."),
    passed: measure.describe("The part of the cases that passed every gate."),
    scores: z.array(z.strictObject({ name: z.string(), isGate: z.boolean(), ...measure.shape })),
    usd: measure.describe("Of one run, without judges."),
    latencyMs: measure,
    steps: measure,
    totalUsd: amount,
    judgeUsd: amount,
    unscored: count,
    notRun: count.describe("For lack of budget."),
    open: count,
    flaky: names.describe("Cases that passed in some repetitions and failed in others."),
  }),
);
export type EvalVariantReport = ReportOf<typeof variant>;

const evalInfo = named(
  "EvalInfo",
  z.strictObject({
    pid,
    name: z.string(),
    state: processState,
    cells: count.describe("Runs in all: cases × variants × repetitions."),
    variants: names,
    startedAt: moment,
    endedAt: moment.nullable(),
  }),
);
export type EvalInfo = ReportOf<typeof evalInfo>;

const threshold = named(
  "EvalThreshold",
  z.strictObject({
    scorer: z.string().describe("`passed` for all gates together."),
    variant: z.string(),
    least: z.number(),
    mean: z.number().nullable(),
    isMet: z.boolean(),
  }),
);
export type EvalThreshold = ReportOf<typeof threshold>;

const evalReport = named(
  "EvalReport",
  z.strictObject({
    ...evalInfo.shape,
    digest: z.string().describe("Of cases and scorers."),
    done: count,
    budgetUsd: amount.nullable(),
    totalUsd: amount.describe("Of runs and judges, with what an evaluation before had paid."),
    resumes: pid.nullable(),
    repeat: count,
    thresholds: z.array(threshold),
    variantReports: z.array(variant),
    results: z.array(cell),
    error: failureText.nullable(),
  }),
);
export type EvalReport = ReportOf<typeof evalReport>;

const difference = named(
  "EvalDifference",
  z.strictObject({
    scorer: z.string(),
    first: measure,
    second: measure,
    mean: signed.describe("Of the second from the first, over the cases of both."),
    interval: interval.nullable(),
    p: z.number().nullable().describe("McNemar's exact test, where scores are 0 and 1."),
    says: z.enum(["better", "worse", "cannot tell"]),
    cases: count,
    better: count,
    worse: count,
    detectable: amount.nullable().describe("What so many cases show in 80 of 100 samples."),
  }),
);

const comparison = named(
  "EvalComparison",
  z.strictObject({
    first: pid,
    second: pid,
    isSameData: z.boolean().describe("Cases and scorers are equal."),
    pairs: z.array(
      z.strictObject({
        first: z.string(),
        second: z.string(),
        differences: z.array(difference),
        regressed: names.describe("Cases that passed, and do not any more."),
        fixed: names,
        onlyInOne: count.describe("Cases that are not compared."),
      }),
    ),
  }),
);
export type EvalComparison = ReportOf<typeof comparison>;

const chosenAgent = z.strictObject({
  ref: z.string().min(1).max(1000).describe("as the file names it"),
  name: z.string().min(1).max(100).optional().describe("its name in the report"),
  manifest: textFile.optional().describe("its manifest (default: the agent of this name)"),
});

const given = {
  file: textFile.describe("the text of the Eval file, and its name for messages"),
  files: z
    .array(textFile)
    .max(50)
    .optional()
    .describe("files that it names: the data set, and those of code scorers"),
  agents: z.array(chosenAgent).max(20).optional(),
  agentFolders: z
    .array(z.strictObject({ ref: z.string().min(1).max(1000), folder }))
    .max(20)
    .optional()
    .describe("the folders that their relative paths refer to"),
  isAgentsOnly: z.boolean().optional().describe("the agents given here, and not those of the file"),
  models: z.array(z.string().min(3).max(200)).min(1).max(20).optional(),
  repeat: z.number().int().min(1).max(100).optional(),
  concurrency: z.number().int().min(1).max(64).optional(),
  budget: z
    .strictObject({ usd: z.number().positive() })
    .optional()
    .describe("the most that runs and judges may cost together: usd=2"),
  failUnder: z.record(z.string(), z.number().min(0).max(1)).optional(),
  workspaceFolder: folder.optional().describe("a folder that each run has a copy of"),
  cwd: folder.optional(),
  tenant: tenant.optional(),
  lane: z.enum(lanes).optional(),
};

const startedEval = z.strictObject({ pid, cells: count });

export const evalOperations = {
  startEval: operation({
    method: "POST",
    path: "/evals",
    summary: "Run agents and models over a data set, and score what comes of it.",
    role: "operator",
    reach: "tenant",
    body: z.strictObject(given),
    response: startedEval,
  }),

  evals: operation({
    method: "GET",
    path: "/evals",
    summary: "List evaluations, newest first.",
    role: "viewer",
    reach: "tenant",
    query: z.strictObject({
      tenant: tenant.optional(),
      limit: countArgument.max(MOST_LISTED).optional().describe("at most this many (default: 50)"),
    }),
    response: z.array(evalInfo),
  }),

  eval: operation({
    method: "GET",
    path: "/evals/:pid",
    summary: "Show an evaluation: scores with their intervals, costs and every run.",
    role: "viewer",
    reach: "tenant",
    params: byPid,
    response: evalReport,
  }),

  resumeEval: operation({
    method: "POST",
    path: "/evals/:pid/resume",
    summary: "Go on with an evaluation that ended, without what is scored.",
    role: "operator",
    reach: "tenant",
    params: byPid,
    body: z.strictObject({
      budget: given.budget,
      concurrency: given.concurrency,
    }),
    response: startedEval,
  }),

  cancelEval: operation({
    method: "POST",
    path: "/evals/:pid/cancel",
    summary: "End an evaluation, and the runs that it has begun.",
    role: "operator",
    reach: "tenant",
    params: byPid,
    response: z.strictObject({ pid, stopped: count }),
  }),

  compareEvals: operation({
    method: "GET",
    path: "/evals/:pid/compare/:other",
    summary:
      "Compare two evaluations case by case, and say whether the difference is more than chance.",
    role: "viewer",
    reach: "tenant",
    params: z.strictObject({ pid: byPid.shape.pid, other: processReference("The second one.") }),
    query: z.strictObject({
      variants: words
        .optional()
        .describe("FIRST=SECOND, a pair of variants (default: those of equal names)"),
    }),
    response: comparison,
  }),

  evalDataset: operation({
    method: "POST",
    path: "/evals/dataset",
    summary: "Make a data set from recorded runs.",
    role: "operator",
    reach: "tenant",
    body: z.strictObject({
      agent: z.string().min(1).max(200).optional(),
      since: z.number().nonnegative().optional().describe("begun then or later, in ms since 1970"),
      outcome: z.enum(processStates).optional().describe("only runs in this state"),
      limit: z.number().int().min(1).max(5000).optional(),
      tenant: tenant.optional(),
    }),
    response: z.strictObject({
      cases: z.array(
        z.strictObject({
          id: z.string(),
          input: jsonValue,
          expected: jsonValue,
          label: z.string(),
          metadata: z.strictObject({
            pid,
            agent: z.string(),
            state: processState,
            exitCode: z.int().nullable(),
            outputLabel: z.string(),
            usd: amount,
          }),
        }),
      ),
      left: count.describe(
        "Runs that are not in it: their input is no longer kept, or was taken out.",
      ),
    }),
  }),
} as const;
