// ProcessFactory: the rows and the first record of a new process.

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
import { OLDER_FORM, readCapability } from "../policy-formats/older-capabilities.ts";
import { CHAIN_START, bytesOfHex } from "../journal/chain.ts";
import { canonicalText, inlineAgentNamed, programOf } from "@aos/protocol";
import { digestOf, encodeText } from "../journal/codec.ts";
import { startText } from "../journal/record-text.ts";
import type { Platform } from "../platform/clock.ts";
import type { Write } from "../store/contract.ts";
import type { BlockSpec, PipePlace, ProcessRow, ProcessSpec, TenantKey } from "../store/rows.ts";
import type { AccountRegistry } from "./accounts.ts";
import type { BlockRegistry } from "./blocks.ts";
import type { RowKeys } from "./row-keys.ts";
import { narrowingField } from "./narrowing.ts";
import { Process } from "./process.ts";
import { laneOf, termsOf, type SchedulingTerms } from "./scheduling-terms.ts";

export interface NewProcess {
  /** A new one, unless it was chosen. */
  readonly pid?: ProcessId | undefined;
  readonly manifest: Manifest;
  readonly programVersion: string;
  readonly input: Json;
  /** It has no manifest file: the spawning process wrote the manifest. */
  readonly isBare: boolean;
  /** Its manifest is an argument of its parent's call: it is no registered agent. */
  readonly isInline?: boolean;
  /** What of its parent's work it is for. */
  readonly step?: string | undefined;
  /** Narrow the manifest's. */
  readonly capabilities: readonly string[] | undefined;
  readonly budget: Budget | undefined;
  readonly tenant: TenantKey;
  readonly tenantName: string;
  readonly folder: string | undefined;
  /** Of a first process; those after it share their parent's. */
  readonly workspace?: ProcessSpec["workspace"];
  readonly layers: readonly string[];
  /** Whose long-term memory it has. */
  readonly memorySpace: string;
  readonly parent: Process | null;
  /** The handle of the parent's chain that the child's hangs on; the one of its birth when absent. */
  readonly via?: string | undefined;
  readonly label: Label;
  readonly cause: Cause;
  /** The stage of a pipe that it is. */
  readonly pipe?: PipePlace | undefined;
  readonly terms?: SchedulingTerms | undefined;
  /** Of a first process: what a person calls the run. */
  readonly name?: string | undefined;
  /** Of a first process: who started it. */
  readonly startedBy?: string | undefined;
  /** Of a first process; those below have their parent's. */
  readonly standingUntil?: number | undefined;
  /** It waits for its turn: its program is started later. */
  readonly isQueued?: boolean;
}

export interface CreatedProcess {
  readonly process: Process;
  /** What makes it exist; to be written before its first record. */
  readonly writes: Write[];
  readonly start: string;
  readonly startWrites: Write[];
}

