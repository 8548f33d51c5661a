// Embeddings of a provider: who may be sent what, what it may cost, and a change of the model while searches go on.

import type { EmbeddingDriver, Found, Json, Label, Sys } from "@aos/protocol";
import { expect, test } from "vitest";
import { bootForTest, type Booted } from "../../helpers/kernel.ts";

const MEMORY = ["memory:/mem/**:*"];

function remote(more: Partial<EmbeddingDriver> = {}) {
  const texts: string[] = [];
  const driver: EmbeddingDriver = {
    model: "lab/small",
    resource: "lab/small",
    egress: true,
    embed: async (given) => {
      texts.push(...given);
      return given.map((text) => (/vehicle|car\b|fuel/i.test(text) ? [1, 0.1] : [-0.1, 1]));
    },
    ...more,
  };
  return { driver, texts };
}

const programs = {
  writer: async (sys: Sys, input: Json) => {
    for (const [path, data] of Object.entries(input as Record<string, Json>))
      await sys.write(path, data);
    return null;
  },
  searcher: async (sys: Sys, query: Json) =>
    (await sys.search("/mem/shared/x", query as string)) as unknown as Json,
};

async function run(
  { kernel }: Booted,
  agent: string,
  input: Json,
  more: { readonly label?: Label; readonly tenant?: string } = {},
): Promise<Found[]> {
  const pid = await kernel.spawn({ agent, input, capabilities: MEMORY, ...more });
  const { output, error } = await kernel.wait(pid);
  expect(error).toBeNull();
  return output as unknown as Found[];
}

const spent = async ({ kernel }: Booted) =>
  (await kernel.ledger({ limit: 1000 }))
    .filter(({ what }) => what === "memory.embed")
    .map(({ detail }) => (detail as { usd: number }).usd);

test("BACKLOG-3: the query of a process that has read a secret is sent nowhere", async () => {
  const { driver, texts } = remote();
  const booted = await bootForTest({ programs, embeddings: driver });
  await run(booted, "writer", { "/mem/shared/x/1": "the boat" });

  const found = await run(booted, "searcher", "a boat of gold", {
    label: { integrity: "trusted", secrecy: "secret" },
  });

  expect(texts).toEqual(["the boat"]);
  expect(found).toMatchObject([{ path: "/mem/shared/x/1", searchedBy: "text" }]);
});

test("BACKLOG-4: texts of a tenant go to no model that its ceiling does not cover", async () => {
  const { driver, texts } = remote();
  const booted = await bootForTest({ programs, embeddings: driver });
  const memory = "memory:/mem/**:*";
  await booted.kernel.addTenant("closed", { allow: [memory] }, "op");
  await booted.kernel.addTenant("open", { allow: [memory, "model:lab/*:infer"] }, "op");
  for (const tenant of ["closed", "open"])
    await run(booted, "writer", { "/mem/shared/x/1": `a boat, ${tenant}` }, { tenant });

  const closed = await run(booted, "searcher", "boat", { tenant: "closed" });
  const seenOfClosed = [...texts];
  const open = await run(booted, "searcher", "boat", { tenant: "open" });

  expect(seenOfClosed).toEqual([]);
  expect(closed[0]?.searchedBy).toBe("text");
  expect(open[0]?.searchedBy).toBe("text and vectors");
});

test("EMBEDDING-ALLOWANCE-1: a day never costs more than its limit, across crashes; searches go on by words", async () => {
  // A dollar for a byte at most: 5 bytes with the one that is added to each text.
  const { driver, texts } = remote({ price: 1_000_000 });
  const options = { programs, embeddings: driver, embeddingsUsdPerDay: 12 };
  const first = await bootForTest(options);
  await run(first, "writer", { "/mem/shared/x/1": "boat", "/mem/shared/x/2": "ship" });
  const found = await run(first, "searcher", "boat");
  const before = await spent(first);

  const second = await first.crash();
  await run(second, "writer", { "/mem/shared/x/3": "raft" });
  await run(second, "searcher", "raft");
  const after = await spent(second);

  expect(found[0]?.path).toBe("/mem/shared/x/1");
  expect(texts.join(" ")).toContain("boat");
  expect(texts.join(" ")).not.toContain("raft");
  expect(before.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(12);
  expect(after.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(12);
});

test("the key is asked for by its name, and is that of the operator", async () => {
  const keys: string[] = [];
  const place = { kind: "header", origin: "https://lab.example", header: "authorization" } as const;
  const { driver } = remote();
  const asking: EmbeddingDriver = {
    ...driver,
    embed: async (texts, context) => {
      keys.push(context!.providerKey("LAB_API_KEY", place));
      return driver.embed(texts);
    },
  };
  const booted = await bootForTest({ programs, embeddings: asking });
  const secret = { name: "LAB_API_KEY", value: "sk-0123456789abcdef", bindings: [place] };
  await booted.kernel.setSecret(secret, "op");
  await run(booted, "writer", { "/mem/shared/x/1": "boat" });

  const found = await run(booted, "searcher", "boat");

  expect(new Set(keys)).toEqual(new Set(["sk-0123456789abcdef"]));
  expect(found[0]?.searchedBy).toBe("text and vectors");
});

test("BACKLOG-2: another model embeds anew in the background, goes on after a crash in the middle, and searches answer all the while", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [`/mem/shared/x/${at}`, `boat number ${at}`]),
  );
  const old = remote();
  const booted = await bootForTest({ programs, embeddings: old.driver });
  await run(booted, "writer", files);
  await run(booted, "searcher", "boat");

  let isHeld = true;
  const half = Promise.withResolvers<void>();
  const next = remote({ model: "lab/large", resource: "lab/large" });
  const slow: EmbeddingDriver = {
    ...next.driver,
    embed: async (texts) => {
      if (next.texts.length >= 16 && isHeld) {
        half.resolve();
        await new Promise(() => {}); // the crash comes here
      }
      return next.driver.embed(texts);
    },
  };
  const changed = await booted.crash({ embeddings: slow });
  const during = await run(changed, "searcher", "number 7 boat");
  await half.promise;
  const doneBefore = next.texts.filter((text) => text.startsWith("boat number"));
  const after = await changed.crash();
  isHeld = false;
  await run(after, "searcher", "number 7 boat");
  for (
    let waited = 0;
    next.texts.filter((text) => /^boat number \d+$/.test(text)).length < 40;
    waited++
  ) {
    if (waited > 600) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const found = await run(after, "searcher", "number 7 boat");

  expect(during[0]?.path).toBe("/mem/shared/x/7");
  expect(found[0]).toMatchObject({ path: "/mem/shared/x/7", searchedBy: "text and vectors" });
  expect(doneBefore).toHaveLength(16);
  const all = next.texts.filter((text) => /^boat number \d+$/.test(text));
  expect(new Set(all).size).toBe(40);
  expect(all).toHaveLength(40); // what was embedded before the crash is not embedded again
});
