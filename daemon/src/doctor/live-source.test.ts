import { bootKernel, DEFAULT_POLICY } from "@aos/kernel";
import { expect, onTestFinished, test } from "vitest";
import { liveSource, sourcesOf } from "./live-source.ts";

const strict = {
  layer: "organisation",
  origin: "security.md",
  format: "security.md" as const,
  document: {
    kernel: { version: "1.0", mode: "strict" },
    signals: ["SIGTERM"],
    policies: [
      { action: "*", effect: "allow" },
      { action: "file_write", effect: "allow", requires_approval: true },
      { action: "send_email", effect: "deny" },
    ],
  },
};
const project = { ...DEFAULT_POLICY, layer: "project:/somewhere" };

async function boot(policy: NonNullable<Parameters<typeof bootKernel>[0]>["policy"]) {
  const kernel = await bootKernel({ policy: policy! });
  onTestFinished(() => kernel.close());
  return kernel;
}

test("a range is under the same policy as the kernel, whatever it was written as", async () => {
  const kernel = await boot([DEFAULT_POLICY, strict]);
  const report = await kernel.policy();

  const again = await boot(sourcesOf(report));

  expect((await again.policy()).layers).toEqual(report.layers);
});

test("what binds only a project is left out", async () => {
  const kernel = await boot([DEFAULT_POLICY, project]);

  const { policy } = await liveSource(kernel, {});

  expect(policy.map(({ layer }) => layer)).toEqual(["kernel"]);
});

test("what was loaded since counts, and so do limits and channels", async () => {
  const kernel = await boot([DEFAULT_POLICY]);
  const rules = [{ id: "everything", allow: "*" }];
  const lax = { ...DEFAULT_POLICY, layer: "lax", document: { version: 1, rules } };
  await kernel.loadPolicy([lax], "rita");
  const approvals = { channels: { finance: { people: ["ann"] } } };

  const source = await liveSource(kernel, { limits: { spawnDepth: 2 }, approvals });

  expect(source.policy.map(({ layer }) => layer)).toEqual(["lax"]);
  expect(source).toMatchObject({ limits: { spawnDepth: 2 }, approvals });
});
