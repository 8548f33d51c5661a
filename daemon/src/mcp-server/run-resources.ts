// RunResources: runs and their journals as MCP resources.
//
//   aos://runs                the newest runs
//   aos://runs/PID            one run, in full
//   aos://runs/PID/journal    what it did, one record a line, from the first
//   …/journal?after=SEQ       the same after a record
//
// RUN-RESOURCES-1  A run that the caller may not see does not exist as a resource.

import {
  ResourceNotFoundError,
  type ListResourcesResult,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplateType,
} from "@modelcontextprotocol/server";
import { isProcessId, SysError, type ProcessInfo } from "@aos/protocol";
import type { CallOperation } from "./operations-as.ts";

const ROOT = "aos://runs";
const PAGE = 50;
/** Of a journal in one answer. */
const MOST_RECORDS = 1000;
const JSON_TYPE = "application/json";
const LINES_TYPE = "application/x-ndjson";

export const runUri = (pid: string): string => `${ROOT}/${pid}`;

export const runTemplates: readonly ResourceTemplateType[] = [
  {
    name: "run",
    title: "A run",
    uriTemplate: `${ROOT}/{pid}`,
    description: "One run, in full.",
    mimeType: JSON_TYPE,
  },
  {
    name: "journal",
    title: "The journal of a run",
    uriTemplate: `${ROOT}/{pid}/journal{?after}`,
    description: `What it did, one record a line; at most ${MOST_RECORDS} at a time, after a record's seq.`,
    mimeType: LINES_TYPE,
  },
];

export async function listRunResources(
  ask: CallOperation,
  signal: AbortSignal,
  cursor?: string,
): Promise<ListResourcesResult> {
  if (cursor !== undefined && !isProcessId(cursor))
    throw new SysError("EINVAL", "the cursor is invalid");
  const before = cursor === undefined ? {} : { before: cursor };
  const runs = await ask("list", { limit: PAGE, ...before }, signal);
  const all: Resource = {
    name: "runs",
    title: "Runs",
    uri: ROOT,
    description: "The newest runs.",
    mimeType: JSON_TYPE,
  };
  const last = runs.at(-1);
  return {
    resources: [...(cursor === undefined ? [all] : []), ...runs.map(resourceOf)],
    ...(runs.length === PAGE && last !== undefined ? { nextCursor: last.pid } : {}),
  };
}

const resourceOf = ({ pid, agent, state, startedAt }: ProcessInfo): Resource => ({
  name: pid,
  title: `${agent}, ${state}`,
  uri: runUri(pid),
  description: `A run of ${agent}, started ${startedAt}; ${runUri(pid)}/journal has what it did.`,
  mimeType: JSON_TYPE,
});

/** RUN-RESOURCES-1. */
export async function readRunResource(
  ask: CallOperation,
  signal: AbortSignal,
  uri: string,
): Promise<ReadResourceResult> {
  const request = wishIn(uri);
  if (request === undefined) throw new ResourceNotFoundError(uri);
  try {
    const [mimeType, text] = await textOf(ask, signal, request);
    return { contents: [{ uri, mimeType, text }] };
  } catch (error) {
    if (error instanceof SysError && error.code === "ENOENT") throw new ResourceNotFoundError(uri);
    throw error;
  }
}

type ResourceRequest =
  | { readonly of: "all" }
  | { readonly of: "run"; readonly pid: string }
  | { readonly of: "journal"; readonly pid: string; readonly after: number | undefined };

function wishIn(uri: string): ResourceRequest | undefined {
  if (uri === ROOT) return { of: "all" };
  const parts = /^aos:\/\/runs\/(agt_\w{26})(\/journal(?:\?after=(\d{1,15}))?)?$/.exec(uri);
  const [, pid, journal, after] = parts ?? [];
  if (pid === undefined || !isProcessId(pid)) return undefined;
  if (journal === undefined) return { of: "run", pid };
  return { of: "journal", pid, after: after === undefined ? undefined : Number(after) };
}

async function textOf(
  ask: CallOperation,
  signal: AbortSignal,
  request: ResourceRequest,
): Promise<[string, string]> {
  if (request.of === "all")
    return [JSON_TYPE, JSON.stringify(await ask("list", { limit: PAGE }, signal))];
  const { pid } = request;
  if (request.of === "run") return [JSON_TYPE, JSON.stringify(await ask("show", { pid }, signal))];
  const after = request.after === undefined ? {} : { after: request.after };
  const records = await ask("journal", { pid, limit: MOST_RECORDS, ...after }, signal);
  return [LINES_TYPE, records.map((record) => `${JSON.stringify(record)}\n`).join("")];
}

/** The pids that begin so, for whoever fills in a template. */
export async function completePid(
  ask: CallOperation,
  signal: AbortSignal,
  begun: string,
): Promise<readonly string[]> {
  const runs = await ask("list", { limit: 500 }, signal);
  return runs.map(({ pid }) => pid as string).filter((pid) => pid.startsWith(begun));
}
