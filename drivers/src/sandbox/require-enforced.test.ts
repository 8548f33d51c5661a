// A tenant below a ceiling runs nothing where the sandbox does not hold files and network.

import type { DeviceContext, ProgramStart } from "@aos/protocol";
import { expect, test } from "vitest";
import { startConfined } from "../programs/confine.ts";
import { runInSandbox, type ProgramRunner } from "../tools/program-runner.ts";
import { requireEnforced } from "./require-enforced.ts";
import type { Sandbox } from "./sandbox.ts";

const sandboxOf = (level: string, more: object = {}): Sandbox => {
  const holds = { fs: "enforced", net: "enforced", pids: "absent", mem: "absent", ...more };
  return { report: { level, driver: "fake", holds, warnings: [] } } as unknown as Sandbox;
};
const LACKING = [
  sandboxOf("none"),
  sandboxOf("process", { fs: "absent" }),
  sandboxOf("process", { net: "advisory" }),
];
const refused = { code: "EACCES", message: expect.stringContaining("tenant acme has a ceiling") };

/** Whatever is touched after the demand is a failure of another kind. */
const nothing = new Proxy({}, { get: (_, name) => () => Promise.reject(new Error(String(name))) });

test("what holds files and network is enough; what lacks one of them is not", () => {
  requireEnforced(sandboxOf("process"), "acme");

  for (const sandbox of LACKING)
    expect(() => requireEnforced(sandbox, "acme")).toThrow(expect.objectContaining(refused));
});

test("PROGRAM-RUNNER-8: a tool runs no program for such a tenant without it", async () => {
  for (const sandbox of LACKING) {
    const runner = {
      sandbox: async () => sandbox,
      workspaces: nothing,
    } as unknown as ProgramRunner;
    const context = { hasCeiling: true, tenant: "acme" } as unknown as DeviceContext;
    const running = runInSandbox(runner, context, { command: ["true"], name: "true" });
    await expect(running).rejects.toMatchObject(refused);
  }
});

test("CONFINE-3: no foreign program of such a tenant is started without it", async () => {
  for (const sandbox of LACKING) {
    const confinement = { tenant: "acme", mayRead: () => true };
    const start = { pid: "agt_1", command: ["true"], confinement } as unknown as ProgramStart;
    const around = { sandbox: async () => sandbox, places: nothing, env: {} };
    await expect(startConfined(start, around as never)).rejects.toMatchObject(refused);
  }
});
