// Facts: what replaces what, and what contradicts what, as a search on a real kernel shows it.

import {
  factFile,
  type Found,
  type GivenFact,
  type Json,
  type Sys,
  type Tool,
} from "@aos/protocol";
import { expect, test } from "vitest";
import { bootForTest } from "../../helpers/kernel.ts";

const MEMORY = ["memory:/mem/**:*", "tool:page:call"];

/** Its results are untrusted. */
const page: Tool = {
  name: "page",
  version: "1",
  description: "gives a page",
  input: {},
  effect: "read",
  touches: () => [],
  run: async () => "words of others",
};

interface Step {
  readonly fact?: Omit<GivenFact, "source">;
  readonly remove?: string;
  /** Reads something untrusted first. */
  readonly red?: boolean;
}

interface Task {
  readonly steps?: readonly Step[];
  readonly query?: string;
  readonly options?: object;
}

async function keeper(sys: Sys, input: Json): Promise<Json> {
  const { steps = [], query = "which port does the gateway use", options } = input as Task;
  for (const { fact, remove, red } of steps) {
    if (red === true) await sys.exec("page", {});
    if (remove !== undefined) await sys.remove(remove);
    if (fact === undefined) continue;
    const { path, data } = factFile({ ...fact, source: "test" });
    await sys.write(path, data as unknown as Json);
  }
  const found = await sys.search("/mem/semantic", query, options);
  const { label } = await sys.self();
  return { found, label } as unknown as Json;
}

type Kernel = Awaited<ReturnType<typeof bootForTest>>["kernel"];

async function run(kernel: Kernel, task: Task, capabilities = MEMORY) {
  const pid = await kernel.spawn({ agent: "keeper", input: task as Json, capabilities });
  const { output, error } = await kernel.wait(pid);
  expect(error).toBeNull();
  return output as unknown as { readonly found: Found[]; readonly label: string };
}

const textsOf = (found: readonly Found[]) =>
  found.map(({ data }) => (data as { text: string }).text);
const referenceOf = (path: string) => path.split("/").slice(-2).join("/");

const OLD = { text: "The gateway listens on port 80", subject: "gateway port" };
const NEW = { text: "The gateway listens on port 9443", subject: "gateway port" };
const OLD_PATH = factFile({ ...OLD, source: "test" }).path;
const NEW_PATH = factFile({ ...NEW, source: "test" }).path;
const replacing = { ...NEW, replaces: referenceOf(OLD_PATH) };

test("a replaced fact is found only when it is asked for, and says by which it was replaced", async () => {
  const { kernel, again } = await bootForTest({ programs: { keeper }, tools: [page] });

  const { found } = await run(kernel, { steps: [{ fact: OLD }, { fact: replacing }] });
  const all = await run(kernel, { options: { replaced: true } });

  expect(textsOf(found)).toEqual([NEW.text]);
  expect(found[0]!.contradicts).toBeUndefined();
  expect(new Map(all.found.map(({ path, replacedBy }) => [path, replacedBy]))).toEqual(
    new Map([
      [NEW_PATH, undefined],
      [OLD_PATH, NEW_PATH],
    ]),
  );

  const later = await again();
  expect(textsOf((await run(later.kernel, {})).found)).toEqual([NEW.text]);
});

test("the chain goes on: only the last is found, and removing it brings the one before back", async () => {
  const { kernel } = await bootForTest({ programs: { keeper }, tools: [page] });
  const last = {
    text: "The gateway listens on port 7",
    subject: "gateway port",
    replaces: referenceOf(NEW_PATH),
  };

  const chain = await run(kernel, {
    steps: [{ fact: OLD }, { fact: replacing }, { fact: last }],
  });
  const { path } = factFile({ ...last, source: "test" });
  const shorter = await run(kernel, { steps: [{ remove: path }] });

  expect(textsOf(chain.found)).toEqual([last.text]);
  expect(textsOf(shorter.found)).toEqual([NEW.text]);
});

