import { expect, test } from "vitest";
import { bootForTest } from "../../helpers/kernel.ts";

test("PROCESS-OPERATIONS-1: the manifest of a process is the one that it was started with, after its end too", async () => {
  const { kernel } = await bootForTest({ programs: { echo: async (_sys, input) => input } });
  const manifest = {
    apiVersion: "aos/v1" as const,
    kind: "Agent" as const,
    name: "parrot",
    program: "echo",
    capabilities: ["message:*:receive"],
  };
  const pid = await kernel.spawn({ manifest, input: 1 });
  await kernel.wait(pid);

  const report = await kernel.manifest(pid);

  const { manifestHash } = await kernel.show(pid);
  expect(report).toMatchObject({ pid, hash: manifestHash, manifest });
});

test("PROCESS-OPERATIONS-1: a process that is not there has none", async () => {
  const { kernel } = await bootForTest();

  const asked = kernel.manifest("agt_00000000000000000000000000");

  await expect(asked).rejects.toMatchObject({ code: "ENOENT" });
});
