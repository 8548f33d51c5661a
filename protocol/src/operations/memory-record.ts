// Operations about records of memory: facts and episodes that outlive a process, with where they come from.
//
// MEMORY-RECORD-1  What is written is written by a short process of the tenant: the gate judges it, and the journal
//     has it.
// MEMORY-RECORD-2  Imported data is untrusted, unless the caller says that its labels are right. No label is lowered.

import { z } from "zod";
import {
  factConfidence,
  factReference,
  factSource,
  factSubject,
  factText,
} from "../memory-records.ts";
import { countArgument, jsonArgument, tenant } from "./argument-fields.ts";
import { sharedPath } from "./memory.ts";
import { operation, type ReportOf } from "./operation.ts";
import { count, jsonValue, moment, named, seq } from "./response-fields.ts";

/** The most that one request reads or writes. */
export const MOST_RECORDS = 500;

const rowFields = {
  path: z.string(),
  data: jsonValue,
  writer: z.string().describe("The process that wrote it last."),
  label: z.string().describe("Where it comes from: `trusted/public`."),
  writtenAt: moment,
};

const memoryRow = named("MemoryRow", z.strictObject(rowFields));
export type MemoryRow = ReportOf<typeof memoryRow>;

const memoryPage = named(
  "MemoryRows",
  z
    .strictObject({
      rows: z.array(memoryRow),
      next: z
        .string()
        .nullable()
        .describe("If there are more: the value of `after` for the next page."),
    })
    .describe("Files of memory with their data, by path."),
);
export type MemoryRows = ReportOf<typeof memoryPage>;

const journalPlace = z.strictObject({ pid: z.string(), seq });

const relatedFact = z.strictObject({
  path: z.string(),
  text: z.string(),
  label: z.string(),
  writtenAt: moment,
});

const recordView = z.strictObject({
  ...rowFields,
  kind: z.enum(["fact", "episode", "other"]),
  replaces: z.array(relatedFact).describe("The chain of facts that it replaces, the newest first."),
  replacedBy: relatedFact.nullable(),
  contradicts: z
    .array(relatedFact)
    .describe("Facts about the same subject that say something else."),
});
export type MemoryRecordView = ReportOf<typeof recordView>;

const memoryRecord = named(
  "MemoryRecord",
  recordView
    .extend({
      writtenBy: journalPlace
        .nullable()
        .describe("The journal record of its write, if it is kept."),
      from: journalPlace.nullable().describe("The journal record that a fact was taken from."),
    })
    .describe("A record of memory and its provenance."),
);
export type MemoryRecord = ReportOf<typeof memoryRecord>;

const spaceStats = named(
  "MemoryStats",
  z
    .strictObject({
      space: z.string().describe("The folder: `/mem/agents/researcher`, `/mem/shared/team`."),
      rows: count,
      bytes: count,
      kinds: z.record(z.string(), count).describe("How many facts, episodes and others."),
      labels: z.record(z.string(), count),
      oldest: moment,
      newest: moment,
    })
    .describe("The content of one memory space."),
);
export type MemoryStats = ReportOf<typeof spaceStats>;

const addedFact = named(
  "AddedFact",
  z
    .strictObject({ path: z.string(), pid: z.string().describe("The process that wrote it.") })
    .describe("A fact that was written."),
);

const importReport = named(
  "MemoryImport",
  z
    .strictObject({
      written: count,
      unchanged: count.describe("Were there already, with the same data."),
      kept: z.array(z.string()).describe("Paths that have other data, which was kept."),
      refused: z.array(z.strictObject({ path: z.string(), error: z.string() })),
    })
    .describe("The result of an import of records."),
);
export type MemoryImport = ReportOf<typeof importReport>;

export interface MemoryRowsQuery {
  readonly tenant?: string;
  /** All that outlives processes unless said. */
  readonly path?: string;
  readonly after?: string;
  readonly limit?: number;
}

