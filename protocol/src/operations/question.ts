// Operations about questions and their answers.

import { z } from "zod";
import { MOST_QUESTIONS } from "../question-page.ts";
import { byId, countArgument, person, processReference, tenant, words } from "./argument-fields.ts";
import { operation, type ReportOf } from "./operation.ts";
import { colour, count, moment, named, names, pid, text } from "./response-fields.ts";

const runIdentity = named(
  "RunIdentity",
  z
    .strictObject({
      /** Null where the call is no tool's. */
      tool: z
        .strictObject({
          name: z.string(),
          version: z.string(),
          digest: z.string().nullable().describe("Of the code or definition behind the name."),
        })
        .nullable(),
      /** The program of the process, its version, and the hash of its manifest. */
      program: z.string(),
      programVersion: z.string(),
      manifest: z.string(),
      /** The folder that the agent is from. */
      project: z.string().nullable(),
      workspace: z.strictObject({
        kind: z.enum(["private", "direct", "copy"]),
        folder: z.string().nullable(),
      }),
      files: z
        .array(z.strictObject({ path: z.string(), digest: z.string(), bytes: count }))
        .describe("The files that the arguments name."),
      reach: names.describe("What the running call may reach beyond its touches."),
    })
    .describe("What would run after an approval, and where."),
);
export type RunIdentity = ReportOf<typeof runIdentity>;

/** A file that is named in the arguments of a call. */
export type NamedFile = RunIdentity["files"][number];

const question = named(
  "Question",
  z
    .strictObject({
      id: z.string(),
      pid,
      kind: z.enum(["question", "doubt", "policy", "proposal"]),
      question: z.string(),
      choices: names,
      digest: z.string(),
      askedAt: moment,
      expiresAt: moment.nullable(),
      channel: z
        .string()
        .nullable()
        .describe("The group of people that is asked; null for everyone who may answer."),
      /** Who is in that group. */
      people: names.nullable(),
      quorum: count.describe("How many must say yes."),
      votes: z.array(z.strictObject({ person: z.string(), choice: z.string(), at: moment })),
      count: count.describe("How many calls wait for this one answer."),
      pids: z.array(pid),
      about: z
        .strictObject({
          agent: z.string(),
          call: z.string(),
          tool: z.string().nullable(),
          args: z.string().describe("JSON text, whole."),
          touches: z.array(z.string()).describe("`kind:resource:verb`"),
          effect: z.string().nullable(),
          sinks: names,
          label: z.string(),
          colour,
          rule: z.string().nullable(),
          everyTime: z.boolean().describe("A standing answer is not taken."),
          cover: names.describe('What "always", or the yes to a proposal, gives.'),
          difference: names.exactOptional(),
          runs: runIdentity.exactOptional(),
        })
        .nullable(),
    })
    .describe("Something that a process waits for a person to answer."),
);
export type Question = ReportOf<typeof question>;

/** What a question is about, as it was when it was asked. */
export type QuestionAbout = NonNullable<Question["about"]>;

const answerReport = named(
  "AnswerReport",
  z
    .strictObject({
      id: z.string(),
      settled: z.boolean(),
      answer: z.string().nullable(),
      /** How many have made this choice, and how many must. */
      votes: count,
      needed: count,
      /** The other questions that it settled. */
      alsoAnswered: names,
      given: z.strictObject({ handle: z.string(), capabilities: names }).exactOptional(),
    })
    .describe("The result of a person's answer."),
);
export type AnswerReport = ReportOf<typeof answerReport>;

export const questionOperations = {
  questions: operation({
    method: "GET",
    path: "/questions",
    summary: "List the questions that wait for a person.",
    role: "viewer",
    reach: "tenant",
    query: z.strictObject({
      tenant: tenant.optional(),
      pid: processReference()
        .optional()
        .describe("Only what this run, or one that it started, waits for."),
      id: z.string().min(1).max(200).optional().describe("This one, or those whose ids begin so."),
      after: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe("the next page: the entries after this one"),
      limit: countArgument
        .min(1)
        .max(
          MOST_QUESTIONS,
          `at most ${MOST_QUESTIONS} at once; after=ID of the last is the next page`,
        )
        .optional()
        .describe("at most this many (default: 100, limit: 1000)"),
    }),
    response: z.array(question),
  }),

  answer: operation({
    method: "POST",
    path: "/questions/:id/answer",
    summary: "Answer a question.",
    role: "approver",
    reach: "tenant",
    params: byId,
    body: z.strictObject({
      choice: z.string().min(1).max(1000),
      text: words.optional().describe("the reason; it is recorded with the answer"),
      by: person
        .optional()
        .describe("the person who decides (default: the owner of the socket or of the token)"),
      always: z
        .boolean()
        .optional()
        .describe("grant the agent what it asks for from now on, where the question allows it"),
    }),
    response: answerReport,
  }),

  cancelQuestion: operation({
    method: "POST",
    path: "/questions/:id/cancel",
    summary: "Withdraw a question; the call that waits for it is refused.",
    role: "approver",
    reach: "tenant",
    params: byId,
    body: z.strictObject({
      text: words.optional().describe("the reason; the agent reads it"),
      by: person.optional(),
    }),
    response: z.strictObject({ id: text, alsoWithdrawn: names }),
  }),
} as const;
