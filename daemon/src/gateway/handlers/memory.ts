// Handlers of operations about memory. What outlives processes is searched by a process like any other, of the program
// `recall`: the gate judges it, and the journal has it. What one process has is read where it is kept.
//
// MEMORY-HANDLERS-1  A person's path below /mem/semantic or /mem/episodic means that of every agent of the tenant: the
//     search names each space.

import {
  AGENT_MEMORY,
  DEFAULT_TENANT,
  MOST_FOUND,
  SPACE_PARTS,
  SysError,
  type Found,
  type Integrity,
  type memoryOperations,
} from "@aos/protocol";
import type { Kernel } from "@aos/kernel";
import { omitUndefined } from "../../omit-undefined.ts";
import type { OperationCall, GatewayContext } from "../gateway-context.ts";
import type { HandlersOf } from "./handler.ts";
import { runToEnd } from "../run-to-end.ts";

const USUAL_LIMIT = 10;

interface MemoryQuery {
  readonly paths: readonly string[];
  readonly query: string;
  readonly limit: number;
  readonly label?: Integrity;
  readonly since?: number;
  readonly until?: number;
  readonly rerank?: string;
}

const USUAL_USD = 0.5;

export const memoryHandlers: HandlersOf<typeof memoryOperations> = {
  async searchMemory(gateway, args, call) {
    const { query, path, agent, pid, tenant, label, rerank, usd, limit = USUAL_LIMIT } = args;
    if (usd !== undefined && rerank === undefined)
      throw new SysError("EINVAL", "`usd` limits what a model may cost, and `rerank` names none");
    const { kernel } = gateway;
    if (pid !== undefined && (agent !== undefined || tenant !== undefined))
      throw new SysError("EINVAL", "pass a pid, or an agent and tenant, but not both");
    const writer = pid === undefined ? undefined : await kernel.show(pid);
    const whose = writer?.tenant ?? tenant;
    const paths = await searchedPaths(kernel, path, whose);
    const isNarrow = writer !== undefined || agent !== undefined;
    const most = isNarrow ? MOST_FOUND : limit;
    const [since, until] = [args.since, args.until].map((at) =>
      at === undefined ? undefined : Date.parse(at),
    );
    const request = {
      paths,
      query,
      limit: most,
      ...omitUndefined({ label, since, until, rerank }),
    };

    const searcher = await recall(gateway, request, { tenant: whose, usd }, call);
    const found = searcher.found.map(({ path: one }) => one);
    const writers = await writersOf(kernel, searcher.pid, found);
    const all = searcher.found.map((one) => ({ ...one, writer: writers.get(one.path) ?? null }));
    const wanted = isNarrow ? await writtenBy(kernel, { pid: writer?.pid, agent }, all) : all;
    return {
      found: wanted.slice(0, limit),
      rerankedBy: searcher.rerankedBy,
      tenant: whose ?? call.caller.tenant ?? DEFAULT_TENANT,
      pid: searcher.pid,
    };
  },
  memory: ({ kernel }, { pid, path = "/mem", ...page }) => kernel.memory(pid, path, page),
};

/** MEMORY-HANDLERS-1. */
async function searchedPaths(
  kernel: Kernel,
  path: string | undefined,
  tenant: string | undefined,
): Promise<string[]> {
  const below = path === undefined ? SPACE_PARTS.map((part) => `/mem/${part}`) : [path];
  if (path !== undefined && !SPACE_PARTS.some((part) => isBelow(path, `/mem/${part}`)))
    return below;
  const spaces = await kernel.memorySpaces(omitUndefined({ tenant }));
  const ofAgents = spaces.flatMap((space) =>
    below.map((one) => one.replace(/^\/mem/, `${AGENT_MEMORY}/${space}`)),
  );
  return path === undefined ? ["/mem/shared", ...ofAgents] : ofAgents;
}

const isBelow = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(`${folder}/`);

async function recall(
  gateway: GatewayContext,
  input: MemoryQuery,
  {
    tenant,
    usd = USUAL_USD,
  }: { readonly tenant: string | undefined; readonly usd?: number | undefined },
  call: OperationCall,
) {
  const { rerank } = input;
  const capabilities = [
    ...new Set(input.paths.map(rightToSearch)),
    ...(rerank === undefined ? [] : [`model:${rerank}:infer`]),
  ];
  const budget = rerank === undefined ? {} : { budget: { usd }, timeoutMs: MOST_RERANK_MS };
  const search = { agent: "memory-search", program: "recall", what: "the search", capabilities };
  const { pid, output } = await runToEnd(gateway, { ...search, ...budget, input, tenant }, call);
  const { found, rerankedBy } = output as unknown as RecallOutput;
  return { pid, rerankedBy, found: found.map(reportFound) };
}

const MOST_RERANK_MS = 300_000;

interface RecallOutput {
  readonly found: readonly Found[];
  readonly rerankedBy: string | null;
}

/** One right for all spaces: a tenant may have thousands. */
const rightToSearch = (path: string): string =>
  `memory:${path.startsWith(`${AGENT_MEMORY}/`) ? AGENT_MEMORY : path}/**:search`;

/** Of what a process has found, what is told outside. */
export const reportFound = ({ path, data, score, writtenAt, ...one }: Found) => ({
  path,
  data,
  score,
  ...omitUndefined({
    kind: one.kind,
    why: one.why,
    passage: one.passage,
    label: one.label,
    contradicts: one.contradicts === undefined ? undefined : [...one.contradicts],
    replacedBy: one.replacedBy,
    searchedBy: one.searchedBy,
    writtenAt: writtenAt === undefined ? undefined : new Date(writtenAt).toISOString(),
  }),
});

/** By paths that are the same for every process of a tenant: for the one that has searched, too. */
async function writersOf(kernel: Kernel, pid: string, paths: readonly string[]) {
  const writers = new Map<string, string>();
  for (const path of paths) {
    const { file } = await kernel.memory(pid, path, { limit: 1 }).catch((error: unknown) => {
      if (error instanceof SysError && error.code === "ENOENT") return { file: null };
      throw error;
    });
    if (file !== null) writers.set(path, file.writer);
  }
  return writers;
}

async function writtenBy<One extends { readonly writer: string | null }>(
  kernel: Kernel,
  by: { readonly pid: string | undefined; readonly agent: string | undefined },
  found: readonly One[],
): Promise<One[]> {
  if (by.pid !== undefined) return found.filter(({ writer }) => writer === by.pid);
  const writers = [...new Set(found.flatMap(({ writer }) => writer ?? []))];
  const known = await Promise.all(writers.map((pid) => kernel.show(pid)));
  const theirs = new Set<string>(
    known.filter(({ agent }) => agent === by.agent).map(({ pid }) => pid),
  );
  return found.filter(({ writer }) => writer !== null && theirs.has(writer));
}
