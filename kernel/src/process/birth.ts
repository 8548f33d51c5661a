// Birth: the rows and the first record of a new process.

import {
  newProcessId,
  RECORD_SCHEMA,
  SysError,
  type Budget,
  type Cause,
  type Json,
  type Label,
  type Manifest,
  type ProcessId,
} from "@aos/protocol";
import { CapabilityError, formatCapability, parseCapability } from "../capability/index.ts";
import { CHAIN_START, bytesOf } from "../journal/chain.ts";
import { canonicalText } from "@aos/protocol";
import { digestOf, encodeText } from "../journal/codec.ts";
import { startText } from "../journal/record-text.ts";
import type { Platform } from "../platform/clock.ts";
import type { Write } from "../store/contract.ts";
import type { BlockSpec, ProcessRow, ProcessSpec, TenantKey } from "../store/rows.ts";
import type { AccountBook } from "./accounts.ts";
import type { Blocks } from "./blocks.ts";
import type { Keys } from "./keys.ts";
import { saidNarrowing } from "./narrowing.ts";
import { Process } from "./process.ts";
import { laneOf, termsOf, type Terms } from "./terms.ts";

export interface NewProcess {
  /** A new one, unless it was chosen. */
  readonly pid?: ProcessId | undefined;
  readonly manifest: Manifest;
  readonly programVersion: string;
  readonly input: Json;
  /** It has no manifest of its own: what is in its place was written by whoever spawns it. */
  readonly isBare: boolean;
  /** Narrow the manifest's. */
  readonly capabilities: readonly string[] | undefined;
  readonly budget: Budget | undefined;
  readonly tenant: TenantKey;
  readonly tenantName: string;
  readonly folder: string | undefined;
  /** Of a first process; those after it share their parent's. */
  readonly workspace?: { readonly folder: string; readonly isCow: boolean } | undefined;
  readonly layers: readonly string[];
  readonly parent: Process | null;
  /** The handle of the parent's chain that the child's hangs on; the one of its birth when absent. */
  readonly via?: string | undefined;
  readonly label: Label;
  readonly cause: Cause;
  readonly terms?: Terms | undefined;
  /** Of a first process: who started it. */
  readonly startedBy?: string | undefined;
  /** It waits for its turn: its program is started later. */
  readonly isQueued?: boolean;
}

export interface Born {
  readonly process: Process;
  /** What makes it exist; to be written before its first record. */
  readonly writes: Write[];
  readonly start: string;
  readonly startWrites: Write[];
}

/** What a row says of a process that never changes, as a digest for its first record. */
export function birthOf({
  pid,
  tenant,
  agent,
  parentPid,
  depth,
  startedAt,
  spec,
}: ProcessRow): string {
  const born = { pid, tenant, agent, parentPid, depth, startedAt, spec };
  return digestOf(canonicalText(born as unknown as Json));
}

/** Kinds whose use is over at once, or is a wait that the program itself limits: a time limit would limit nothing. */
const AT_ONCE: ReadonlySet<string> = new Set(["agent", "memory", "message", "secret", "signal"]);

/** Canonical texts; a bad one is EINVAL and points at the character. */
export function readCapabilities(texts: readonly string[]): string[] {
  return texts.map((text) => {
    try {
      const capability = parseCapability(text);
      if (capability.constraints.timeoutMs !== undefined && AT_ONCE.has(capability.kind))
        throw new SysError(
          "EINVAL",
          `${text}: nothing of the kind ${capability.kind} takes time to limit`,
        );
      return formatCapability(capability);
    } catch (error) {
      if (error instanceof CapabilityError)
        throw new SysError("EINVAL", error.message, { detail: { at: error.at } });
      throw error;
    }
  });
}

