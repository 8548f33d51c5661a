// Handlers of operations about records of memory. What is written is written by a short process, which the gate judges
// (MEMORY-RECORD-1); what is read is read where it is kept.

import {
  AGENT_MEMORY,
  canonicalText,
  factFile,
  FACTS,
  type Json,
  type MemoryRow,
  readFact,
  SysError,
  type JournalRecord,
  type memoryRecordOperations,
} from "@aos/protocol";
import { labelText, type Kernel } from "@aos/kernel";
import { omitUndefined } from "../../omit-undefined.ts";
import type { GatewayContext, OperationCall } from "../gateway-context.ts";
import { labelOf } from "../read-spawn.ts";
import { runToEnd } from "../run-to-end.ts";
import type { HandlersOf } from "./handler.ts";

const OPERATOR = "operator";
const UNLABELLED = "untrusted/public";
const PAGE = 1000;

export const memoryRecordHandlers: HandlersOf<typeof memoryRecordOperations> = {
  async addFact(gateway, { agent, path, tenant, source = OPERATOR, ...given }, call) {
    if ((agent === undefined) === (path === undefined))
      throw new SysError("EINVAL", "name an agent or a path, and not both");
    const folder = path ?? `${await spaceOf(gateway.kernel, agent!, tenant)}/semantic`;
    const { path: own, data } = factFile({ source, ...omitUndefined(given) } as never);
    const at = `${folder}${own.slice(FACTS.lastIndexOf("/"))}`;
    const { pid, results } = await write(gateway, [{ path: at, data }], call, { tenant });
    const refused = results[at];
    if (refused !== null && refused !== undefined) throw refusalOf(refused);
    return { path: at, pid };
  },

  async memoryRecord({ kernel }, { path, tenant }) {
    const record = await kernel.memoryRecord({ path, ...omitUndefined({ tenant }) });
    return {
      ...record,
      writtenBy: await writeOf(kernel, record),
      from: await originOf(kernel, record.data),
    };
  },

  async exportMemory({ kernel }, { agent, path, tenant, ...page }) {
    if (agent !== undefined && path !== undefined)
      throw new SysError("EINVAL", "name an agent or a path, and not both");
    const under = agent === undefined ? path : await spaceOf(kernel, agent, tenant);
    return kernel.memoryRows(omitUndefined({ ...page, tenant, path: under }));
  },

  async importMemory(gateway, { records, agent, trusted = false, tenant }, call) {
    const { kernel } = gateway;
    const space = agent === undefined ? undefined : await spaceOf(kernel, agent, tenant);
    const kept: string[] = [];
    const refused: { path: string; error: string }[] = [];
    let [written, unchanged] = [0, 0];
    const byLabel = new Map<string, { path: string; data: Json }[]>();
    for (const { path: given, data, label: said } of records) {
      const path = space === undefined ? given : moved(given, space);
      refuseUnnamed(path);
      const label = importedLabel(said, trusted);
      const there = await existing(kernel, path, tenant);
      if (there === undefined) byLabel.set(label, [...(byLabel.get(label) ?? []), { path, data }]);
      else if (canonicalText(there.data) === canonicalText(data)) unchanged += 1;
      else kept.push(path);
    }
    for (const [label, files] of byLabel) {
      const { results } = await write(gateway, files, call, { tenant, label });
      for (const [path, error] of Object.entries(results))
        if (error === null) written += 1;
        else refused.push({ path, error });
    }
    return { written, unchanged, kept, refused };
  },

  memoryStats: ({ kernel }, args) => kernel.memoryStats(omitUndefined(args)),
};

/** The folder of an agent's memory: by the name of its space, or by its own where only one has it. */
export async function spaceOf(
  kernel: Kernel,
  agent: string,
  tenant: string | undefined,
): Promise<string> {
  const spaces = await kernel.memorySpaces(omitUndefined({ tenant }));
  const similar = spaces.filter((space) => space.startsWith(`${agent}@`));
  if (spaces.includes(agent) || similar.length === 0) return `${AGENT_MEMORY}/${agent}`;
  if (similar.length === 1) return `${AGENT_MEMORY}/${similar[0]}`;
  throw new SysError("EINVAL", `several agents are called ${agent}: ${similar.join(", ")}`, {
    hint: "name the space",
  });
}

