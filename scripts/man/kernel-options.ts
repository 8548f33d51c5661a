// Kernel options: what each option of `createKernel` is and means (docs/man/create-kernel.md). The compiler compares the
// list with the type; defaults of parts come from the kernel.

import type { CreateKernelOptions } from "@aos/daemon";
import {
  defaultAdmission,
  defaultApprovals,
  defaultLimits,
  defaultRetention,
  defaultTimes,
} from "@aos/kernel";
import { configMeanings } from "./config-meanings.ts";

type Row = readonly [type: string, unset: string, meaning: string];

const options: Readonly<Record<keyof CreateKernelOptions, Row>> = {
  store: [
    '`"memory"`, `{ file }` or `{ url }`',
    '`"memory"`',
    "SQLite `file` or PostgreSQL `url`. An older schema is migrated without a backup",
  ],
  auditFolder: ["path", "none", "folder of the signed log; without it records are not signed"],
  keyFile: [
    "path",
    "`audit.key` beside `auditFolder`",
    "key that signs the log; created when missing",
  ],
  secretKey: ["32 bytes as hex or base64", "a new key in memory", "key that seals secrets"],
  secretKeyFile: ["path", "none", "file with that key; created when missing"],
  issuer: ["text", "`agent-os`", "issuer name in signed capability tokens"],
  issuers: [
    "issuer → Ed25519 public key, 32 bytes",
    "`{}`",
    "issuers whose signed tokens are accepted",
  ],
  durability: [
    '`"visible"`, `"every-call"`',
    '`"visible"`',
    "calls that wait for the disk: visible ones, or all",
  ],
  node: ["text", "a new id", "name of this node in leases"],
  formerNode: ["text", "none", "dead node whose processes are taken over at once"],
  leaseMs: ["milliseconds", `${defaultTimes.leaseMs}`, "time after which another node takes over"],
  programs: [
    "name → function, or `{ version, run, earlier }`",
    "built-in programs",
    "programs in this process. With `earlier`, a run continues under the version that began it",
  ],
  agents: ["`(name) => { manifest, folder }`", "none", "finds the manifest of an agent"],
  foreign: ["`ProgramDriver`", "sandboxed executables", "driver for manifests with a `command`"],
  onProgram: ["`{ onStarted, onStderr }`", "none", "callbacks for foreign programs"],
  tools: ["list of `defineTool(…)`", "built-in tools", "additional tools"],
  toolProvider: ["`ToolProvider`", "none", "tools that appear and disappear at run time"],
  skills: ["`SkillProvider`", "none", "source of skills and instructions"],
  models: ["list of `ModelDriver`", "`scripted`", "model drivers"],
  embeddings: ["`EmbeddingDriver`", "none", "vectors for memory search; without it by words"],
  embeddingsUsdPerDay: ["dollars", "`1`", "limit of a day, where the driver has a price"],
  modelSource: ["`ModelSource`", "none", "model drivers that change at run time"],
  mounts: [
    "`MountProvider`",
    "that of the package",
    "what is below `/mnt`, in place of all declarations",
  ],
  configuredMounts: ["`{ NAME: { declaration, tenants } }`", "`{}`", "connectors of tenants"],
  scriptFolders: ["list of paths", "`[]`", "where `scripted/NAME` finds `NAME.yaml`"],
  trustedFolders: ["list of paths", "`[]`", "projects whose `.agents/tools` are loaded"],
  slots: ["`() => SlotRules`", "no limits", "limits, fallbacks and tenant weights of models"],
  budgets: [
    "list of `{ scope, name, per, usd, tokens, toolCalls }`",
    "`[]`",
    "budgets wider than a run",
  ],
  velocity: ["list of `{ scope, name, usd, withinMs }`", "`[]`", "brake on the rate of spending"],
  admission: ["object", "below", "how many trees run and wait"],
  limits: ["object", "below", "limits of every process"],
  archive: ["RunArchive", "none", "takes finished runs in place of compaction"],
  retention: ["object", "below", "how much history is kept"],
  tidying: [
    "`{ everyMs, olderThanMs?, maxAgeMs?, maxRows? }`",
    "none",
    "tidies the memory of agents from time to time",
  ],
  unloadAfterMs: [
    "milliseconds",
    `${defaultTimes.unloadAfterMs}`,
    "wait after which a process leaves memory",
  ],
  patrolRestMs: [
    "milliseconds",
    `${defaultTimes.patrolRestMs}`,
    "pause between processes in the background check",
  ],
  listFolder: [
    "function",
    "none",
    "lists the folders that schedules watch; `createKernel` brings one",
  ],
  scheduleLookMs: [
    "milliseconds",
    `${defaultTimes.scheduleLookMs}`,
    "most time between two looks at the schedules",
  ],
  policy: [
    "list of `{ layer, origin, format, document }`",
    "the shipped policy",
    "policy in force. An empty list is refused",
  ],
  layersOf: ["`(folder) => layers`", "none", "policy layers for processes started from a folder"],
  tenants: [
    "name → ceiling setting",
    "`{}`",
    "tenants beside `default`; overrides stored ceilings",
  ],
  approvals: ["object", "below", "questions to people"],
  inspector: ["`RunInspector`", "built-in", "reads the files that a question shows"],
  ledgerBacked: [
    "list of `LedgerBacked`",
    "`[]`",
    "settings outside the store that must agree with the ledger",
  ],
  sandbox: [
    "`{ level, require, limits, system }`",
    '`level: "process"`',
    "sandbox for tools and foreign programs",
  ],
  workspaces: [
    "`{ folder, ttlMs, maxBytes }`",
    "a temporary folder, 7 days, 4 GiB",
    "where workspaces are, how long, largest project",
  ],
  private: ["list of paths", "`[]`", "folders that no program sees"],
  realFolder: ["`(folder) => Promise<path>`", "`fs.realpath`", "real path of a workspace folder"],
  platform: ["`Platform`", "the machine's", "clock and randomness; tests pass their own"],
  onTrouble: ["`(what, error) => void`", "none", "failures outside any call, such as a lost lease"],
};