export function manifestBudget(manifest: Manifest): Budget {
  const { usd, tokens, toolCalls, wall } = manifest.budget;
  return {
    ...(usd === undefined ? {} : { usd }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(toolCalls === undefined ? {} : { toolCalls }),
    ...(wall === undefined ? {} : { wallMs: wall }),
  };
}

const chainAbove = ({ parent, via }: NewProcess): readonly BlockSpec[] =>
  parent === null ? [] : (parent.grants.get(via ?? "")?.blocks ?? parent.row.spec.blocks);

/** Of two budgets the smaller in each unit. */
function smaller(a: Budget, b: Budget | undefined): Budget {
  const both: Record<string, number> = { ...a };
  for (const [unit, value] of Object.entries(b ?? {}))
    both[unit] = Math.min(value as number, both[unit] ?? Infinity);
  return both;
}

export class Nursery {
  readonly #platform: Platform;
  readonly #keys: Keys;
  readonly #blocks: Blocks;
  readonly #accounts: AccountBook;
  readonly #node: string;
  readonly #scrub: (text: string) => string;

  constructor(parts: {
    platform: Platform;
    keys: Keys;
    blocks: Blocks;
    accounts: AccountBook;
    node: string;
    scrub: (text: string) => string;
  }) {
    this.#platform = parts.platform;
    this.#keys = parts.keys;
    this.#blocks = parts.blocks;
    this.#accounts = parts.accounts;
    this.#node = parts.node;
    this.#scrub = parts.scrub;
  }

  async conceive(wish: NewProcess): Promise<Born> {
    const key = await this.#keys.take();
    const now = this.#platform.now();
    const pid = wish.pid ?? newProcessId(now, this.#platform.bytes(10));
    const { row, manifestText, capabilities } = this.#rowOf(wish, key, pid, now);
    const specs = row.spec.blocks.slice(chainAbove(wish).length);
    const above =
      wish.parent === null ? null : (wish.parent.holdings.get(wish.via ?? "") ?? wish.parent.block);
    const block = specs.reduce(
      (parent, spec) => this.#blocks.mint(spec, parent, wish.tenant),
      above,
    )!;
    const process = new Process({
      row,
      chain: {
        process: key,
        node: this.#node,
        epoch: 1,
        seq: -1,
        hash: bytesOf(CHAIN_START),
        microUsd: 0,
        tokens: 0,
        toolCalls: 0,
        overMicroUsd: 0,
        overTokens: 0,
        formerUsd: 0,
      },
      tenantName: wish.tenantName,
      manifest: wish.manifest,
      block,
      account: await this.#accounts.open(row, wish.parent?.account ?? null, wish),
    });
    const text = this.#scrub(JSON.stringify(wish.input));
    process.input = JSON.parse(text) as Json;
    const input = encodeText(text);
    return {
      process,
      writes: [
        {
          op: "manifest.put",
          tenant: wish.tenant,
          hash: row.spec.manifestHash,
          body: manifestText,
        },
        { op: "process.add", row, node: this.#node },
      ],
      start: startText(
        { seq: 0, at: now, cause: wish.cause },
        {
          schema: RECORD_SCHEMA,
          program: { name: row.spec.program, version: row.spec.programVersion },
          manifest: row.spec.manifestHash,
          capabilities,
          birth: birthOf(row),
        },
        input.text,
      ),
      startWrites: input.blobs.map((blob) => ({
        op: "blob.put",
        tenant: wish.tenant,
        process: key,
        ...blob,
      })),
    };
  }

  #rowOf(wish: NewProcess, key: number, pid: ProcessId, now: number) {
    const { manifest, parent } = wish;
    const manifestText = canonicalText(manifest as unknown as Json);
    const own = readCapabilities(manifest.capabilities);
    // What a parent says that has read the untrusted is narrowing only: its pins replace no person.
    const isRed = parent !== null && wish.label.integrity === "untrusted";
    const trusted = isRed ? { trusted: false } : {};
    const mint = { holder: pid, mintedAt: now };
    const blocks: BlockSpec[] = [
      ...chainAbove(wish),
      { id: `${pid}.0`, ...mint, capabilities: own, ...(wish.isBare ? trusted : {}) },
    ];
    const narrowed =
      wish.capabilities === undefined ? undefined : readCapabilities(wish.capabilities);
    if (narrowed !== undefined)
      blocks.push({ id: `${pid}.1`, ...mint, capabilities: narrowed, ...trusted });
    const spec: ProcessSpec = {
      program: manifest.program ?? (manifest.command === undefined ? "agent" : "command"),
      programVersion: wish.programVersion,
      manifestHash: digestOf(manifestText),
      ...(manifest.command === undefined ? {} : { command: manifest.command }),
      ...(wish.folder === undefined ? {} : { folder: wish.folder }),
      ...workspaceOf(wish),
      blocks,
      budget: smaller(manifestBudget(manifest), wish.budget),
      ...termsOf(wish, now),
      ...(wish.startedBy === undefined ? {} : { startedBy: wish.startedBy }),
      label: wish.label,
      ...(parent === null ? {} : saidNarrowing(parent)),
      ...(wish.layers.length === 0 ? {} : { layers: wish.layers }),
    };
    const row: ProcessRow = {
      key,
      pid,
      spec,
      tenant: wish.tenant,
      agent: manifest.name,
      parent: parent?.key ?? null,
      parentPid: parent?.pid ?? null,
      root: parent?.row.root ?? key,
      depth: parent === null ? 0 : parent.row.depth + 1,
      state: wish.isQueued === true ? "pending" : "running",
      waitingOn: null,
      wakeAt: wish.isQueued === true ? (spec.expiresAt ?? null) : null,
      base: 0,
      label: null,
      exitCode: null,
      startedAt: now,
      endedAt: null,
      output: null,
      error: null,
      compacted: false,
      lane: laneOf(wish),
    };
    return { row, manifestText, capabilities: narrowed ?? own };
  }
}

/** A tree has one workspace: that of its first process. */
function workspaceOf({ parent, workspace }: NewProcess): Pick<ProcessSpec, "workspace"> {
  if (parent !== null) return { workspace: { ...parent.row.spec.workspace, tree: parent.tree } };
  if (workspace === undefined) return {};
  const { folder, isCow } = workspace;
  return { workspace: { folder, ...(isCow ? { isCow: true as const } : {}) } };
}