async function write(
  gateway: GatewayContext,
  files: readonly { readonly path: string; readonly data: unknown }[],
  call: OperationCall,
  { tenant, label }: { readonly tenant: string | undefined; readonly label?: string },
) {
  const folders = new Set(files.map(({ path }) => path.split("/").slice(0, 3).join("/")));
  const capabilities = [...folders].map((folder) => `memory:${folder}/**:write`);
  const run = { agent: "memory-write", program: "write-files", what: "the write", capabilities };
  const input = { files };
  const { pid, output } = await runToEnd(
    gateway,
    { ...run, input, tenant, label: labelOf(label) },
    call,
  );
  return { pid, results: output as Record<string, string | null> };
}

const refusalOf = (text: string): SysError => {
  const [code = "", ...words] = text.split(": ");
  return SysError.from({ code, message: words.join(": ") } as never);
};

/** MEMORY-RECORD-2. */
function importedLabel(said: string | undefined, isTrusted: boolean): string {
  const text = said ?? UNLABELLED;
  const label = labelOf(text)!;
  return labelText(isTrusted ? label : { ...label, integrity: "untrusted" });
}

/** `/mem/agents/A/semantic/x` of another space. What is shared stays where it is. */
const moved = (path: string, space: string): string =>
  path.startsWith(`${AGENT_MEMORY}/`)
    ? [space, ...path.split("/").slice(4)].join("/")
    : path.replace(/^\/mem\/(?=semantic|episodic)/, `${space}/`);

function refuseUnnamed(path: string): void {
  if (!/^\/mem\/(?:semantic|episodic)(?:\/|$)/.test(path)) return;
  throw new SysError("EINVAL", `each agent has its own memory: ${path} names none`, {
    hint: "pass the agent that the records are for",
  });
}

const existing = (
  kernel: Kernel,
  path: string,
  tenant: string | undefined,
): Promise<MemoryRow | undefined> =>
  kernel.memoryRecord({ path, ...omitUndefined({ tenant }) }).catch((error: unknown) => {
    if (error instanceof SysError && error.code === "ENOENT") return undefined;
    throw error;
  });

type Place = { readonly pid: string; readonly seq: number } | null;

/** The last record of its writer that wrote the path; null where the journal is no longer there. */
const writeOf = (kernel: Kernel, { path, writer }: MemoryRow): Promise<Place> => {
  const own = path.replace(/^\/mem\/agents\/[^/]+/, "/mem");
  return findRecord(kernel, writer, (record) => {
    if (record.kind !== "call" || record.call !== "write" || "err" in record) return false;
    const { path: written } = record.args as { path?: string };
    return written === path || written === own;
  });
};

async function originOf(kernel: Kernel, data: Json): Promise<Place> {
  const from = readFact(data)?.from;
  if (from === undefined) return null;
  if ("seq" in from) return from;
  return findRecord(
    kernel,
    from.pid,
    (record) =>
      record.kind === "call" &&
      record.call === "receive" &&
      (record.ok as { id?: string } | undefined)?.id === from.message,
  );
}

async function findRecord(
  kernel: Kernel,
  pid: string,
  fits: (record: JournalRecord) => boolean,
): Promise<Place> {
  let found: Place = null;
  try {
    for (let after: number | undefined; ;) {
      const page = await kernel.journal(pid, { limit: PAGE, ...omitUndefined({ after }) });
      for (const record of page) if (fits(record)) found = { pid, seq: record.seq };
      if (page.length < PAGE) return found;
      after = page.at(-1)!.seq;
    }
  } catch (error) {
    if (error instanceof SysError && ["ENOENT", "ESTATE"].includes(error.code)) return found;
    throw error;
  }
}
