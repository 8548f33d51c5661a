// A vector store below /mem/semantic, against PostgreSQL with pgvector: what a search of an agent's facts brings of it,
// for whom, and what is not asked.

import { createKernel, type Kernel } from "@aos/daemon";
import type {
  EmbeddingDriver,
  Found,
  Json,
  ManifestText,
  MountDeclaration,
  Sys,
} from "@aos/protocol";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startPgvector, type PgvectorServer } from "../../helpers/pgvector.ts";
import { allowBut } from "../../helpers/policy.ts";

const embeddings: EmbeddingDriver = {
  model: "fake@1",
  egress: false,
  embed: async (texts) =>
    texts.map((text) => (/car|fuel|petrol/i.test(text) ? [1, 0.1] : [-0.1, 1])),
};

/** Makes the calls that its input lists, one after another. */
const caller = async (sys: Sys, input: Json): Promise<Json> => {
  const said: Json[] = [];
  for (const [call, ...args] of input as [string, ...Json[]][]) {
    const method = sys[call as keyof Sys] as unknown as (...given: Json[]) => Promise<Json>;
    said.push(await method(...args).catch(({ code, message }) => ({ code, message }) as Json));
  }
  return said;
};

let server: PgvectorServer;
let kernel: Kernel;
const OWN = ["memory:/mem/semantic/**:*"];
const MAY = [...OWN, "file:/mnt/notes/**:read,list"];

beforeAll(async () => {
  server = await startPgvector();
  await server.execute("CREATE TABLE notes (id text PRIMARY KEY, text text, embedding vector(2))");
  await server.execute(
    `INSERT INTO notes VALUES ('n1', 'Petrol is stored behind the garage.', '[1, 0.1]'),
       ('n2', 'Tea is at noon.', '[-0.1, 1]')`,
  );
  kernel = await makeKernel();
});
afterAll(async () => {
  await kernel.close();
  await server.stop();
});

let before = 0;
beforeEach(() => void (before = server.connections()));
const wasAsked = () => server.connections() > before;

function makeKernel(policy?: ReturnType<typeof allowBut>) {
  const mount = (more: Partial<MountDeclaration>, tenants = ["default"]) => ({
    declaration: {
      driver: "pgvector",
      host: "127.0.0.1",
      port: server.port,
      database: "postgres",
      user: "postgres",
      schema: "public",
      ssl: false,
      table: "notes",
      id: "id",
      text: "text",
      vector: "embedding",
      metric: "cosine",
      semantic: true,
      integrity: "trusted",
      ...more,
    } as MountDeclaration,
    tenants,
  });
  return createKernel({
    programs: { caller },
    embeddings,
    tenants: { acme: { allow: ["file:/mnt/**:read,list", "memory:/mem/**:*"] } },
    configuredMounts: {
      notes: mount({}),
      down: mount({ port: 1 } as Partial<MountDeclaration>),
      vault: mount({ secrecy: "secret" }),
      doubtful: mount({ integrity: "untrusted" }),
    },
    ...(policy === undefined ? {} : { policy }),
  });
}

async function said(
  calls: Json[],
  capabilities: string[],
  { of = kernel, ...more }: { of?: Kernel; tenant?: string } = {},
) {
  const manifest: ManifestText = {
    apiVersion: "aos/v1",
    kind: "Agent",
    name: "caller",
    program: "caller",
    capabilities,
  };
  const pid = await of.spawn({ manifest, input: calls, ...more });
  const { output } = await of.wait(pid);
  return { pid, output: output as Json[] };
}

const search = (query: string, options?: Json): Json[] =>
  options === undefined
    ? ["search", "/mem/semantic", query]
    : ["search", "/mem/semantic", query, options];
const found = (output: Json | undefined) => output as unknown as Found[];
const paths = (output: Json | undefined) => found(output).map(({ path }) => path);

test("a search of the agent's facts finds what a store has, ranked together, with reasons", async () => {
  const { output } = await said(
    [
      ["write", "/mem/semantic/garage", "The garage is behind the house."],
      search("where is the petrol for the car", { limit: 5 }),
      ["list", "/mem/semantic/notes"],
      ["read", "/mem/semantic/notes/n1"],
      ["search", "/mem/semantic/notes", "fuel", { limit: 1 }],
      ["self"],
    ],
    MAY,
  );

  const [best] = found(output[1]);
  expect(best).toMatchObject({
    path: "/mem/semantic/notes/n1",
    data: { id: "n1", text: "Petrol is stored behind the garage." },
    writer: "mnt.notes",
    label: "trusted/internal",
    kind: "document",
    why: expect.arrayContaining([expect.objectContaining({ feature: expect.any(String) })]),
  });
  expect(output.slice(2)).toMatchObject([
    ["/mem/semantic/notes/n1", "/mem/semantic/notes/n2"],
    { id: "n1", text: "Petrol is stored behind the garage." },
    [{ path: "/mem/semantic/notes/n1" }],
    { label: "trusted/internal" },
  ]);
});

