// Least privilege: the smallest manifest that would have allowed what was used.

import { isEnded, SysError, type Json, type Manifest, type SuggestReport } from "@aos/protocol";
import { formatCapability, parseCapability } from "../capability/index.ts";
import { lessThan, suggest, type CapabilityUse } from "./suggest.ts";
import type { ListedProcess } from "../store/rows.ts";
import { recordedCalls, type RecordedCall, type RecordedParts } from "./recorded-calls.ts";

const MAX_RUNS = 100;

export async function suggestFor(
  parts: RecordedParts,
  of: { readonly row: ListedProcess } | { readonly agent: string; readonly tenant: number },
  { widen = "none" }: { widen?: "none" | "folder" } = {},
): Promise<SuggestReport> {
  const rows = "row" in of ? [of.row] : await runsOf(parts, of.agent, of.tenant);
  const name = "row" in of ? of.row.pid : of.agent;
  const latest = rows[0];
  if (latest === undefined) throw new SysError("ENOENT", `no run of ${name} is recorded`);
  const uses: CapabilityUse[] = [];
  const tools = new Set<string>();
  let calls = 0;
  for (const row of rows) {
    for await (const recorded of recordedCalls(parts, row)) {
      calls += 1;
      if (recorded.err !== undefined && recorded.err.code !== "EUPSTREAM") continue; // refused: not used
      if (recorded.action?.tool !== undefined) tools.add(recorded.action.tool.name);
      uses.push(...usesOf(row, recorded));
    }
  }
  const text = await parts.store.manifest(latest.tenant, latest.spec.manifestHash);
  const manifest = JSON.parse(text!) as Manifest;
  const present = latest.spec.blocks.at(-1)!.capabilities.map(parseCapability);
  const suggestion = suggest(uses, { present, widen });
  const capabilities = suggestion.capabilities.map(formatCapability);
  return {
    of: name,
    runs: rows.length,
    calls,
    capabilities,
    tools: [...tools].toSorted(),
    unused: lessThan(present, suggestion),
    manifest: manifestText(manifest, capabilities, [...tools].toSorted()),
  };
}

async function runsOf(
  parts: RecordedParts,
  agent: string,
  tenant: number,
): Promise<ListedProcess[]> {
  const rows = await parts.store.processes({ tenant, limit: 10_000 });
  return rows
    .filter((row) => row.agent === agent && !row.compacted)
    .sort((a, b) => Number(isEnded(b.state)) - Number(isEnded(a.state)) || (a.pid < b.pid ? 1 : -1))
    .slice(0, MAX_RUNS);
}

const usesOf = (row: ListedProcess, recorded: RecordedCall): CapabilityUse[] =>
  recorded.touches.map((touch) => ({ run: row.pid, ...touch, count: 1 }));

/** Values of JSON are YAML too. */
function manifestText(manifest: Manifest, capabilities: string[], tools: string[]): string {
  const lines: string[] = [];
  const narrowed: Record<string, unknown> = { ...manifest, tools, capabilities };
  for (const [name, value] of Object.entries(narrowed)) {
    if (isEmpty(value)) continue;
    if (!Array.isArray(value)) lines.push(`${name}: ${JSON.stringify(value)}`);
    else lines.push(`${name}:`, ...value.map((item: Json) => `  - ${JSON.stringify(item)}`));
  }
  return `${lines.join("\n")}\n`;
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  (Array.isArray(value) && value.length === 0) ||
  (typeof value === "object" && value !== null && Object.keys(value).length === 0);
