// Operations about files: the tree of a process, and the files that a tenant shares.

import { z } from "zod";
import { MOST_LISTED } from "../process.ts";
import {
  countArgument,
  jsonArgument,
  labelArgument,
  processReference,
  tenant,
} from "./argument-fields.ts";
import { foundFile } from "./memory.ts";
import { operation, type ReportOf } from "./operation.ts";
import { count, jsonValue, moment, named } from "./response-fields.ts";

const entry = z.strictObject({
  path: z.string(),
  bytes: count
    .nullable()
    .describe("Null if unknown, for example for files that are made when they are read."),
  writer: z.string().nullable(),
  writtenAt: moment.nullable(),
  label: z.string().nullable(),
});

/** A connector, and what is made when it is read, have no writer. */
const found = foundFile.partial({ writer: true });

const fileView = z.strictObject({
  entries: z.array(entry).describe("Of a list: the files below the path, or a page of them."),
  found: z.array(found).describe("Of a search, the best first."),
  data: jsonValue.describe("Of a read: the value."),
  label: z.string().nullable().describe("Where it comes from: `trusted/public`."),
  writer: z.string().nullable(),
  writtenAt: moment.nullable(),
  next: z
    .string()
    .nullable()
    .describe("If there are more: the value of `after` for the next page."),
});
export type FileView = ReportOf<typeof fileView>;

const fileReport = named(
  "FileReport",
  fileView
    .extend({
      path: z.string(),
      pid: z.string().describe("The process that sees it, or that read it."),
    })
    .describe("The entry at a path of the file tree."),
);
export type FileReport = ReportOf<typeof fileReport>;

const mountReport = named(
  "MountReport",
  z
    .strictObject({
      path: z.string(),
      driver: z.string().describe("The driver that serves it: `store`, `workspace`, `git`."),
      guard: z
        .enum(["own", "memory", "file"])
        .describe("The kind of capability that a call needs; `own` needs none."),
      writable: z.boolean(),
      label: z.string().describe("The label of what is read."),
      declaredBy: z.string().describe("`system`, `config.yaml` or `manifest`."),
      summary: z.string(),
    })
    .describe("A row of the mount table."),
);
export type MountReport = ReportOf<typeof mountReport>;

const fileVersionFields = {
  version: z.string().describe("The record that wrote it: `PID#SEQ`."),
  change: z.enum(["write", "append", "remove"]),
  writer: z.string().describe("The process that wrote it."),
  agent: z.string(),
  writtenAt: moment,
  label: z.string().nullable().describe("Size of the value; null for a removal."),
  bytes: count
    .nullable()
    .describe("Size of the value; null for a removal, or if the value is no longer kept."),
  isCurrent: z.boolean(),
};

const fileVersion = named("FileVersion", z.strictObject(fileVersionFields));
export type FileVersion = ReportOf<typeof fileVersion>;

const fileVersions = named(
  "FileVersions",
  z
    .strictObject({
      path: z.string(),
      versions: z.array(fileVersion).describe("The newest first."),
      next: z
        .string()
        .nullable()
        .describe("If there are more: the value of `after` for the next page."),
      isComplete: z.boolean().describe("False if retention may have removed versions."),
    })
    .describe("The versions of a file."),
);
export type FileVersions = ReportOf<typeof fileVersions>;

const fileVersionReport = named(
  "FileVersionReport",
  z
    .strictObject({ path: z.string(), ...fileVersionFields, data: jsonValue })
    .describe("The content of a file after a write; null after a removal."),
);
export type FileVersionReport = ReportOf<typeof fileVersionReport>;

const fileDiff = named(
  "FileDiff",
  z
    .strictObject({
      path: z.string(),
      from: z
        .string()
        .nullable()
        .describe("Null where there was no version before; `original` of a file of a workspace."),
      to: z.string().describe("`current` of a file of a workspace."),
      diff: z.string().describe("A unified diff; empty where nothing differs."),
    })
    .describe("The difference between two versions of a file."),
);
export type FileDiff = ReportOf<typeof fileDiff>;

const filePath = z.string().min(1).max(4096).startsWith("/");

