import { expect, test } from "vitest";
import type { Sandbox } from "../sandbox/index.ts";
import { startToolHost } from "./start-host.ts";

test.each([
  ["enforced", 512],
  ["advisory", 1024],
  ["absent", 1024],
] as const)("START-HOST-2: where memory is %s, a host gets %i MiB", async (mem, mib) => {
  const limits: unknown[] = [];
  const sandbox = {
    report: { holds: { mem } },
    start: async (program: { limits: unknown }) => {
      limits.push(program.limits);
      throw new Error("it was asked");
    },
  } as unknown as Sandbox;
  const project = { tools: "/p/.agents/tools", folder: "/p" } as never;
  const modules = { files: [], main: "", folder: "/p" } as never;

  await expect(startToolHost(sandbox, project, modules, {} as never)).rejects.toThrow("asked");

  expect(limits).toMatchObject([{ memoryBytes: mib * 2 ** 20 }]);
});
