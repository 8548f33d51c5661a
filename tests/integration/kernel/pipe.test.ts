// Typed pipes: what passes from one stage to the next is checked by the kernel.

import { programs as shipped } from "@aos/userland";
import { describe, expect, test } from "vitest";
import type { Json, Manifest, ManifestText, Sys } from "@aos/protocol";
import { bootForTest, codeOf, until } from "../../helpers/kernel.ts";

const result = {
  type: "object",
  required: ["n"],
  properties: { n: { type: "integer" } },
  additionalProperties: false,
};

const programs = {
  pipe: shipped["pipe"]!.run,
  count: async (_sys: Sys, input: Json) => ({ n: (input as string).length }),
  words: async (_sys: Sys, input: Json) => `some words: ${input as string}`,
  double: async (_sys: Sys, input: Json) => ((input as { n: number } | null)?.n ?? 0) * 2,
  fails: async (sys: Sys) => sys.exit(7, "left behind", "no luck"),
};

const capabilities = ["agent:*:spawn"];

const pipeOf = (stages: NonNullable<ManifestText["stages"]>, more: Partial<ManifestText> = {}) =>
  ({ apiVersion: "aos/v1", kind: "Pipe", name: "p", capabilities, stages, ...more }) as Manifest;

async function runPipe(
  stages: NonNullable<ManifestText["stages"]>,
  more: Partial<ManifestText> = {},
) {
  const { kernel } = await bootForTest({ programs });
  const pid = await kernel.spawn({ manifest: pipeOf(stages, more), input: "four" });
  return { kernel, pid, ending: await kernel.wait(pid) };
}

describe("a pipe", () => {
  test("gives each stage the value of the one before, when it fits (PIPE-1)", async () => {
    const { ending } = await runPipe([
      { agent: "count" },
      { check: { schema: result } },
      { agent: "double" },
    ]);

    expect(ending).toMatchObject({ state: "completed", output: 8 });
  });

  test("stops at a value that does not fit: the next stage is never started", async () => {
    const { kernel, ending } = await runPipe([
      { agent: "words" },
      { check: { schema: result } },
      { agent: "double" },
    ]);

    expect(ending).toMatchObject({ state: "failed", output: null, error: { code: "EINVAL" } });
    expect(ending.error!.message).toContain("the result is not of type object");
    expect((await kernel.list()).map(({ agent }) => agent)).not.toContain("double");
  });

  test("ends with the exit code of the stage that failed, or goes on without pipefail (PIPE-2)", async () => {
    const stages = [{ agent: "fails" }, { agent: "double" }];

    const strict = (await runPipe(stages)).ending;
    const lax = (await runPipe(stages, { pipefail: false })).ending;
    const last = (await runPipe([{ agent: "count" }, { agent: "fails" }], { pipefail: false }))
      .ending;

    expect(strict).toMatchObject({ state: "failed", exitCode: 7, output: null });
    expect(strict.error!.message).toMatch(/^stage fails \(agt_\w+\) failed/);
    expect(lax).toMatchObject({ state: "completed", output: 0 });
    expect(last).toMatchObject({ state: "failed", exitCode: 7 });
  });

  test("goes on where it was when its host is killed", async () => {
    const { kernel, crash } = await bootForTest({
      programs: {
        ...programs,
        waits: async (sys: Sys, input: Json) => {
          await sys.receive();
          return { n: (input as { n: number }).n + 1 };
        },
      },
    });
    const waits = [{ agent: "count" }, { agent: "waits" }, { check: { schema: result } }];
    const manifest = pipeOf([...waits, { agent: "double" }]);
    const pid = await kernel.spawn({ manifest, input: "four" });
    await until(async () => (await kernel.list()).length === 3, "second stage");

    const { kernel: next } = await crash();
    await next.send((await next.list()).find(({ agent }) => agent === "waits")!.pid, "go on");

    expect((await next.wait(pid)).output).toBe(10);
    expect((await next.list()).filter(({ agent }) => agent === "count")).toHaveLength(1);
  });
});

describe("the check of an edge", () => {
  const untrusted = { integrity: "untrusted", secrecy: "public" } as const;

  const runUntrusted = async (check: object, agent = "count") => {
    const { kernel } = await bootForTest({ programs });
    const stages = [{ agent, capabilities: [] }, { check }, { agent: "double" }] as never;
    const manifest = pipeOf(stages);
    const pid = await kernel.spawn({ manifest, input: "four", label: untrusted });
    return { ending: await kernel.wait(pid), labels: (await kernel.show(pid)).labels };
  };

  test("holds back what carries more than its label", async () => {
    const { ending } = await runUntrusted({ schema: result, label: "mixed/internal" });

    expect(ending.error).toMatchObject({ code: "EPOLICY" });
    expect(ending.output).toBeNull();
  });

  test("lets it pass where the label is wide enough", async () => {
    const { ending } = await runUntrusted({ schema: result, label: "untrusted/internal" });

    expect(ending).toMatchObject({ state: "completed", output: 8 });
  });

  test("endorses only by a schema that can carry no words", async () => {
    const open = { type: "object", properties: { n: { type: "string" } } };

    const { ending } = await runUntrusted({ schema: open, endorse: true });

    expect(ending.error!.message).toContain("it cannot endorse anything");
  });

  test("is read before anybody waits: a schema or a label that is none is refused", async () => {
    const { kernel } = await bootForTest({
      programs: {
        ...programs,
        parent: async (sys) => {
          const pid = await sys.spawn("count", "x");
          return [
            await codeOf(sys.wait(pid, { schema: { pattern: "a" } })),
            await codeOf(sys.wait(pid, { label: "purple" })),
            await codeOf(sys.wait(pid, { schema: result, endorse: result })),
          ];
        },
      },
    });

    const pid = await kernel.spawn({ agent: "parent", capabilities });

    expect((await kernel.wait(pid)).output).toEqual(["EINVAL", "EINVAL", "EINVAL"]);
  });
});

test.each([
  ["no stages", { stages: undefined }],
  ["a check first", { stages: [{ check: { schema: result } }, { agent: "count" }] }],
  [
    "two checks",
    { stages: [{ agent: "count" }, { check: { label: "a" } }, { check: { label: "b" } }] },
  ],
  ["an empty check", { stages: [{ agent: "count" }, { check: {} }] }],
  [
    "a schema that is not checked",
    { stages: [{ agent: "a" }, { check: { schema: { format: "x" } } }] },
  ],
  ["a model of its own", { model: "scripted/x" }],
  ["stages of an agent", { kind: "Agent" }],
])("a pipe with %s is refused", async (_what, more) => {
  const { kernel } = await bootForTest({ programs });

  const spawning = kernel.spawn({ manifest: pipeOf([{ agent: "count" }], more as never) });

  await expect(spawning).rejects.toMatchObject({ code: "EINVAL" });
});
