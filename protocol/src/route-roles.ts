// Route roles: who may call which operation. One row for each row of routes.ts.
//
//   role    the least that a caller must be: a viewer sees, an approver answers for people as well, an
//           operator does everything
//   reach   `tenant`: a caller that belongs to a tenant may call it, and meets only what is that
//           tenant's. `machine`: it concerns everybody, and is for callers of all tenants only.

import type { OperationName } from "./routes.ts";

/** From the least to the most. */
export const roles = ["viewer", "approver", "operator"] as const;
export type Role = (typeof roles)[number];

export const isRole = (text: string): text is Role => (roles as readonly string[]).includes(text);

export const hasRole = (role: Role, least: Role): boolean =>
  roles.indexOf(role) >= roles.indexOf(least);

export interface RouteRole {
  readonly role: Role;
  readonly reach: "tenant" | "machine";
}

const sees: RouteRole = { role: "viewer", reach: "tenant" };
const seesAll: RouteRole = { role: "viewer", reach: "machine" };
const answersFor: RouteRole = { role: "approver", reach: "tenant" };
const acts: RouteRole = { role: "operator", reach: "tenant" };
const rules: RouteRole = { role: "operator", reach: "machine" };

export const routeRoles = {
  status: sees,
  shutdown: rules,

  spawn: acts,
  list: sees,
  show: sees,
  wait: sees,

  journal: sees,
  watch: sees,
  coreDump: sees,

  signal: acts,
  send: acts,

  replay: acts,
  fork: acts,
  retry: acts,

  verify: rules,
  storeReport: rules,
  acceptStore: rules,
  collect: rules,

  questions: sees,
  answer: answersFor,
  cancelQuestion: answersFor,

  power: sees,
  grant: acts,
  revoke: acts,
  check: acts,
  why: sees,
  causes: sees,
  moment: sees,
  suggest: sees,

  mintToken: rules,
  verifyToken: rules,
  attenuateToken: rules,

  policy: seesAll,
  checkPolicy: rules,
  testPolicy: rules,
  reloadPolicy: rules,
  backtestPolicy: rules,

  secrets: sees,
  setSecret: acts,
  removeSecret: acts,

  agents: sees,
  tools: sees,
  tool: sees,
  callTool: acts,

  mcpServers: seesAll,
  addMcpServer: rules,
  removeMcpServer: rules,
  testMcpServer: rules,
  pinMcpServer: rules,

  skills: sees,
  skill: sees,
  checkSkill: rules,
  folderProblems: rules,

  trustedFolders: seesAll,
  lookAtFolder: rules,
  trustFolder: rules,
  distrustFolder: rules,

  changes: sees,
  undo: acts,
  commit: acts,

  ledger: seesAll,

  tenants: sees,
  tenant: sees,
  addTenant: rules,
  setTenant: rules,
  removeTenant: rules,

  searchMemory: acts,
  memory: acts,
  deadLetters: acts,

  models: sees,
  testModel: acts,
  addProvider: rules,
  cost: sees,
  estimateSpawn: acts,
  estimateFork: sees,
  estimateReplay: sees,
  context: sees,
  exportContext: sees,
  compactContext: acts,
  nice: acts,
  queue: seesAll,
  invoke: acts,
  attach: sees,
  runTests: rules,
  recordTest: rules,

  accessTokens: rules,
  createAccessToken: rules,
  revokeAccessToken: rules,
  loginKey: sees,
  whoAmI: sees,

  config: rules,
  doctor: seesAll,
  attack: rules,
} as const satisfies Record<OperationName, RouteRole>;

/** Undefined when it may; otherwise what is missing. */
export function roleRefusal(
  caller: { readonly role: Role; readonly tenant: string | null },
  name: OperationName,
): string | undefined {
  const { role, reach }: RouteRole = routeRoles[name];
  if (!hasRole(caller.role, role))
    return `${name} needs the role ${role}, and this is a ${caller.role}`;
  if (reach === "machine" && caller.tenant !== null)
    return `${name} concerns every tenant, and this caller is of ${caller.tenant} only`;
  return undefined;
}
