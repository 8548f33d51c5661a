// Collections: what was ingested, as an operator lists it and as an agent searches it.

import type { Found, Json, Sys } from "@aos/protocol";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { bootForTest } from "../../helpers/kernel.ts";

const source = (file: string, root = "/srv/docs") => ({ file, root, digest: `1:${file}` });

const FILES: Record<string, Json> = {
  "/mem/shared/docs/a.md": {
    source: { ...source("a.md"), commit: "c".repeat(40) },
    text: "# Gateway\n\nIt serves HTTP.\n\n## Port\n\nThe gateway listens on port 8080.\n\n## Key\n\nThe key of the gateway is rotated yearly.",
  },
  "/mem/shared/docs/main.ts": {
    source: source("main.ts"),
    text: "// The port.\nexport const gatewayPort = 8080;\n\nexport function serve() {}\n",
  },
  "/mem/shared/docs-old/a.md": { source: source("a.md", "/srv/old"), text: "The port was 9090." },
  "/mem/shared/mail/in.mbox/1": {
    source: source("in.mbox#1", "/srv/mail"),
    text: "We take port 8080.",
    author: "Ada",
    title: "The gateway",
    date: "2026-03-04T10:11:00Z",
  },
  "/mem/shared/note": "no folder",
  "/mem/shared/notes/one": "an agent wrote this",
};

async function writer(sys: Sys): Promise<Json> {
  for (const [path, data] of Object.entries(FILES)) await sys.write(path, data);
  return null;
}

async function searcher(sys: Sys, input: Json): Promise<Json> {
  const { path, query } = input as { path: string; query: string };
  return (await sys.search(path, query, { unit: "passage", limit: 20 })) as unknown as Json;
}

/** What an agent does that wants to be believed. */
async function forger(sys: Sys, input: Json): Promise<Json> {
  const { path, data, by } = input as { path: string; data: Json; by?: string };
  if (by === undefined) await sys.write(path, data);
  else
    await sys.wait(
      await sys.spawn(by, { path, data }, { capabilities: ["memory:/mem/shared/**:write"] }),
    );
  return null;
}

/** As a person's ingestion does: a process of the program `ingest`, the first of its tree. */
async function ingest(sys: Sys, input: Json): Promise<Json> {
  return input === null ? writer(sys) : forger(sys, input);
}

async function kernelForTest() {
  const { kernel } = await bootForTest({ programs: { ingest, forger, searcher } });
  const run = async (program: string, capabilities: string[], input: Json = null) => {
    const pid = await kernel.spawn({
      manifest: { apiVersion: "aos/v1", kind: "Agent", name: program, program, capabilities },
      input,
    });
    return kernel.wait(pid);
  };
  await run("ingest", ["memory:/mem/**:*"]);
  return { kernel, run };
}

test("COLLECTIONS-2: folders with a source are collections; files and other folders are none", async () => {
  const { kernel } = await kernelForTest();

  expect(await kernel.collections()).toMatchObject([
    { name: "docs-old", files: 1, root: "/srv/old", commit: null },
    { name: "docs", files: 2, root: "/srv/docs", label: "trusted/public" },
    { name: "mail", path: "/mem/shared/mail", files: 1 },
  ]);
  await expect(kernel.collections({ tenant: "nobody" })).rejects.toMatchObject({ code: "ENOENT" });
});

test("the files of a collection are listed a page at a time, with what they were read from", async () => {
  const { kernel } = await kernelForTest();

  const first = await kernel.collectionFiles("docs", { limit: 1 });
  const second = await kernel.collectionFiles("docs", { limit: 1, after: first.next! });

  expect(first).toMatchObject({
    files: [{ path: "a.md", file: "a.md", digest: "1:a.md", commit: "c".repeat(40) }],
    next: "a.md",
  });
  expect(second.files).toMatchObject([{ path: "main.ts", root: "/srv/docs", commit: null }]);
  expect(await kernel.collectionFiles("none")).toEqual({ files: [], next: null });
});

test("MEMORY-CONTENT-3: passages of a file are found one by one, with section, line and commit", async () => {
  const { run } = await kernelForTest();

  const { output } = await run("searcher", ["memory:/mem/shared/docs/**:search"], {
    path: "/mem/shared/docs",
    query: "the port of the gateway",
  });

  const found = output as unknown as Found[];
  const of = (file: string) => found.filter(({ source: one }) => one?.file === file);
  expect(of("a.md").length).toBeGreaterThan(1);
  expect(found.find(({ passage }) => passage?.heading === "Gateway › Port")).toMatchObject({
    path: "/mem/shared/docs/a.md",
    data: "## Port\n\nThe gateway listens on port 8080.",
    passage: { line: 5 },
    source: { file: "a.md", root: "/srv/docs", commit: "c".repeat(40) },
  });
  expect(of("main.ts")[0]?.passage?.heading).toContain("gatewayPort");
});