const groups = {
  admission: defaultAdmission,
  limits: defaultLimits,
  retention: defaultRetention,
  approvals: defaultApprovals,
};

/** Where a part is called otherwise in config.yaml, or is not there. */
const otherMeanings: Readonly<Record<string, string>> = {
  "admission.running": configMeanings["scheduler.running"]!,
  "admission.queued": configMeanings["scheduler.queued"]!,
  "admission.queuedPerTenant": configMeanings["scheduler.queuedPerTenant"]!,
  "limits.deadLetterMs": configMeanings["limits.deadLetterAge"]!,
  "limits.denialsPerMinute": "refusals in a minute after which a process is killed",
  "retention.maxAgeMs": configMeanings["retention.maxAge"]!,
  "approvals.expiresMs": configMeanings["approvals.expires"]!,
  "approvals.channels": "groups of people: name → `{ people, quorum }`",
};

/** Every option and every part of one: its name, type, default and meaning. */
export const kernelOptionRows = (): string[][] =>
  Object.entries(options).flatMap(([name, [type, unset, meaning]]) => [
    [`\`${name}\``, type, unset, meaning],
    ...Object.entries(name in groups ? groups[name as keyof typeof groups] : {}).map(
      ([part, value]) => {
        const path = `${name}.${part}`;
        return [
          `\`${path}\``,
          typeOf(part, value),
          text(value),
          otherMeanings[path] ?? configMeanings[path] ?? "",
        ];
      },
    ),
  ]);

const typeOf = (part: string, value: unknown): string =>
  typeof value !== "number"
    ? "object"
    : part.endsWith("Ms")
      ? "milliseconds"
      : part.endsWith("Bytes")
        ? "bytes"
        : "number";

const text = (value: unknown): string => `\`${JSON.stringify(value)}\``;
