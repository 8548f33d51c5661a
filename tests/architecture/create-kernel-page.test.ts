// docs/create-kernel.md has every option of `createKernel`, with the default that the kernel has for it.

import { readFileSync } from "node:fs";
import type { CreateKernelOptions } from "@aos/daemon";
import {
  defaultAdmission,
  defaultApprovals,
  defaultLimits,
  defaultRetention,
  defaultTimes,
} from "@aos/kernel";
import { expect, test } from "vitest";

/** The compiler refuses this list when it lacks an option, or has one that there is not. */
const options = Object.keys({
  admission: true,
  agents: true,
  approvals: true,
  archive: true,
  auditFolder: true,
  budgets: true,
  durability: true,
  embeddings: true,
  foreign: true,
  formerNode: true,
  inspector: true,
  issuer: true,
  issuers: true,
  keyFile: true,
  layersOf: true,
  leaseMs: true,
  ledgerBacked: true,
  limits: true,
  modelSource: true,
  models: true,
  node: true,
  onProgram: true,
  onTrouble: true,
  patrolRestMs: true,
  platform: true,
  policy: true,
  configuredMounts: true,
  mounts: true,
  private: true,
  programs: true,
  realFolder: true,
  retention: true,
  sandbox: true,
  scriptFolders: true,
  secretKey: true,
  secretKeyFile: true,
  toolProvider: true,
  skills: true,
  slots: true,
  store: true,
  tenants: true,
  tools: true,
  trustedFolders: true,
  unloadAfterMs: true,
  velocity: true,
  workspaces: true,
} satisfies Record<keyof CreateKernelOptions, true>);

const defaults: Record<string, unknown> = Object.fromEntries([
  ...Object.entries(defaultTimes),
  ...Object.entries({
    admission: defaultAdmission,
    approvals: defaultApprovals,
    limits: defaultLimits,
    retention: defaultRetention,
  }).flatMap(([option, parts]) =>
    Object.entries(parts).map(([part, value]) => [`${option}.${part}`, value]),
  ),
]);

/** What each row says of the default. */
const rows = new Map(
  readFileSync("docs/create-kernel.md", "utf8")
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .filter(([, option = ""]) => /^`[\w.]+`$/.test(option))
    .map(([, option, , unset = ""]) => [option!.slice(1, -1), unset.replaceAll("`", "")]),
);

test("every option of createKernel has a row, and every row is an option", () => {
  const known = new Set([...options, ...Object.keys(defaults)]);

  expect([...known].filter((option) => !rows.has(option))).toEqual([]);
  expect([...rows.keys()].filter((option) => !known.has(option))).toEqual([]);
});

test("the page has the defaults that the kernel has", () => {
  for (const [option, value] of Object.entries(defaults))
    expect([option, rows.get(option)]).toEqual([option, JSON.stringify(value).replaceAll('"', "")]);
});
