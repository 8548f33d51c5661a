// Examine: checks the daemon, its home and its policy.
//
// EXAMINE-1  It reports facts: a restriction that no sandbox enforces is `absent`.

import { readdirSync, readFileSync, statSync } from "node:fs";
import {
  type DoctorCheck,
  type DoctorReport,
  type OnProgress,
  type PolicyReport,
  SysError,
} from "@aos/protocol";
import type { SandboxReport } from "@aos/drivers";
import type { GatewayContext } from "../gateway/gateway-context.ts";
import { findOnPath, modelChecks, programChecks } from "./machine-checks.ts";
import { inspectHome } from "../home-modes.ts";
import { folderProblems } from "../tools/folder-problems.ts";

const LEAST_NODE = 24;
const LEAST_FREE_FILES = 200;
/** Above this, reading every record is a command of its own. */
const MOST_PROCESSES = 10_000;

export async function runDoctor(
  gateway: GatewayContext,
  onProgress: OnProgress = () => {},
): Promise<DoctorReport> {
  const { report } = await gateway.sandbox();
  const groups = checkGroups(gateway, report, onProgress);
  const checks: DoctorCheck[] = [];
  for (const [done, [detail, look]] of groups.entries()) {
    onProgress({ done, total: groups.length, detail });
    const found = await look();
    checks.push(...(Array.isArray(found) ? (found as DoctorCheck[]) : [found as DoctorCheck]));
  }
  const { holds, mechanisms } = report;
  return {
    ok: checks.every(({ ok, isOptional }) => ok || isOptional),
    checks,
    sandbox: holds,
    mechanisms,
  };
}

type Look = () => DoctorCheck | DoctorCheck[] | Promise<DoctorCheck | DoctorCheck[]>;

/** In the order of the report, each with a word for whoever waits. */
function checkGroups(
  gateway: GatewayContext,
  report: SandboxReport,
  onProgress: OnProgress,
): readonly (readonly [what: string, look: Look])[] {
  const { home, socket, config } = gateway;
  const forGroup = config.socket.access === "group" ? 0o060 : 0;
  const proves = "chmod 600 it; if others have read it, it proves nothing";
  const auditProgress: OnProgress = ({ done, total }) =>
    onProgress({ done: 8, total: 13, detail: `audit, ${done} of ${total} processes` });
  return [
    ["node", node],
    ["home", () => [ownersOnly("home", home.folder, "chmod 700 it"), homeFiles(home)]],
    ["open files", openFiles],
    ["socket", () => ownersOnly("socket", socket, "chmod 600 it", forGroup)],
    ["keys", () => [ownersOnly("audit key", home.key, proves), secretKey(gateway)]],
    ["database", () => database(gateway)],
    ["store", () => storeCheck(gateway)],
    ["policy", () => policy(gateway)],
    ["audit", () => audit(gateway, auditProgress)],
    ["folders", () => leftOut(gateway)],
    ["sandbox", () => sandboxChecks(report)],
    ["programs", programChecks],
    ["models", () => modelChecks(gateway)],
  ];
}

function node(): DoctorCheck {
  const version = process.versions.node;
  const ok = Number(version.split(".")[0]) >= LEAST_NODE;
  return { name: "node", ok, detail: version, ...hint(ok, `use Node ${LEAST_NODE} or newer`) };
}

/** `forGroup` are the bits that its group may have. */
function ownersOnly(name: string, path: string, advice: string, forGroup = 0): DoctorCheck {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return { name, ok: false, detail: `${path} is not there` };
  const ok = (found.mode & 0o077 & ~forGroup) === 0 && found.uid === process.getuid?.();
  const mode = (found.mode & 0o777).toString(8).padStart(4, "0");
  const whose = found.uid === process.getuid?.() ? "" : `, owned by user ${found.uid}`;
  return { name, ok, detail: `${path}, mode ${mode}${whose}`, ...hint(ok, advice) };
}

/** The database, tokens, logs and copies: a start closes them, and somebody may have opened one since. */
function homeFiles(home: GatewayContext["home"]): DoctorCheck {
  const { open, count } = inspectHome(home);
  const ok = open.length === 0;
  const some = open.slice(0, 5).join(", ") + (open.length > 5 ? " …" : "");
  const detail = ok
    ? `${count} files and folders of the daemon, closed to others`
    : `open to others: ${some}`;
  return { name: "home files", ok, detail, ...hint(ok, "chmod go= them; `aos up` does so, too") };
}

