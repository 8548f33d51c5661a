// One search of several parts of memory: facts, episodes and passages, ranked together.

import type { Json, Sys } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { bootKernel } from "@aos/kernel";
import { codeOf } from "../../helpers/kernel.ts";
import { stores } from "../../helpers/stores.ts";

const PARTS = ["/mem/semantic", "/mem/episodic", "/mem/shared"];
const FACT: Json = { kind: "fact", text: "The shop has port 80.", source: "agent", confidence: 1 };
const EPISODE: Json = {
  kind: "episode",
  goal: "Find the port of the shop",
  action: "look",
  result: "It has port 80.",
  outcome: "good",
};

const write = async (sys: Sys, input: Json): Promise<Json> => {
  if (input !== null) return search(sys, input);
  await sys.write("/mem/semantic/facts/port/1", FACT);
  await sys.write("/mem/semantic/secret/port", "The port of the shop is a secret.");
  await sys.write("/mem/episodic/tasks/1", EPISODE);
  await sys.write("/mem/shared/docs/port", "# Ports\n\nThe shop listens on a port.");
  await sys.write("/mem/shared/other/port", "The port of the shop again.");
  return null;
};

type Query = [path: string, query: string, options?: { also?: string[]; label?: "untrusted" }];

const search = async (sys: Sys, input: Json): Promise<Json> => {
  const searching = sys.search(...(input as unknown as Query));
  const code = await codeOf(searching);
  if (code !== "ok") return code;
  const found = await searching;
  return found.map(({ path, kind, why }) => ({ path, kind, whys: why!.length })) as Json;
};

const ALL: Query = ["/mem/semantic", "port of the shop", { also: PARTS.slice(1) }];
const grantsOf = (...patterns: string[]) => patterns.map((one) => `memory:${one}:search`);

describe.each(stores)("a search of several parts on $name", ({ newStore }) => {
  const boot = async (label?: object) => {
    const kernel = await bootKernel({
      store: (await newStore()) ?? "memory",
      programs: { write },
    });
    const agent = { agent: "write", capabilities: ["memory:/mem/**:write"] };
    await kernel.wait(await kernel.spawn({ ...agent, input: null, ...label } as never));
    const ask = async (query: Query, capabilities: string[]) => {
      const input = query as unknown as Json;
      const pid = await kernel.spawn({ agent: "write", capabilities, input });
      return (await kernel.wait(pid)).output as { path: string; kind: string; whys: number }[];
    };
    return { kernel, ask };
  };

  test("MEMORY-SEARCH-5: finds facts, episodes and passages together, each with its kind and why", async () => {
    const { kernel, ask } = await boot();

    const found = await ask(ALL, grantsOf(...PARTS.map((part) => `${part}/**`)));

    expect(Object.fromEntries(found.map(({ path, kind }) => [path, kind]))).toEqual({
      "/mem/semantic/facts/port/1": "fact",
      "/mem/semantic/secret/port": "document",
      "/mem/episodic/tasks/1": "episode",
      "/mem/shared/docs/port": "document",
      "/mem/shared/other/port": "document",
    });
    expect(found.every(({ whys }) => whys > 0)).toBe(true);
    await kernel.close();
  });

  test("each part takes its own grant, and shows what that grant covers", async () => {
    const { kernel, ask } = await boot();

    const narrow = await ask(ALL, [
      ...grantsOf("/mem/semantic/**", "/mem/episodic/**"),
      ...grantsOf("/mem/shared", "/mem/shared/docs/**"),
    ]);
    const without = await ask(ALL, grantsOf("/mem/semantic/**", "/mem/episodic/**"));

    expect(narrow.map(({ path }) => path)).not.toContain("/mem/shared/other/port");
    expect(narrow.map(({ path }) => path)).toContain("/mem/shared/docs/port");
    expect(without).toBe("EACCES");
    await kernel.close();
  });

  test("facts in quarantine stay there, in whatever order the parts are named", async () => {
    const { kernel, ask } = await boot({ label: { integrity: "untrusted", secrecy: "public" } });
    const grants = grantsOf(...PARTS.map((part) => `${part}/**`));
    const [, words] = ALL;
    const factsIn = async (query: Query) =>
      (await ask(query, grants)).filter(({ path }) => path.startsWith("/mem/semantic"));

    expect(await factsIn(ALL)).toEqual([]);
    expect(await factsIn(["/mem/shared", words, { also: ["/mem/semantic"] }])).toEqual([]);
    expect(await factsIn([ALL[0], words, { ...ALL[2], label: "untrusted" }])).toHaveLength(2);
    await kernel.close();
  });

  test.each([
    [["/mem/semantic/people"], "EINVAL"],
    [["/work"], "ENOENT"],
    [["/self"], "ENOENT"],
    [["/mem/shared/../semantic"], "EINVAL"],
  ])("%j beside /mem/semantic is %s", async (also, code) => {
    const { kernel, ask } = await boot();

    expect(await ask(["/mem/semantic", "port", { also }], ["memory:/**:search"])).toBe(code);
    await kernel.close();
  });
});