test("what is recorded is enough: a replay asks no store", async () => {
  const { pid } = await said([search("petrol")], MAY);
  before = server.connections();

  const replayed = await kernel.replay(pid);

  expect(replayed).toMatchObject({ identical: true });
  expect(wasAsked()).toBe(false);
});

test("SEMANTIC-STORES-1: without the grant for the mount a store is not asked, and its place is refused", async () => {
  const { output } = await said(
    [
      ["write", "/mem/semantic/car", "The petrol is in the car."],
      search("petrol"),
      ["read", "/mem/semantic/notes/n1"],
      ["list", "/mem/semantic/notes"],
      ["search", "/mem/semantic/notes", "petrol"],
      ["remove", "/mem/semantic/car"],
    ],
    OWN,
  );

  expect(paths(output[1])).toEqual(["/mem/semantic/car"]);
  for (const refused of output.slice(2, 5)) expect(refused).toMatchObject({ code: "EACCES" });
  expect(wasAsked()).toBe(false);
});

test("SEMANTIC-STORES-1: a rule of the operator about the mount, or about what leaves, holds for a search above it", async () => {
  for (const rule of [{ deny: "file:/mnt/notes/**" }, { deny: "*", when: '"egress" in sinks' }]) {
    const strict = await makeKernel(allowBut({ id: "no", ...rule }));
    const { pid, output } = await said([search("petrol")], MAY, { of: strict });
    const records = JSON.stringify(await strict.journal(pid));
    await strict.close();
    expect(records).not.toContain("left out"); // it is as if there were none

    expect(output).toEqual([[]]);
    expect(wasAsked()).toBe(false);
  }
});

test("SEMANTIC-STORES-1: a process that has read untrusted data sends no question out without a person", async () => {
  const { output } = await said(
    [["read", "/mnt/doubtful/n2"], search("petrol")],
    [...MAY, "file:/mnt/doubtful/**:read"],
  );

  expect(output[0]).toMatchObject({ id: "n2" });
  expect(output[1]).toEqual([]);
});

test("SEMANTIC-STORES-1: a process that has read a secret sends no question out", async () => {
  const lenient = await makeKernel(allowBut());
  const { output } = await said(
    [["read", "/mnt/vault/n2"], search("petrol"), ["self"]],
    [...MAY, "file:/mnt/vault/**:read"],
    { of: lenient },
  );
  await lenient.close();

  expect(output).toMatchObject([{ id: "n2" }, [], { label: "trusted/secret" }]);
});

test("SEMANTIC-STORES-1: another tenant has neither the store nor its place", async () => {
  const { output } = await said([search("petrol"), ["read", "/mem/semantic/notes/n1"]], MAY, {
    tenant: "acme",
  });

  expect(output).toMatchObject([[], { code: "ENOENT" }]);
  expect(wasAsked()).toBe(false);
});

test("SEMANTIC-STORES-2: a store that is not declared trusted is asked for untrusted ones only", async () => {
  const may = [...OWN, "file:/mnt/doubtful/**:read"];
  const { output } = await said(
    [search("petrol"), ["self"], search("petrol", { label: "untrusted" }), ["self"]],
    may,
  );

  expect(output).toMatchObject([
    [],
    { label: "trusted/public" },
    [{ path: "/mem/semantic/doubtful/n1", label: "untrusted/internal" }],
    { label: "untrusted/internal" },
  ]);
});

test("SEMANTIC-STORES-3: a store that is down is left out, and the record says so", async () => {
  const { pid, output } = await said([search("petrol")], [...MAY, "file:/mnt/down/**:read"]);
  const records = await kernel.journal(pid);

  expect(paths(output[0])).toEqual(["/mem/semantic/notes/n1"]);
  const call = records.find((one) => one.kind === "call" && one.call === "search");
  expect(call).toMatchObject({
    verdict: expect.stringContaining("left out /mem/semantic/down: /mnt/down: "),
  });
});

test("what a store cannot be asked by is not sent to it, and it is not written", async () => {
  const { output } = await said(
    [
      search("petrol", { kind: "episode" }),
      search("petrol", { since: 1 }),
      ["search", "/mem/working", "petrol"],
      ["write", "/mem/semantic/notes/n1", "mine"],
      ["remove", "/mem/semantic/notes/n1"],
    ],
    [...MAY, "memory:/mem/**:*"],
  );

  expect(output).toMatchObject([[], [], [], { code: "EINVAL" }, { code: "EINVAL" }]);
  expect(wasAsked()).toBe(false);
});
