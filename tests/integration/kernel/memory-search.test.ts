import type { Json, EmbeddingDriver, Found, SearchOptions, Sys } from "@aos/protocol";
import { expect, test } from "vitest";
import { bootForTest } from "../../helpers/kernel.ts";
import { allowBut } from "../../helpers/policy.ts";

const MEMORY = ["memory:/mem/**:*"];

/** A model of two dimensions: what is about vehicles, and the rest. */
function fakeEmbeddings(model = "fake@1", more: Partial<EmbeddingDriver> = {}) {
  const texts: string[] = [];
  const driver: EmbeddingDriver = {
    model,
    egress: false,
    embed: async (given) => {
      texts.push(...given);
      return given.map((text) => (/vehicle|car\b|fuel|petrol/i.test(text) ? [1, 0.1] : [-0.1, 1]));
    },
    ...more,
  };
  return { driver, texts };
}

interface Task {
  readonly files?: Readonly<Record<string, Json>>;
  readonly path: string;
  readonly query: string;
  readonly options?: SearchOptions;
}

/** Writes files, then searches. */
async function librarian(sys: Sys, input: Json): Promise<Json> {
  const { files = {}, path, query, options } = input as unknown as Task;
  for (const [name, data] of Object.entries(files)) await sys.write(name, data);
  return (await sys.search(path, query, options)) as unknown as Json;
}

const programs = { librarian };
type Kernel = Awaited<ReturnType<typeof bootForTest>>["kernel"];

async function run(kernel: Kernel, task: Task, capabilities = MEMORY, more = {}): Promise<Found[]> {
  const pid = await kernel.spawn({
    agent: "librarian",
    input: task as unknown as Json,
    capabilities,
    ...more,
  });
  const { output, error } = await kernel.wait(pid);
  expect(error).toBeNull();
  return output as unknown as Found[];
}

const paths = (found: readonly Found[]) => found.map(({ path }) => path);

test("every result says why it matched, who wrote it and how it was searched", async () => {
  const { kernel } = await bootForTest({ programs });

  const [first] = await run(kernel, {
    files: {
      "/mem/semantic/port": "The gateway listens on port 9443.",
      "/mem/semantic/tea": "Tea at noon.",
    },
    path: "/mem/semantic",
    query: "which port does the gateway use",
  });

  expect(first).toMatchObject({
    path: "/mem/semantic/port",
    data: "The gateway listens on port 9443.",
    label: "trusted/public",
    searchedBy: "text",
  });
  expect(first?.writer).toMatch(/^agt_/);
  expect(first?.why?.map(({ says }) => says).join("; ")).toContain("port");
});

test("MEMORY-SEARCH-2: what has no word of the query and no near meaning is not found", async () => {
  const { kernel } = await bootForTest({ programs });

  const found = await run(kernel, {
    files: { "/mem/semantic/tea": "Tea at noon." },
    path: "/mem/semantic",
    query: "car fuel",
  });

  expect(found).toEqual([]);
});

test("with vectors, what means the same is found without a word in common", async () => {
  const { driver } = fakeEmbeddings();
  const { kernel } = await bootForTest({ programs, embeddings: driver });

  const found = await run(kernel, {
    files: { "/mem/semantic/a": "The vehicle needs petrol.", "/mem/semantic/b": "Lunch at noon." },
    path: "/mem/semantic",
    query: "car fuel",
  });

  expect(paths(found)).toEqual(["/mem/semantic/a"]);
  expect(found[0]?.searchedBy).toBe("text and vectors");
});

test("a text is embedded once, also after a restart, and again for another model", async () => {
  const first = fakeEmbeddings();
  const booted = await bootForTest({ programs, embeddings: first.driver });
  const task = { path: "/mem/semantic", query: "car fuel" };
  await run(booted.kernel, { ...task, files: { "/mem/semantic/a": "The vehicle needs petrol." } });

  const same = fakeEmbeddings();
  const again = await booted.again({ programs, embeddings: same.driver });
  const found = await run(again.kernel, task);
  const other = fakeEmbeddings("fake@2");
  const later = await again.again({ programs, embeddings: other.driver });
  await run(later.kernel, task);

  expect(paths(found)).toEqual(["/mem/semantic/a"]);
  expect(same.texts).toEqual(["car fuel"]);
  expect(other.texts).toContain("The vehicle needs petrol.");
});

test("BACKLOG-5: what one memory has embedded is embedded again for another", async () => {
  const { driver, texts } = fakeEmbeddings();
  const { kernel } = await bootForTest({
    programs: { ...programs, other: librarian },
    embeddings: driver,
  });
  const text = "The vehicle needs petrol.";
  const times = () => texts.filter((one) => one === text).length;
  const task = (path: string) => ({ path, query: "car fuel", files: { [`${path}/a`]: text } });

  await run(kernel, task("/mem/semantic"));
  await run(kernel, task("/mem/semantic"));
  expect(times()).toBe(1);
  await run(kernel, task("/mem/semantic"), MEMORY, { agent: "other" });
  expect(times()).toBe(2);
  for (const path of ["/mem/shared/x", "/mem/shared/y", "/mem/working"])
    await run(kernel, task(path));
  expect(times()).toBe(5);
  await run(kernel, task("/mem/working"));

  expect(times()).toBe(6);
});

