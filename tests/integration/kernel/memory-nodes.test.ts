// Two nodes on one PostgreSQL: what one of them writes, the other finds.

import { bootKernel, type Kernel } from "@aos/kernel";
import type { Json, Sys } from "@aos/protocol";
import { afterAll, describe, expect, test } from "vitest";
import { tryPostgres } from "../../helpers/postgres.ts";

const server = await tryPostgres();
const missing = "missing" in server ? server.missing : undefined;

afterAll(async () => {
  if (!("missing" in server)) await server.stop();
});

const programs = {
  writer: async (sys: Sys, input: Json) => {
    for (const [path, data] of Object.entries(input as Record<string, Json>))
      await (data === null ? sys.remove(path) : sys.write(path, data));
    return null;
  },
  searcher: async (sys: Sys, query: Json) =>
    (await sys.search("/mem/shared/team", query as string)).map(({ path }) => path),
};

async function run(kernel: Kernel, agent: string, input: Json): Promise<Json> {
  const pid = await kernel.spawn({ agent, input, capabilities: ["memory:/mem/**:*"] });
  const { output, error } = await kernel.wait(pid);
  expect(error).toBeNull();
  return output;
}

describe.skipIf(missing !== undefined)(
  `two nodes${missing === undefined ? "" : `: ${missing}`}`,
  () => {
    test("MEMORY-SEGMENTS-4: a search sees what another node has written, changed and removed", async () => {
      if ("missing" in server) return;
      const { url } = await server.createDatabase();
      const one = await bootKernel({ store: { url }, node: "one", programs });
      const other = await bootKernel({ store: { url }, node: "other", programs });
      try {
        await run(one, "writer", {
          "/mem/shared/team/a": "the harbour",
          "/mem/shared/team/b": "a lake",
        });
        const first = await run(other, "searcher", "harbour");
        await run(one, "writer", {
          "/mem/shared/team/b": "another harbour",
          "/mem/shared/team/c": "harbour",
        });
        const changed = (await run(other, "searcher", "harbour")) as string[];
        await run(one, "writer", { "/mem/shared/team/a": null });
        const removed = (await run(other, "searcher", "harbour")) as string[];

        expect(first).toEqual(["/mem/shared/team/a"]);
        expect(changed.toSorted()).toEqual(
          ["a", "b", "c"].map((name) => `/mem/shared/team/${name}`),
        );
        expect(removed.toSorted()).toEqual(["b", "c"].map((name) => `/mem/shared/team/${name}`));
      } finally {
        await one.close();
        await other.close();
      }
    });

    test("RUN-INDEX-2: what was said on another node is found, also where commits end in another order", async () => {
      if ("missing" in server) return;
      const { url } = await server.createDatabase();
      const said = { talker: async () => null };
      const one = await bootKernel({ store: { url }, node: "one", programs: said });
      const other = await bootKernel({ store: { url }, node: "other", programs: said });
      const say = async (kernel: Kernel, input: string) => {
        const pid = await kernel.spawn({ agent: "talker", input });
        await kernel.wait(pid);
      };
      const found = async () =>
        (await other.searchRuns({ query: "harbour" })).found.map(({ text }) => text).toSorted();
      try {
        await say(one, "the first harbour");
        const first = await found();
        await Promise.all([say(one, "a second harbour"), say(other, "a third harbour")]);

        expect(first).toEqual(["the first harbour"]);
        expect(await found()).toEqual(["a second harbour", "a third harbour", "the first harbour"]);
      } finally {
        await one.close();
        await other.close();
      }
    });

    test("RUN-SEARCH-2: what was erased from a journal on another node is found no more", async () => {
      if ("missing" in server) return;
      const { url } = await server.createDatabase();
      const said = { talker: async () => null };
      const one = await bootKernel({ store: { url }, node: "one", programs: said });
      const other = await bootKernel({ store: { url }, node: "other", programs: said });
      const found = async () =>
        (await other.searchRuns({ query: "harbour" })).found.map(({ text }) => text);
      try {
        const pid = await one.spawn({ agent: "talker", input: "the harbour of Quillmore" });
        await one.wait(pid);
        const before = await found();

        await one.forgetMemory({ about: "Quillmore", by: "dana" });

        expect(before).toEqual(["the harbour of Quillmore"]);
        expect((await found()).join(" ")).not.toContain("Quillmore");
      } finally {
        await one.close();
        await other.close();
      }
    });

    test("MEMORY-QUOTA-3: what another node has written counts, at the first write and again after a while", async () => {
      if ("missing" in server) return;
      const { url } = await server.createDatabase();
      let laterMs = 0;
      const platform = {
        now: () => Date.now() + laterMs,
        wall: () => Date.now() + laterMs,
        notBefore: () => {},
        random: () => Math.random(),
        bytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)),
      };
      const options = { store: { url }, programs, platform, leaseMs: 600_000 };
      const one = await bootKernel({ ...options, node: "one", limits: { spaceFiles: 3 } });
      const other = await bootKernel({ ...options, node: "other", limits: { spaceFiles: 3 } });
      const writes = async (kernel: Kernel, name: string): Promise<string> => {
        const input = { [`/mem/semantic/${name}`]: 1 };
        const pid = await kernel.spawn({
          agent: "writer",
          input,
          capabilities: ["memory:/mem/**:*"],
        });
        return (await kernel.wait(pid)).error?.code ?? "ok";
      };
      try {
        expect(await writes(one, "a")).toBe("ok");
        expect(await writes(one, "b")).toBe("ok");
        expect(await writes(other, "c")).toBe("ok");
        expect(await writes(other, "d")).toBe("ESTATE");
        laterMs = 10_000;
        expect(await writes(one, "e")).toBe("ESTATE");
      } finally {
        await one.close();
        await other.close();
      }
    });
  },
);