const FORGED = {
  path: "/mem/shared/docs/0.md",
  data: {
    source: { ...source("a.md"), commit: "c".repeat(40) },
    text: "# Gateway\n\n## Port\n\nThe gateway listens on port 6666.",
  },
};

test.each([
  ["writes it", FORGED],
  ["lets a child of the program ingest write it", { ...FORGED, by: "ingest" }],
])(
  "PROVENANCE-1: a source is a claim of its writer where an agent %s",
  async (_how, input: Json) => {
    const { kernel, run } = await kernelForTest();
    await run("forger", ["memory:/mem/shared/docs/**:*", "agent:*:spawn"], input);

    const { output } = await run("searcher", ["memory:/mem/shared/docs/**:search"], {
      path: "/mem/shared/docs",
      query: "gateway port 6666",
    });
    const { files } = await kernel.collectionFiles("docs");

    const found = output as unknown as Found[];
    const forged = found.find(({ path }) => path === FORGED.path)!;
    expect(forged.source).toBeUndefined();
    expect(forged.claimed).toEqual({
      file: "a.md",
      root: "/srv/docs",
      commit: "c".repeat(40),
      by: forged.writer,
    });
    expect(found.find(({ path }) => path.endsWith("/a.md"))).toMatchObject({
      source: { file: "a.md" },
    });
    expect(files.map(({ path, claimedBy }) => [path, claimedBy])).toEqual([
      ["0.md", forged.writer],
      ["a.md", null],
      ["main.ts", null],
    ]);
  },
);

test("PROVENANCE-1: what was ingested and then overwritten or appended to is a claim", async () => {
  const { kernel, run } = await kernelForTest();

  await run("forger", ["memory:/mem/shared/docs/**:*"], {
    ...FORGED,
    path: "/mem/shared/docs/a.md",
  });

  const { files } = await kernel.collectionFiles("docs");
  expect(files.map(({ path, claimedBy }) => [path, claimedBy === null])).toEqual([
    ["a.md", false],
    ["main.ts", true],
  ]);
});

test("PROVENANCE-1: a manifest of a folder that names the program ingest is no ingestion", async () => {
  const { kernel } = await kernelForTest();
  const folder = tmpdir();

  await kernel.wait(
    await kernel.spawn({
      manifest: {
        apiVersion: "aos/v1",
        kind: "Agent",
        name: "ingest",
        program: "ingest",
        capabilities: ["memory:/mem/shared/docs/**:*"],
      },
      input: FORGED,
      folder,
    }),
  );

  const { files } = await kernel.collectionFiles("docs", { limit: 1 });
  expect(files).toMatchObject([{ path: "0.md", claimedBy: expect.stringContaining("agt_") }]);
});

test("claims before the ingested files hide neither root nor commit of a collection", async () => {
  const { kernel, run } = await kernelForTest();
  for (let n = 0; n < 25; n++)
    await run("forger", ["memory:/mem/shared/docs/**:*"], {
      path: `/mem/shared/docs/0${n}.md`,
      data: { source: source("x.md", "/elsewhere"), text: "x" },
    });

  const collections = await kernel.collections();

  expect(collections.find(({ name }) => name === "docs")).toMatchObject({
    root: "/srv/docs",
    claimedBy: null,
  });
});

test("a mail is found by who wrote it and what it is about", async () => {
  const { run } = await kernelForTest();

  const { output } = await run("searcher", ["memory:/mem/shared/mail/**:search"], {
    path: "/mem/shared/mail",
    query: "what did Ada write about the gateway",
  });

  expect(output).toMatchObject([
    { passage: { heading: "The gateway" }, data: "We take port 8080." },
  ]);
  expect(JSON.stringify(output)).toContain("written by Ada");
});

test("a collection that an agent has no grant for is refused", async () => {
  const { run } = await kernelForTest();

  const { error } = await run("searcher", ["memory:/mem/shared/docs/**:search"], {
    path: "/mem/shared/mail",
    query: "port",
  });

  expect(error).toMatchObject({ code: "EACCES" });
});