test("MEMORY-SEARCH-3: a broken model costs nothing but the vectors", async () => {
  const broken: EmbeddingDriver = {
    model: "broken",
    egress: false,
    embed: async () => {
      throw new Error("no model");
    },
  };
  const { kernel } = await bootForTest({ programs, embeddings: broken, onTrouble: () => {} });

  const found = await run(kernel, {
    files: { "/mem/semantic/a": "red boat" },
    path: "/mem/semantic",
    query: "boat",
  });

  expect(paths(found)).toEqual(["/mem/semantic/a"]);
  expect(found[0]?.searchedBy).toBe("text");
});

test("MEMORY-SEGMENTS-2: a search sees the last write and no removed file, before any commit", async () => {
  const { kernel } = await bootForTest({
    programs: {
      writer: async (sys: Sys) => {
        const found: string[][] = [];
        const look = async () =>
          void found.push(paths(await sys.search("/mem/shared/x", "harbour")));
        await look();
        await sys.write("/mem/shared/x/1", "the harbour");
        await look();
        await sys.write("/mem/shared/x/1", "the lake");
        await sys.write("/mem/shared/x/2", "a harbour");
        await look();
        await sys.remove("/mem/shared/x/2");
        await look();
        return found;
      },
    },
  });

  const pid = await kernel.spawn({ agent: "writer", capabilities: MEMORY });

  expect((await kernel.wait(pid)).output).toEqual([
    [],
    ["/mem/shared/x/1"],
    ["/mem/shared/x/2"],
    [],
  ]);
});

test.each<[string, SearchOptions, readonly string[]]>([
  ["kind", { kind: "episode" }, ["/mem/shared/x/3"]],
  ["label", { label: "trusted" }, ["/mem/shared/x/1", "/mem/shared/x/2", "/mem/shared/x/3"]],
  ["a time before all", { until: 1 }, []],
  ["a time after all", { since: 8_000_000_000_000 }, []],
  ["another writer", { writer: "agt_00000000000000000000000000" }, []],
])("a search is limited by %s", async (_what, options, expected) => {
  const { kernel } = await bootForTest({ programs });

  const found = await run(kernel, {
    files: {
      "/mem/shared/x/1": "red boat",
      "/mem/shared/x/2": { speaker: "Ada", text: "red boat" },
      "/mem/shared/x/3": { goal: "buy a boat", outcome: "bad" },
    },
    path: "/mem/shared",
    query: "boat",
    options,
  });

  expect(paths(found).toSorted()).toEqual(expected);
});

test("what the process may not search is not found, and changes no score of what it may", async () => {
  const files = { "/mem/shared/x/a.md": "red boat", "/mem/shared/x/b.md": "red house" };
  const hidden = { "/mem/shared/x/c.txt": "red boat, red boat", "/mem/shared/x/d.txt": "boat" };
  const task = { path: "/mem/shared/x", query: "red boat" };
  const narrow = ["memory:/mem/shared/x:search", "memory:/mem/shared/x/*.md:search"];
  const alone = await bootForTest({ programs });
  const both = await bootForTest({ programs });
  await run(alone.kernel, { ...task, files });
  await run(both.kernel, { ...task, files: { ...files, ...hidden } });

  const [expected, found] = await Promise.all([
    run(alone.kernel, task, narrow),
    run(both.kernel, task, narrow),
  ]);

  const plain = (all: readonly Found[]) =>
    all.map(({ path, score, why }) => ({ path, score, why }));
  expect(plain(found)).toEqual(plain(expected));
  expect(paths(found)).toEqual(["/mem/shared/x/a.md", "/mem/shared/x/b.md"]);
});

test("a rule of the operator about memory holds for what a search above it would find", async () => {
  const policy = allowBut({ id: "closed", deny: "memory:/mem/shared/x/closed/**:search" });
  const { kernel } = await bootForTest({ programs, policy });

  const found = await run(kernel, {
    files: { "/mem/shared/x/open": "red boat", "/mem/shared/x/closed/1": "red boat" },
    path: "/mem/shared/x",
    query: "boat",
  });

  expect(paths(found)).toEqual(["/mem/shared/x/open"]);
});

test("BACKLOG-3: a secret text is not given to a model elsewhere", async () => {
  const { driver, texts } = fakeEmbeddings("fake@1", { egress: true });
  const { kernel } = await bootForTest({ programs, embeddings: driver });
  const secret = { label: { integrity: "trusted", secrecy: "secret" } };

  await run(
    kernel,
    { files: { "/mem/shared/x/1": "the car" }, path: "/mem/shared/x", query: "boat" },
    MEMORY,
    secret,
  );

  expect(texts).not.toContain("the car");
});

test("a result keeps the label of what it found", async () => {
  const { kernel } = await bootForTest({ programs });
  const red = { label: { integrity: "untrusted", secrecy: "public" } };
  await run(
    kernel,
    { files: { "/mem/shared/x/1": "red boat" }, path: "/mem/shared/x", query: "boat" },
    MEMORY,
    red,
  );

  const [found] = await run(kernel, { path: "/mem/shared/x", query: "boat" });

  expect(found?.label).toBe("untrusted/public");
});

test("a filter where there is no memory is refused, not ignored", async () => {
  const { kernel } = await bootForTest({ programs });
  const input = { path: "/ctx/archive", query: "boat", options: { kind: "dialogue" } };

  const pid = await kernel.spawn({ agent: "librarian", input, capabilities: MEMORY });

  expect((await kernel.wait(pid)).error).toMatchObject({ code: "EINVAL" });
});