test("FACT-RELATIONS-2: facts that contradict each other are found side by side, whatever their words", async () => {
  const { kernel } = await bootForTest({ programs: { keeper }, tools: [page] });
  const other = { text: "It is 9443 since Monday", subject: "Gateway port" };

  const { found } = await run(kernel, {
    steps: [{ fact: OLD }, { fact: other }, { fact: { text: "The gateway is blue" } }],
    query: "gateway listens",
    options: { limit: 2 },
  });

  expect(textsOf(found)).toEqual([OLD.text, other.text]);
  expect(found.map(({ contradicts }) => contradicts)).toEqual([[found[1]!.path], [found[0]!.path]]);
});

test("FACT-RELATIONS-1: untrusted data cannot hide a trusted fact; it is shown beside it, as what it is", async () => {
  const { kernel } = await bootForTest({ programs: { keeper }, tools: [page] });

  await run(kernel, { steps: [{ fact: OLD }] });
  await run(kernel, { steps: [{ red: true, fact: replacing }] });
  const { found, label } = await run(kernel, { options: { label: "untrusted" } });
  const trusted = await run(kernel, {});

  expect(textsOf(found).toSorted()).toEqual([OLD.text, NEW.text].toSorted());
  expect(found.find(({ path }) => path === NEW_PATH)!.label).toBe("untrusted/public");
  expect(label).toBe("untrusted/public");
  expect(textsOf(trusted.found)).toEqual([OLD.text]);
  expect(trusted.label).toBe("trusted/public");
  expect(trusted.found[0]!.contradicts).toBeUndefined();
});

test("a fact that is only named has its label in the answer, too", async () => {
  const { kernel } = await bootForTest({ programs: { keeper }, tools: [page] });
  const rival = { text: "Mallory says 7", subject: "gateway port" };

  await run(kernel, { steps: [{ fact: OLD }] });
  await run(kernel, { steps: [{ red: true, fact: rival }] });
  const options = { limit: 1, label: "untrusted" };
  const { found, label } = await run(kernel, { query: "what listens", options });

  expect(textsOf(found)).toEqual([OLD.text]);
  expect(found[0]!.contradicts).toHaveLength(1);
  expect(label).toBe("untrusted/public");
});

test("FACT-RELATIONS-3: what may not be seen replaces and contradicts nothing", async () => {
  const { kernel } = await bootForTest({ programs: { keeper }, tools: [page] });
  const seesOld = [`memory:${OLD_PATH}:search`, "memory:/mem/semantic:search"];

  await run(kernel, { steps: [{ fact: OLD }, { fact: replacing }] });
  const { found } = await run(kernel, {}, seesOld);

  expect(textsOf(found)).toEqual([OLD.text]);
  expect(found[0]!).not.toHaveProperty("contradicts");
  expect(found[0]!).not.toHaveProperty("replacedBy");
});

test("two facts that name each other do not both vanish", async () => {
  const { kernel } = await bootForTest({ programs: { keeper }, tools: [page] });
  const back = { ...OLD, replaces: referenceOf(NEW_PATH) };

  const { found } = await run(kernel, { steps: [{ fact: replacing }, { fact: back }] });

  expect(textsOf(found)).toContain(OLD.text);
});

test("a flood of contradictions leaves room for other facts", async () => {
  const { kernel } = await bootForTest({ programs: { keeper }, tools: [page] });
  const flood = Array.from({ length: 30 }, (_, n) => ({
    fact: { text: `Nonsense ${n}`, subject: "gateway port" },
  }));

  const { found } = await run(kernel, {
    steps: [{ fact: OLD }, { fact: { text: "The gateway runs on node seven" } }, ...flood],
    query: "what listens, what runs",
    options: { limit: 8 },
  });

  expect(textsOf(found)).toContain("The gateway runs on node seven");
  expect(found[0]!.contradicts!.length).toBe(5);
});
