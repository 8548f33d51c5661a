// Mount declaration: how a manifest (`mounts:`) or config.yaml says what is below /mnt/NAME.
//
// MOUNT-DECLARATION-1  An unknown driver or field is refused when it is loaded.
// MOUNT-DECLARATION-2  A secret is a name. No declaration has the value of one.

import { z } from "zod";
import { secrecies } from "./label.ts";
import { readDurationMs } from "./quantity.ts";
import { writtenQuantity } from "./written-quantity.ts";

const absolute = z
  .string()
  .max(4096)
  .regex(/^\/(?!.*(?:^|\/)\.\.?(?:\/|$))[^\0]*$/, "an absolute path without . and ..");
const secretName = z.string().regex(/^[A-Z][A-Z0-9_]{0,62}$/, "the name of a secret");
const httpUrl = z.url({ protocol: /^https?$/ }).refine((text) => {
  const { username, password, hash, search } = new URL(text);
  return username === "" && password === "" && hash === "" && search === "";
}, "a URL without user, query and fragment; a secret is given by its name");

const limits = {
  /** The longest that one call may take. */
  timeout: writtenQuantity(readDurationMs, "duration").optional(),
};

/** How secret what is read is; where it comes from is untrusted unless config.yaml says `trusted`. */
const common = {
  secrecy: z.enum(secrecies).optional(),
  integrity: z.enum(["trusted", "untrusted"]).optional(),
  ...limits,
};

/** A dotted path to a value of a JSON answer: `data.items`. */
const pointer = z.string().regex(/^[\w$-]+(\.[\w$-]+)*$/, "names with dots between them");

/** One request of an HTTP API. `{path}`, `{query}`, `{cursor}` and `{limit}` are filled in, encoded. */
const httpRequest = z.strictObject({
  /** Below `url`. */
  path: z.string().max(2000).startsWith("/"),
  query: z.record(z.string().min(1).max(100), z.string().max(1000)).optional(),
  /** Where in the answer the entries, or the value, are; all of it unless said. */
  items: pointer.optional(),
  /** Of an entry: its name, below the path that was listed. */
  name: pointer.optional(),
  /** Where the cursor of the next page is. */
  next: pointer.optional(),
});

/** Of a store that is searched by meaning. */
const asMemory = {
  /** Also /mem/semantic/NAME, so that a search of /mem/semantic finds what is in it. */
  semantic: z.boolean().optional(),
};

/** Of a vector store. */
const vectors = {
  url: httpUrl,
  collection: z.string().min(1).max(255),
  /** The name of the secret with its key. */
  key: secretName.optional(),
  ...common,
  ...asMemory,
};

/** Of a PostgreSQL database. */
const login = {
  host: z.string().min(1).max(255),
  port: z.number().int().min(1).max(65_535).default(5432),
  database: z.string().min(1).max(63),
  user: z.string().min(1).max(63),
  /** The name of the secret with its password. */
  password: secretName.optional(),
  schema: z.string().min(1).max(63).default("public"),
  ssl: z.boolean().default(true),
};

/** The distances of pgvector. */
export const vectorMetrics = ["cosine", "l2", "inner"] as const;
const column = z.string().min(1).max(63);

export const mountDrivers = {
  folder: z.strictObject({ driver: z.literal("folder"), folder: absolute, ...common }),
  git: z.strictObject({
    driver: z.literal("git"),
    repository: absolute,
    /** A commit, tag or branch; what it is when it is read is in the answer of the call. */
    commit: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$/, "a commit, a tag or a branch"),
    ...common,
  }),
  sqlite: z.strictObject({ driver: z.literal("sqlite"), file: absolute, ...common }),
  postgres: z.strictObject({ driver: z.literal("postgres"), ...login, ...common }),
  http: z.strictObject({
    driver: z.literal("http"),
    url: httpUrl,
    /** By name; `{{secret:NAME}}` stands for the value of a secret. */
    headers: z.record(z.string().min(1).max(100), z.string().max(2000)).optional(),
    list: httpRequest.optional(),
    read: httpRequest,
    search: httpRequest.optional(),
    ...common,
  }),
  s3: z.strictObject({
    driver: z.literal("s3"),
    url: httpUrl,
    bucket: z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, "the name of a bucket"),
    region: z.string().min(1).max(63).default("us-east-1"),
    /** Only the keys that begin so. */
    prefix: z.string().max(900).default(""),
    accessKey: z.string().min(1).max(200).optional(),
    /** The name of the secret with the secret key. */
    secretKey: secretName.optional(),
    ...common,
  }),
  mcp: z.strictObject({
    driver: z.literal("mcp"),
    /** A server of the operator's mcp.yaml. */
    server: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/i, "the name of an MCP server"),
    ...common,
  }),
  qdrant: z.strictObject({
    driver: z.literal("qdrant"),
    ...vectors,
    /** The field of a payload that has the text. */
    text: z.string().min(1).max(200).default("text"),
  }),
  chroma: z.strictObject({
    driver: z.literal("chroma"),
    ...vectors,
    tenant: z.string().min(1).max(200).default("default_tenant"),
    database: z.string().min(1).max(200).default("default_database"),
  }),
  pgvector: z.strictObject({
    driver: z.literal("pgvector"),
    ...login,
    table: column,
    /** The columns of the id, of the text, and of the vector. */
    id: column.default("id"),
    text: column.default("text"),
    vector: column.default("embedding"),
    metric: z.enum(vectorMetrics).default("cosine"),
    ...common,
    ...asMemory,
  }),
} as const;

export const mountDeclaration = z.discriminatedUnion("driver", [
  mountDrivers.folder,
  mountDrivers.git,
  mountDrivers.sqlite,
  mountDrivers.postgres,
  mountDrivers.http,
  mountDrivers.s3,
  mountDrivers.mcp,
  mountDrivers.qdrant,
  mountDrivers.chroma,
  mountDrivers.pgvector,
]);

export const mountName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, "1 to 63 of a-z 0-9 _ -, starting with a letter or digit");

/** What is wrong with the name of a mount, beside its spelling. */
export const mountNameProblem = (
  name: string,
  declaration: z.output<typeof mountDeclaration>,
): string | undefined =>
  name === "facts" && "semantic" in declaration && declaration.semantic === true
    ? "/mem/semantic/facts has the agent's own facts: a semantic mount needs another name"
    : undefined;

export const mountDeclarations = z
  .record(mountName, mountDeclaration)
  .superRefine((mounts, context) => {
    for (const [name, declaration] of Object.entries(mounts)) {
      const message = mountNameProblem(name, declaration);
      if (message !== undefined) context.addIssue({ code: "custom", path: [name], message });
    }
  });

/** As the kernel holds it: defaults filled in. */
export type MountDeclaration = z.output<typeof mountDeclaration>;