const versionName = z
  .string()
  .regex(/^agt_\w+#\d{1,15}$/, "a version is PID#SEQ, as the list of versions has it");

const whose = {
  pid: processReference()
    .optional()
    .describe("as this process sees it (default: the files that the tenant shares)"),
  tenant: tenant.optional().describe("of this tenant"),
};

export const fileOperations = {
  mounts: operation({
    method: "GET",
    path: "/mounts",
    summary: "List the mounts of the file tree.",
    role: "viewer",
    reach: "tenant",
    query: z.strictObject(whose),
    response: z.array(mountReport),
  }),

  listFiles: operation({
    method: "GET",
    path: "/files",
    summary: "List the files below a path.",
    role: "operator",
    reach: "tenant",
    query: z.strictObject({
      path: filePath.optional().describe("the folder (default: /)"),
      ...whose,
      after: z.string().min(1).max(4096).optional().describe("the next page: `next` of the last"),
      limit: countArgument
        .min(1)
        .max(MOST_LISTED, `at most ${MOST_LISTED} at once; after=NEXT is the next page`)
        .optional()
        .describe("at most this many (default: 1000, limit: 10000)"),
    }),
    response: fileReport,
  }),

  readFile: operation({
    method: "GET",
    path: "/files/content",
    summary: "Read a file.",
    role: "operator",
    reach: "tenant",
    query: z.strictObject({
      path: filePath,
      ...whose,
      after: z.string().min(1).max(4096).optional().describe("the next page of rows"),
      limit: countArgument.min(1).max(MOST_LISTED).optional().describe("at most this many rows"),
    }),
    response: fileReport,
  }),

  findFiles: operation({
    method: "GET",
    path: "/files/search",
    summary: "Find files below a path by the words in them.",
    role: "operator",
    reach: "tenant",
    query: z.strictObject({
      path: filePath,
      query: z.string().min(1).max(10_000).describe("The words to look for."),
      ...whose,
      limit: countArgument.min(1).max(1000).optional().describe("at most this many (default: 10)"),
    }),
    response: fileReport,
  }),

  /** By a process of the program `files`: the gate judges it, and the journal has it. */
  writeFile: operation({
    method: "POST",
    path: "/files/write",
    summary: "Write a file that the processes of a tenant share.",
    role: "operator",
    reach: "tenant",
    body: z.strictObject({
      path: filePath,
      data: jsonArgument,
      tenant: whose.tenant,
      label: labelArgument
        .optional()
        .describe("where the data comes from, e.g. untrusted/secret (default: trusted/public)"),
    }),
    response: fileReport,
  }),

  removeFile: operation({
    method: "POST",
    path: "/files/remove",
    summary: "Remove a file that the processes of a tenant share.",
    role: "operator",
    reach: "tenant",
    body: z.strictObject({ path: filePath, tenant: whose.tenant }),
    response: fileReport,
  }),

  fileVersions: operation({
    method: "GET",
    path: "/files/versions",
    summary: "List the versions of a file of memory, the newest first.",
    role: "operator",
    reach: "tenant",
    query: z.strictObject({
      path: filePath,
      ...whose,
      after: z.string().min(1).max(20).optional().describe("the next page: `next` of the last"),
      limit: countArgument
        .min(1)
        .max(1000)
        .optional()
        .describe("at most this many (default: 50, limit: 1000)"),
    }),
    response: fileVersions,
  }),

  fileVersion: operation({
    method: "GET",
    path: "/files/version",
    summary: "Read a version of a file of memory.",
    role: "operator",
    reach: "tenant",
    query: z.strictObject({
      path: filePath,
      version: versionName.describe("as the list of versions names it: PID#SEQ"),
      ...whose,
    }),
    response: fileVersionReport,
  }),

  diffFile: operation({
    method: "GET",
    path: "/files/diff",
    summary: "Show the differences between two versions of a file.",
    role: "operator",
    reach: "tenant",
    query: z.strictObject({
      path: filePath,
      from: versionName.optional().describe("the older version (default: the one before `to`)"),
      to: versionName.optional().describe("the newer version (default: the last)"),
      ...whose,
    }),
    response: fileDiff,
  }),

  /** By a process of the program `files`, with the label of the version: a new version. */
  restoreFile: operation({
    method: "POST",
    path: "/files/restore",
    summary: "Write a version of a file again, as a new version.",
    role: "operator",
    reach: "tenant",
    body: z.strictObject({ path: filePath, version: versionName, tenant: whose.tenant }),
    response: fileReport,
  }),
} as const;