/** What the kernel answers about the files of memory that outlive processes. */
export interface MemoryRecordReader {
  /** A page of them, with their data. */
  memoryRows(query?: MemoryRowsQuery): Promise<MemoryRows>;
  /** One, with the facts that it is related to. */
  memoryRecord(of: { readonly tenant?: string; readonly path: string }): Promise<MemoryRecordView>;
  memoryStats(of?: { readonly tenant?: string }): Promise<MemoryStats[]>;
}

/** Agents choose names freely: any plain path, which the kernel checks. */
const recordPath = z
  .string()
  .max(4096)
  .regex(
    /^\/mem\/(?:shared|semantic|episodic|agents)\/./,
    "a file of memory that outlives a process: /mem/shared/…, /mem/agents/SPACE/semantic/…",
  );

const agent = z.string().regex(/^[\w.@~-]{1,200}$/, "the name of an agent or of its space");
const WHOSE = "the agent whose memory it is, or its space: researcher, helper@3f0a";

export const memoryRecordOperations = {
  addFact: operation({
    method: "POST",
    path: "/memory/facts",
    summary: "Write a fact into the memory of an agent.",
    role: "operator",
    reach: "tenant",
    body: z.strictObject({
      text: factText.describe("The fact, as a full sentence."),
      agent: agent.optional().describe(WHOSE),
      path: sharedPath
        .optional()
        .describe("a folder of memory instead: /mem/shared/team, /mem/agents/researcher/semantic"),
      subject: factSubject.optional().describe("its subject, e.g. gateway port"),
      confidence: factConfidence.optional().describe("its confidence, from 0 to 1 (default: 0.8)"),
      source: factSource.optional().describe("where it is from (default: operator)"),
      replaces: factReference.optional().describe("the path of the fact that it replaces"),
      tenant: tenant.optional().describe("in the memory of this tenant"),
    }),
    response: addedFact,
  }),

  memoryRecord: operation({
    method: "GET",
    path: "/memory/record",
    summary: "Show a record of memory and where it comes from.",
    role: "operator",
    reach: "tenant",
    query: z.strictObject({
      path: recordPath,
      tenant: tenant.optional().describe("in the memory of this tenant"),
    }),
    response: memoryRecord,
  }),

  exportMemory: operation({
    method: "GET",
    path: "/memory/export",
    summary: "Read the files of memory below a path, with their labels.",
    role: "operator",
    reach: "tenant",
    query: z.strictObject({
      path: sharedPath.optional().describe("only below this path (default: all but /mem/working)"),
      agent: agent.optional().describe(WHOSE),
      after: z.string().min(1).max(4096).optional().describe("the next page: `next` of the last"),
      limit: countArgument.min(1).max(MOST_RECORDS).optional().describe("at most this many"),
      tenant: tenant.optional().describe("of this tenant"),
    }),
    response: memoryPage,
  }),

  importMemory: operation({
    method: "POST",
    path: "/memory/import",
    summary: "Write records of memory that were exported.",
    role: "operator",
    reach: "tenant",
    body: z.strictObject({
      records: z
        .array(
          z.looseObject({
            path: recordPath,
            data: jsonArgument,
            label: z.string().max(200).optional(),
          }),
        )
        .min(1)
        .max(MOST_RECORDS),
      agent: agent.optional().describe("into the memory of this agent, regardless of the paths"),
      trusted: z
        .boolean()
        .optional()
        .describe("the labels of the file are right; otherwise everything in it is untrusted"),
      tenant: tenant.optional().describe("in the memory of this tenant"),
    }),
    response: importReport,
  }),

  memoryStats: operation({
    method: "GET",
    path: "/memory/stats",
    summary: "Show the contents of each memory space.",
    role: "operator",
    reach: "tenant",
    query: z.strictObject({ tenant: tenant.optional().describe("of this tenant") }),
    response: z.array(spaceStats),
  }),
} as const;