/** Where the system says how many files the daemon may have open: too few, and it can take no connection. */
function openFiles(): DoctorCheck[] {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    const most = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Infinity);
    const open = readdirSync("/proc/self/fd").length;
    const ok = most - open >= LEAST_FREE_FILES;
    const detail = `${open} open, ${most} at most`;
    const advice = "raise it: `ulimit -n 4096` before `aos up`, or LimitNOFILE= of the service";
    return [{ name: "open files", ok, detail, ...hint(ok, advice) }];
  } catch {
    return []; // no /proc
  }
}

/** What is weaker than it could be is said, and is no failure; a sandbox that is not there is one. */
function sandboxChecks({ level, driver, holds, warnings }: SandboxReport): DoctorCheck[] {
  const ok = level === "process" && holds.fs !== "absent";
  const advice = ok ? {} : hint(false, warnings[0] ?? "sandbox.level in config.yaml says `none`");
  const isThere = ok || level === "none" || findOnPath("bwrap") !== undefined;
  const program = isThere ? {} : { program: "bubblewrap" };
  const detail = isThere
    ? `level ${level}, ${driver}`
    : `level ${level}, and bubblewrap is not installed: no program runs`;
  return [
    { name: "sandbox", ok, detail, ...advice, ...program },
    ...warnings.slice(ok ? 0 : 1).map((detail) => ({ name: "sandbox", ok: true, detail })),
  ];
}

function secretKey({ home, config }: GatewayContext): DoctorCheck {
  if (config.secretKey === undefined) {
    return ownersOnly("secret key", home.secretKey, "chmod 600 it; if others read it, renew it");
  }
  return { name: "secret key", ok: true, detail: "from AOS_SECRET_KEY" };
}

function database({ kernel }: GatewayContext): Promise<DoctorCheck> {
  return tried("database", async () => (await kernel.status()).store);
}

async function storeCheck({ kernel }: GatewayContext): Promise<DoctorCheck> {
  const { ok, heads, summary } = await kernel.storeReport();
  const detail = summary ?? `nothing is lost, according to ${heads} signed heads`;
  const advice =
    "restore a backup, or accept the loss and resume the blocked processes with `aos store accept`";
  return { name: "store", ok, detail, ...hint(ok, advice) };
}

async function policy({ kernel, config }: GatewayContext): Promise<DoctorCheck> {
  const { layers, loadedAt }: PolicyReport = await kernel.policy();
  const names = layers.map((layer) => (layer as { name: string }).name);
  const shipped = config.policy.default ? "" : "; the default policy is switched off";
  return {
    name: "policy",
    ok: names.length > 0,
    detail: `${names.join(", ")}, loaded at ${loadedAt}${shipped}`,
  };
}

/** What of the home, and of the folders that are trusted, does not load. */
async function leftOut(gateway: GatewayContext): Promise<DoctorCheck[]> {
  const folders = gateway.trust.list().map(({ folder }) => folder);
  const problems = await folderProblems(gateway, folders);
  return problems.map(({ kind, message }) => ({
    name: kind,
    ok: false,
    detail: message,
    hint: "it is ignored until it is fixed",
  }));
}

async function audit({ kernel }: GatewayContext, onProgress: OnProgress): Promise<DoctorCheck> {
  const { states } = await kernel.status();
  const processes = Object.values(states).reduce((sum, count) => sum + count, 0);
  if (processes > MOST_PROCESSES) {
    const detail = `${processes} processes are too many to check here; run \`aos audit verify\``;
    return { name: "audit", ok: true, detail };
  }
  return tried("audit", async () => {
    const { ok, records, logged, findings } = await kernel.verify({ onProgress });
    if (ok) return `${records} records and ${logged} logged heads are intact`;
    throw new SysError("ECORRUPT", `${findings.length} findings; \`aos audit verify\` lists them`);
  });
}

async function tried(name: string, look: () => Promise<string>): Promise<DoctorCheck> {
  try {
    return { name, ok: true, detail: await look() };
  } catch (error) {
    return { name, ok: false, detail: (error as Error).message };
  }
}

const hint = (ok: boolean, advice: string): { hint?: string } => (ok ? {} : { hint: advice });
