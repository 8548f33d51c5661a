// security.md, the slow way: from docs/policy.md and docs/man/security-actions.md.

import type { Subject } from "@aos/kernel/parts";
import { covers, coversName, HOST_KINDS, PATH_KINDS } from "./matching.ts";
import { ratedBy, type Rated, type Said } from "./said.ts";
import { coveredBy, gives, isCovered, speaksOf, type Covered } from "./selectors.ts";

export interface SecurityText {
  readonly kernel: { readonly mode: "strict" | "permissive" | "audit" };
  readonly signals: readonly string[];
  readonly policies: readonly PolicyText[];
}

interface PolicyText {
  readonly action: string;
  readonly effect: "allow" | "deny";
  readonly mode?: "read_only" | "read_write";
  readonly requires_approval?: boolean;
  readonly rate_limit?: string;
  readonly constraints?: {
    readonly max_cost_usd?: number;
    readonly allowed_hosts?: readonly string[];
    readonly allowed_paths?: readonly string[];
    readonly allowed_tools?: readonly string[];
  };
}

const below = (...names: readonly string[]) => names.flatMap((name) => [name, `mcp.${name}`]);
const tools = (...names: readonly string[]) => names.map((name) => `tool:${name}`);
const DATABASE = tools(
  ...below("db.*", "sql.*", "database.*", "sqlite.*", "postgres.*", "postgresql.*", "mysql.*"),
);
const MAIL = tools(
  "send_email",
  "send_mail",
  "smtp.*",
  ...below("mail.send*", "email.send*", "gmail.send*"),
);

const ACTIONS: Readonly<Record<string, readonly string[]>> = {
  "*": ["*"],
  file_read: ["file:*:read,list", "memory:*:read,list,search"],
  file_write: ["file:*:write,remove", "memory:*:write,remove"],
  file_delete: ["file:*:remove", "memory:*:remove"],
  memory_read: ["memory:*:read,list,search"],
  memory_write: ["memory:*:write,remove"],
  database_query: DATABASE,
  database_write: DATABASE,
  api_call: ["http:*"],
  web_browse: ["browser:*"],
  send_email: MAIL,
  code_execution: ["shell:*", ...tools(...below("shell.*", "code.*", "python.*"))],
  tool_call: ["exec"],
  model_call: ["infer"],
  ask_person: ["ask"],
  spawn: ["spawn"],
  spawn_agent: ["spawn"],
  send_message: ["send", "request", "publish"],
  receive_message: ["receive", "subscribe"],
  send_signal: ["signal"],
  wait: ["wait"],
  use_secret: ["secret:*"],
};

const WRITING: Readonly<Record<string, RegExp>> = {
  file: /^(write|remove)$/,
  memory: /^(write|remove)$/,
  http: /^(post|put|patch|delete)$/,
  browser: /^(click|fill)$/,
  shell: /^exec$/,
  agent: /^spawn$/,
  message: /^(send|publish)$/,
  signal: /^send$/,
};

function isWriting({ call, tool, effect, sinks, touches }: Subject): boolean {
  return (
    touches.some(({ kind, verb }) => WRITING[kind]?.test(verb)) ||
    sinks.some((sink) => sink === "write" || sink === "destructive") ||
    effect === "external" ||
    (tool !== undefined && effect !== "read") ||
    ["spawn", "send", "request", "publish", "signal"].includes(call)
  );
}

/** To think, to ask a person, to receive, and what touches nothing. */
function isNoAction({ call, touches, sinks, effect }: Subject): boolean {
  if (["infer", "ask", "receive"].includes(call)) return true;
  const acts = ["exec", "spawn", "send", "request", "publish", "signal"].includes(call);
  return !acts && touches.length === 0 && sinks.length === 0 && effect !== "external";
}

/** A limit that is not kept. */
function isBroken({ mode, constraints = {} }: PolicyText, subject: Subject): boolean {
  const { max_cost_usd, allowed_hosts, allowed_paths, allowed_tools } = constraints;
  const isOutside = (kinds: readonly string[], allowed: readonly string[] | undefined) =>
    subject.touches.some(
      (touch) =>
        allowed !== undefined &&
        kinds.includes(touch.kind) &&
        !allowed.some((pattern) => covers(touch.kind, pattern, touch)),
    );
  const { tool } = subject;
  return (
    (mode === "read_only" && isWriting(subject)) ||
    subject.cost.usd > (max_cost_usd ?? Infinity) ||
    isOutside(HOST_KINDS, allowed_hosts) ||
    isOutside(PATH_KINDS, allowed_paths) ||
    (tool !== undefined && allowed_tools?.some((one) => coversName(one, tool)) === false)
  );
}

/** Only what writes, only what does not, or both. To take away, what seems to write counts as well. */
function isOfItsSort({ action, effect }: PolicyText, subject: Subject): boolean {
  if (action === "database_write") return isWriting(subject);
  return action !== "database_query" || effect === "deny" || !isWriting(subject);
}

export function bySecurity(layer: string, text: SecurityText, subject: Subject): Said {
  const { mode } = text.kernel;
  const parts: Covered[] = [];
  const rates: Rated[] = [];
  let isViolated = !isSignalAllowed(text, subject);
  let isAsked = false;
  const seen: string[] = [];
  for (const policy of text.policies) {
    const { action, effect, rate_limit } = policy;
    seen.push(action);
    const nth = seen.filter((one) => one === action).length;
    const selectors = Object.hasOwn(ACTIONS, action) ? ACTIONS[action]! : [`tool:${action}`];
    if (!isOfItsSort(policy, subject)) continue;
    const isAbout = selectors.some((one) => speaksOf(one, subject));
    if (isAbout && effect === "deny") isViolated = true;
    if (isAbout && effect === "allow" && policy.requires_approval === true) isAsked = true;
    const part = coveredBy(selectors, subject);
    if (effect === "deny" || !gives(part, subject)) continue;
    parts.push(part);
    if (isBroken(policy, subject)) isViolated = true;
    if (rate_limit !== undefined && mode === "strict")
      rates.push(ratedBy(rate_limit, layer, nth === 1 ? action : `${action}.${nth}`, subject));
  }
  if (!isCovered(parts, subject) && !isNoAction(subject)) isViolated = true;
  if (mode === "strict" && isViolated) return { effect: "kill", rates };
  return { effect: isAsked && mode !== "audit" ? "ask" : "allow", rates };
}

function isSignalAllowed({ signals }: SecurityText, { call, args }: Subject): boolean {
  if (call !== "signal") return true;
  const { signal } = args as { signal: string };
  return signals.some((one) => `SIG${one.toUpperCase().replace(/^SIG/, "")}` === signal);
}
