// Kinds: the kinds of capabilities and the verbs of each.
//
// KINDS-1  A kind or verb that is not in this table is refused.
// KINDS-2  Verbs print in the order of this table, so that equal capabilities have equal texts.
//
// Shapes decide how a resource is written and matched (pattern.ts):
//   path   /a/b            `*` inside one segment, `**` for a whole subtree
//   host   host:port/path  `*.example.com` for the names below it, then a path as above
//   name   a.b/c           `*` inside one part, a final `*` for all the rest

export type PatternShape = "path" | "host" | "name";

interface KindRow {
  readonly shape: PatternShape;
  readonly verbs: readonly string[];
  /** What the resource of a request of this kind is. */
  readonly resource: string;
  /** Words of older formats, and the verbs they stand for. */
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
  /** May the pattern be left out (`agent:spawn`)? Then it is `*`. Kept for older texts only. */
  readonly bare?: true;
}

const HTTP = ["get", "head", "post", "put", "patch", "delete", "options"] as const;

export const KINDS = {
  file: {
    shape: "path",
    verbs: ["read", "write", "list", "remove"],
    resource: "a real, absolute path",
  },
  http: {
    shape: "host",
    verbs: HTTP,
    resource: "host:port/path of the URL, or the URL itself, without its query",
    aliases: { request: HTTP },
  },
  shell: {
    shape: "name",
    verbs: ["exec"],
    resource: "the program: its name, or its absolute path",
    aliases: { execute: ["exec"] },
    bare: true,
  },
  agent: {
    shape: "name",
    verbs: ["spawn", "wait"],
    resource: "spawn: the agent's name; wait: the pid",
    bare: true,
  },
  tool: { shape: "name", verbs: ["call"], resource: "the tool's dotted name" },
  memory: {
    shape: "path",
    verbs: ["read", "write", "list", "remove", "search"],
    resource: "a path of the virtual file system",
  },
  model: { shape: "name", verbs: ["infer"], resource: "provider/model" },
  message: {
    shape: "name",
    verbs: ["send", "receive", "publish", "subscribe"],
    resource: "send, receive: the other's pid; publish, subscribe: the topic",
  },
  secret: { shape: "name", verbs: ["use"], resource: "the secret's name" },
  signal: {
    shape: "name",
    verbs: ["send"],
    resource: "the target's pid; which signal is an argument (pin.signal)",
  },
  browser: {
    shape: "host",
    verbs: ["navigate", "read", "click", "fill", "screenshot"],
    resource: "host:port/path of the page",
  },
} as const satisfies Record<string, KindRow>;

export type CapabilityKind = keyof typeof KINDS;

export function isKind(word: string): word is CapabilityKind {
  return Object.hasOwn(KINDS, word);
}

export function kindRow(kind: CapabilityKind): KindRow {
  return KINDS[kind];
}
