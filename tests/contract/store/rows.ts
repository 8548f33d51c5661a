// Rows for the store's tests: as short as the test allows, complete for the store.

import { createHash } from "node:crypto";
import type {
  Extension,
  SharedHistory,
  OpenedStore,
  Write,
  FileRow,
  MessageRow,
  ProcessRow,
  QuestionRow,
  SignalRow,
} from "@aos/kernel/store";

export const hashOf = (text: string): Uint8Array => createHash("sha256").update(text).digest();
export const hex = (bytes: Uint8Array | undefined): string =>
  Buffer.from(bytes ?? []).toString("hex");

const pidOf = (key: number): string => `agt_${String(key).padStart(4, "0")}`;

export function processRow(key: number, more: Partial<ProcessRow> = {}): ProcessRow {
  return {
    key,
    tenant: 1,
    pid: pidOf(key),
    agent: "tester",
    parent: null,
    parentPid: null,
    root: more.parent ?? key,
    depth: 0,
    state: "running",
    waitingOn: null,
    wakeAt: null,
    base: 0,
    exitCode: null,
    startedAt: 1000 + key,
    endedAt: null,
    output: null,
    error: null,
    compacted: false,
    label: null,
    spec: {
      program: "test",
      programVersion: "1",
      manifestHash: "none",
      blocks: [],
      budget: {},
      label: { integrity: "trusted", secrecy: "public" },
    },
    ...more,
  };
}

export const born = (key: number, more: Partial<ProcessRow> = {}, node = "a"): Write => ({
  op: "process.add",
  row: processRow(key, more),
  node,
});

export const forked = (
  key: number,
  shared: Omit<SharedHistory, "hash">,
  hash = hashOf("shared"),
): Write => ({
  op: "process.add",
  row: processRow(key),
  node: "a",
  shared: { ...shared, hash },
});

export const patched = (
  key: number,
  patch: Extract<Write, { op: "process.patch" }>["patch"],
): Write => ({
  op: "process.patch",
  key,
  patch,
});

export const ended = (key: number, endedAt = 5000): Write =>
  patched(key, { state: "completed", endedAt, exitCode: 0, output: `"done"` });

/** Adds records with these texts from `firstSeq` on. */
export function extension(
  process: number,
  firstSeq: number,
  texts: readonly string[],
  more: Partial<Extension> = {},
): Extension {
  return {
    process,
    pid: pidOf(process),
    tenant: 1,
    epoch: 1,
    at: 2000,
    firstSeq,
    writes: [],
    spend: [],
    microUsd: 0,
    tokens: 0,
    toolCalls: 0,
    overMicroUsd: 0,
    overTokens: 0,
    records: texts.map((text) => ({ text, hash: hashOf(text) })),
    ...more,
  };
}

export const messageRow = (
  key: number,
  process: number,
  more: Partial<MessageRow> = {},
): MessageRow => ({
  key,
  process,
  tenant: 1,
  id: `msg_${key}`,
  from: "agt_0001",
  type: "request",
  topic: null,
  replyTo: null,
  body: `{"n":${key}}`,
  cause: "agt_0001#0",
  sentAt: 2000,
  label: "trusted/public",
  ...more,
});

export const signalRow = (key: number, process: number): SignalRow => ({
  key,
  process,
  tenant: 1,
  signal: "SIGTERM",
  cause: "operator",
  sentAt: 2000,
});

export const fileRow = (path: string, data: string, more: Partial<FileRow> = {}): FileRow => ({
  tenant: 1,
  space: 1,
  path,
  data,
  writer: "agt_0001",
  label: "trusted/public",
  writtenAt: 2000,
  ...more,
});

export const questionRow = (id: string, process: number): QuestionRow => ({
  id,
  process,
  tenant: 1,
  pid: pidOf(process),
  n: 3,
  kind: "question",
  question: "Go on?",
  choices: ["yes", "no"],
  digest: "d",
  askedAt: 2000,
  expiresAt: null,
  answer: null,
  reason: null,
  answeredBy: null,
  answeredAt: null,
  channel: null,
  quorum: 1,
  batch: null,
  joined: false,
  about: null,
});

export const textsOf = async (
  store: OpenedStore,
  key: number,
  options?: { after?: number; upTo?: number },
): Promise<string[]> => (await store.records(key, options)).map((record) => record.text);
