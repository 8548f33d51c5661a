// The action names of security.md, and the calls that each means. docs/man/security-actions.md prints this table.
//
// An action that is not in it is the name of a tool, or a pattern of names.
//
// SECURITY-ACTIONS-1  What an action covers, it covers as capabilities do: by what a call touches.

import { compile } from "../capability/pattern.ts";
import type { KnownNames, Selector } from "../policy/selectors.ts";
import { readSelector } from "./selector-text.ts";
import type { Subject } from "../policy/subject.ts";

interface ActionRow {
  readonly selectors: readonly string[];
  /** Tools by the names that they usually have; none of them needs to be there. */
  readonly tools?: readonly string[];
  /** Only calls that write, or (when allowed) only those that do not. */
  readonly writes?: boolean;
  readonly meaning: string;
}

const DATABASES = ["db", "sql", "database", "sqlite", "postgres", "postgresql", "mysql"];
const databaseTools = DATABASES.flatMap((name) => [`${name}.*`, `mcp.${name}.*`]);

const MAIL_TOOLS = [
  "send_email",
  "send_mail",
  "smtp.*",
  ...["mail", "email", "gmail"].flatMap((name) => [`${name}.send*`, `mcp.${name}.send*`]),
];

export const securityActions = {
  "*": { selectors: ["*"], meaning: "everything" },
  file_read: {
    selectors: ["file:*:read,list", "memory:*:read,list,search"],
    meaning: "read, list or search files, of the machine or of the virtual file system",
  },
  file_write: {
    selectors: ["file:*:write,remove", "memory:*:write,remove"],
    meaning: "write or remove files, of the machine or of the virtual file system",
  },
  file_delete: {
    selectors: ["file:*:remove", "memory:*:remove"],
    meaning: "remove files, of the machine or of the virtual file system",
  },
  memory_read: {
    selectors: ["memory:*:read,list,search"],
    meaning: "read, list or search the virtual file system",
  },
  memory_write: {
    selectors: ["memory:*:write,remove"],
    meaning: "write or remove in the virtual file system",
  },
  database_query: {
    selectors: [],
    tools: databaseTools,
    writes: false,
    meaning: "run a database tool that changes nothing",
  },
  database_write: {
    selectors: [],
    tools: databaseTools,
    writes: true,
    meaning: "run a database tool that changes something",
  },
  api_call: { selectors: ["http:*"], meaning: "reach a host over HTTP" },
  web_browse: { selectors: ["browser:*"], meaning: "use a browser" },
  send_email: {
    selectors: [],
    tools: MAIL_TOOLS,
    meaning: "run a tool that sends mail",
  },
  code_execution: {
    selectors: ["shell:*"],
    tools: ["shell.*", "code.*", "python.*", "mcp.shell.*", "mcp.code.*", "mcp.python.*"],
    meaning: "run a program, or a tool that runs code",
  },
  tool_call: { selectors: ["exec"], meaning: "run any tool" },
  model_call: { selectors: ["infer"], meaning: "ask a model" },
  ask_person: { selectors: ["ask"], meaning: "ask a person" },
  spawn: { selectors: ["spawn"], meaning: "start a child process" },
  spawn_agent: { selectors: ["spawn"], meaning: "the same as spawn" },
  send_message: {
    selectors: ["send", "request", "publish"],
    meaning: "send or publish a message",
  },
  receive_message: {
    selectors: ["receive", "subscribe"],
    meaning: "receive messages, or subscribe to a topic",
  },
  send_signal: { selectors: ["signal"], meaning: "send a signal to a process" },
  wait: { selectors: ["wait"], meaning: "wait for another process" },
  use_secret: { selectors: ["secret:*"], meaning: "use a secret" },
} as const satisfies Record<string, ActionRow>;

export interface ActionMeaning {
  readonly selectors: readonly Selector[];
  readonly writes: boolean | undefined;
}

export function readAction(action: string, known: KnownNames): ActionMeaning {
  if (!Object.hasOwn(securityActions, action))
    return { selectors: [readSelector(`tool:${action}`, known)], writes: undefined };
  const row: ActionRow = securityActions[action as keyof typeof securityActions];
  const selectors = row.selectors.map((text) => readSelector(text, known));
  if (row.tools === undefined) return { selectors, writes: row.writes };
  const pattern = compile("tool", row.tools.join(","));
  return { selectors: [...selectors, { by: "tool", pattern }], writes: row.writes };
}

/** Thinking, and asking people: not actions, unless a policy speaks of them. */
const THOUGHT = new Set(["infer", "ask", "receive"]);
/** Acts even where nothing is touched, as between parent and child. */
const ACTS = new Set(["exec", "spawn", "send", "request", "publish", "signal"]);

/** Calls that are no action of security.md, and so need no policy. */
export function isNoAction({ call, touches, sinks, effect }: Subject): boolean {
  if (THOUGHT.has(call)) return true;
  return !ACTS.has(call) && touches.length === 0 && sinks.length === 0 && effect !== "external";
}

/** The kinds whose resources `allowed_hosts` and `allowed_paths` speak of. */
export const isHostKind = (kind: string): boolean => kind === "http" || kind === "browser";
export const isPathKind = (kind: string): boolean => kind === "file" || kind === "memory";