/** What a row says of a process that never changes, as a digest for its first record. */
export function startRecordOf({
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
      const capability = OLDER_FORM.test(text) ? readCapability(text) : parseCapability(text);
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

export class ProcessFactory {
  readonly #platform: Platform;
  readonly #keys: RowKeys;
  readonly #blocks: BlockRegistry;
  readonly #accounts: AccountRegistry;
  readonly #node: string;
  readonly #scrub: (text: string) => string;

  constructor(parts: {
    platform: Platform;
    keys: RowKeys;
    blocks: BlockRegistry;
    accounts: AccountRegistry;
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

  async create(request: NewProcess): Promise<CreatedProcess> {
    const key = await this.#keys.take();
    const now = this.#platform.now();
    const pid = request.pid ?? newProcessId(now, this.#platform.bytes(10));
    const { row, manifestText, capabilities } = this.#rowOf(request, key, pid, now);
    const specs = row.spec.blocks.slice(chainAbove(request).length);
    const above =
      request.parent === null
        ? null
        : (request.parent.holdings.get(request.via ?? "") ?? request.parent.block);
    const block = specs.reduce(
      (parent, spec) => this.#blocks.mint(spec, parent, request.tenant),
      above,
    )!;
    const process = new Process({
      row,
      chain: {
        process: key,
        node: this.#node,
        epoch: 1,
        seq: -1,
        hash: bytesOfHex(CHAIN_START),
        microUsd: 0,
        tokens: 0,
        toolCalls: 0,
        overMicroUsd: 0,
        overTokens: 0,
        formerUsd: 0,
      },
      tenantName: request.tenantName,
      manifest: request.manifest,
      block,
      account: await this.#accounts.open(row, request.parent?.account ?? null, request),
    });
    const text = this.#scrub(JSON.stringify(request.input));
    process.input = JSON.parse(text) as Json;
    const input = encodeText(text);
    return {
      process,
      writes: [
        {
          op: "manifest.put",
          tenant: request.tenant,
          hash: row.spec.manifestHash,
          body: manifestText,
        },
        { op: "process.add", row, node: this.#node },
      ],
      start: startText(
        { seq: 0, at: now, cause: request.cause },
        {
          schema: RECORD_SCHEMA,
          program: { name: row.spec.program, version: row.spec.programVersion },
          manifest: row.spec.manifestHash,
          capabilities,
          birth: startRecordOf(row),
        },
        input.text,
      ),
      startWrites: input.blobs.map((blob) => ({
        op: "blob.put",
        tenant: request.tenant,
        process: key,
        ...blob,
      })),
    };
  }

  #rowOf(request: NewProcess, key: number, pid: ProcessId, now: number) {
    const { manifest, parent } = request;
    const manifestText = canonicalText(manifest as unknown as Json);
    const own = readCapabilities(manifest.capabilities);
    // What a parent says that has read the untrusted is narrowing only: its pins replace no person.
    const isRed = parent !== null && request.label.integrity === "untrusted";
    const trusted = isRed ? { trusted: false } : {};
    const isOfParent = request.isBare || request.isInline === true;
    const mint = { holder: pid, mintedAt: now };
    const blocks: BlockSpec[] = [
      ...chainAbove(request),
      { id: `${pid}.0`, ...mint, capabilities: own, ...(isOfParent ? trusted : {}) },
    ];
    const narrowed =
      request.capabilities === undefined ? undefined : readCapabilities(request.capabilities);
    if (narrowed !== undefined)
      blocks.push({ id: `${pid}.1`, ...mint, capabilities: narrowed, ...trusted });
    const spec: ProcessSpec = {
      program: programOf(manifest),
      programVersion: request.programVersion,
      manifestHash: digestOf(manifestText),
      ...(manifest.command === undefined ? {} : { command: manifest.command }),
      ...(request.folder === undefined ? {} : { folder: request.folder }),
      ...workspaceOf(request),
      blocks,
      budget: smaller(manifestBudget(manifest), request.budget),
      ...termsOf(request, now),
      ...(request.startedBy === undefined ? {} : { startedBy: request.startedBy }),
      ...standingOf(request),
      label: request.label,
      ...(parent === null ? {} : narrowingField(parent)),
      ...(request.layers.length === 0 ? {} : { layers: request.layers }),
      memorySpace: request.memorySpace,
      ...(request.pipe === undefined ? {} : { pipe: request.pipe }),
      ...(request.step === undefined ? {} : { step: request.step }),
      ...(request.name === undefined ? {} : { name: request.name }),
      ...(manifest.mailbox === undefined ? {} : { mailbox: true as const }),
    };
    const row: ProcessRow = {
      key,
      pid,
      spec,
      tenant: request.tenant,
      agent: request.isInline === true ? inlineAgentNamed(manifest.name) : manifest.name,
      parent: parent?.key ?? null,
      parentPid: parent?.pid ?? null,
      root: parent?.row.root ?? key,
      depth: parent === null ? 0 : parent.row.depth + 1,
      state: request.isQueued === true ? "pending" : "running",
      waitingOn: null,
      wakeAt: request.isQueued === true ? (spec.expiresAt ?? null) : null,
      base: 0,
      label: null,
      exitCode: null,
      startedAt: now,
      endedAt: null,
      output: null,
      error: null,
      compacted: false,
      lane: laneOf(request),
    };
    return { row, manifestText, capabilities: narrowed ?? own };
  }
}

function standingOf({ parent, standingUntil }: NewProcess): Pick<ProcessSpec, "standingUntil"> {
  const until = parent === null ? standingUntil : parent.row.spec.standingUntil;
  return until === undefined ? {} : { standingUntil: until };
}

/** A tree has one workspace: that of its first process. */
function workspaceOf({ parent, workspace }: NewProcess): Pick<ProcessSpec, "workspace"> {
  if (parent !== null) return { workspace: { ...parent.row.spec.workspace, tree: parent.tree } };
  return workspace === undefined ? {} : { workspace };
}
