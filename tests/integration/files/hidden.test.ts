// A mount hides what the machine has at its path: from the name in a call, from what a tool turns out to touch, and
// from what a program would be shown.

import type { Connector, Json, Tool } from "@aos/protocol";
import { expect, test } from "vitest";
import { bootForTest } from "../../helpers/kernel.ts";

const docs: Connector = {
  name: "docs",
  driver: "folder",
  target: "/srv/docs",
  declaredBy: "config.yaml",
  label: { integrity: "untrusted", secrecy: "internal" },
  egress: false,
  touches: () => [],
  list: async () => ({ paths: [], next: null }),
  read: async () => "of the mount",
};

/** Says nothing before it runs, and then asks for the file. */
const prober: Tool = {
  name: "probe",
  version: "1",
  description: "asks the gate",
  input: {},
  effect: "read",
  touches: () => [],
  run: async (_args, context): Promise<Json> => {
    const touch = { kind: "file", resource: "/mnt/docs/a", verb: "read" };
    const permits = context.permits(touch);
    const granted = context.granted("file").map(({ pattern }) => pattern);
    try {
      context.authorize(touch);
      return { permits, granted, authorized: true };
    } catch (error) {
      return { permits, granted, authorized: (error as { code: string }).code };
    }
  },
};

test.each([
  [["docs"], { permits: false, granted: ["/data/**"], authorized: "EACCES" }],
  [[], { permits: true, granted: ["/data/**", "/mnt/docs/**"], authorized: true }],
])("with the mounts %j a tool that has the right to the path gets %j", async (names, got) => {
  const { kernel } = await bootForTest({
    mounts: { mounts: () => new Map(names.map((name) => [name, docs])) },
    tools: [prober],
    programs: { caller: (sys) => sys.exec("probe", {}) },
  });

  const pid = await kernel.spawn({
    agent: "caller",
    capabilities: ["tool:probe:call", "file:/mnt/docs/**:read", "file:/data/**:read"],
  });

  const { output } = await kernel.wait(pid);
  expect({
    ...(output as object),
    granted: (output as { granted: string[] }).granted.toSorted(),
  }).toEqual(got);
});
