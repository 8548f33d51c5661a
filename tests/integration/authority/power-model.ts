// Power as plain sets: what each process may do, computed without patterns, indexes or counters.
//
// A block is the set of requests that its capabilities speak of; a chain allows what all of its blocks
// hold; a process may do what one of its chains allows. That is the whole of it.

/** The requests there are: a call and its arguments. */
export const REQUESTS = [
  ["exec", { tool: "a", args: {} }],
  ["exec", { tool: "b", args: {} }],
  ["exec", { tool: "b.c", args: {} }],
  ["read", { path: "/mem/shared/x" }],
  ["write", { path: "/mem/shared/x", data: 1 }],
  ["write", { path: "/mem/shared/y/z", data: 1 }],
  ["publish", { topic: "news", body: 1 }],
] as const;

export type RequestName = "a" | "b" | "b.c" | "read x" | "write x" | "write z" | "publish";

export const REQUEST_NAMES: readonly RequestName[] = [
  "a",
  "b",
  "b.c",
  "read x",
  "write x",
  "write z",
  "publish",
];

const ALL_TOOLS: readonly RequestName[] = ["a", "b", "b.c"];

/** Capability texts, each with the requests that it speaks of: written down, not computed. */
export const CAPABILITIES: Readonly<Record<string, readonly RequestName[]>> = {
  "tool:a:call": ["a"],
  "tool:b:call": ["b"],
  "tool:a,b:call": ["a", "b"],
  "tool:b.*:call": ["b.c"],
  "tool:*:call": ALL_TOOLS,
  "tool:a:call{timeout:1h}": ["a"],
  "tool:a:call{expires:2001-01-01T00:00:00Z}": [],
  "tool:b:call{max:1000000,rate:1000000/s}": ["b"],
  "tool:b:call{pin.to:1}": [],
  "memory:/mem/shared/x:read": ["read x"],
  "memory:/mem/shared/*:read,write": ["read x", "write x"],
  "memory:/mem/shared/**:write": ["write x", "write z"],
  "memory:/mem/**:*": ["read x", "write x", "write z"],
  "message:news:publish": ["publish"],
  "tool:a:call{hold:use}": ["a"],
  "tool:b:call{hold:grant}": ["b"],
  "memory:/mem/shared/**:write{hold:use}": ["write x", "write z"],
  "tool:*:call{hold:grant}": ALL_TOOLS,
};

export interface Block {
  readonly id: string;
  readonly owner: string;
  readonly capabilities: readonly string[];
  dead: boolean;
}

export type Chain = readonly Block[];

/** `use`: not to be handed on. `grant`: only to be handed on. */
function speaksOf(block: Block, isOwn: boolean): ReadonlySet<RequestName> {
  if (block.dead) return new Set();
  const counted = block.capabilities.filter(
    (text) => !text.includes(isOwn ? "hold:grant" : "hold:use"),
  );
  return new Set(counted.flatMap((text) => CAPABILITIES[text] ?? []));
}

const intersect = <T>(sets: readonly ReadonlySet<T>[]): Set<T> =>
  new Set([...(sets[0] ?? [])].filter((one) => sets.every((set) => set.has(one))));

/** What the holder of the last block may do by this chain. */
export function allowedBy(chain: Chain): Set<RequestName> {
  const { owner } = chain.at(-1)!;
  return intersect(chain.map((block) => speaksOf(block, block.owner === owner)));
}

/** What the holder of the last block could let somebody else do by it. */
export const grantableBy = (chain: Chain): Set<RequestName> =>
  intersect(chain.map((block) => speaksOf(block, false)));

export const union = <T>(sets: readonly ReadonlySet<T>[]): Set<T> =>
  new Set(sets.flatMap((set) => [...set]));
