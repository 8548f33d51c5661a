// A ceiling that is changed while work runs below it, what is stored of it, and who may store it.

import { DatabaseSync } from "node:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bootKernel, type KernelOptions } from "@aos/kernel";
import type { Json, Sys, Tool } from "@aos/protocol";
import { expect, onTestFinished, test } from "vitest";
import { codeOf, until } from "../../helpers/kernel.ts";

const NARROW = { ceiling: ["message:*:receive"] };
const ALL = ["tool:*:call", "message:*:receive"];
const KEY = Buffer.alloc(32, "k").toString("base64");

const tool = (name: string): Tool => ({
  name,
  version: "1",
  description: "a fake",
  effect: "read",
  input: {},
  touches: () => [],
  run: async (args, { signal }) => {
    if ((args as { hang?: boolean }).hang !== true) return "done";
    return new Promise((_, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason)),
    );
  },
});

const programs = {
  waits: async (sys: Sys) => {
    await sys.receive();
    return codeOf(sys.exec("look", {}));
  },
  hangs: async (sys: Sys) => codeOf(sys.exec("look", { hang: true })),
} as never;

function folderFor(): string {
  const folder = mkdtempSync(join(tmpdir(), "aos-ceiling-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  return folder;
}

const boot = (folder: string, more: KernelOptions = {}) =>
  bootKernel({
    store: { file: join(folder, "aos.db") },
    programs,
    tools: [tool("look")],
    secretKey: KEY,
    onTrouble: () => {},
    ...more,
  });
type Kernel = Awaited<ReturnType<typeof boot>>;

const start = (kernel: Kernel, agent: string, tenant = "acme") =>
  kernel.spawn({ agent, capabilities: ALL, tenant });
const outputOf = async (kernel: Kernel, pid: string): Promise<Json> =>
  (await kernel.wait(pid)).output;

test("TENANT-REGISTRY-4: the next call of what runs is judged by the new ceiling, up and down", async () => {
  const kernel = await boot(folderFor());
  await kernel.addTenant("acme", { allow: ["tool:look:call"] }, "op");
  const [one, two] = [await start(kernel, "waits"), await start(kernel, "waits")];

  await kernel.setTenant("acme", NARROW, "op");
  await kernel.send(one, "go");
  expect(await outputOf(kernel, one)).toBe("EACCES");
  await kernel.setTenant("acme", { allow: ["tool:look:call"] }, "op");
  await kernel.send(two, "go");
  expect(await outputOf(kernel, two)).toBe("ok");

  await kernel.close();
});

test("TENANT-REGISTRY-4: a running call that it no longer covers is stopped when set() returns", async () => {
  const kernel = await boot(folderFor());
  await kernel.addTenant("acme", { allow: ["tool:look:call"] }, "op");
  const pid = await start(kernel, "hangs");
  await until(async () => (await kernel.show(pid)).waitingOn === "tool", "the tool runs");

  const kept = await kernel.setTenant("acme", { allow: ["model:x/y:infer"] }, "op");
  const { stopped } = await kernel.setTenant("acme", NARROW, "op");

  expect([kept.stopped, stopped]).toEqual([0, 1]);
  expect(await outputOf(kernel, pid)).toBe("EACCES");
  await kernel.close();
});

test("the operator's own tenant gets a ceiling when it is set, also for what runs, and loses it again", async () => {
  const kernel = await boot(folderFor());
  const [one, two] = [
    await start(kernel, "waits", "default"),
    await start(kernel, "waits", "default"),
  ];

  await kernel.setTenant("default", NARROW, "op");
  await kernel.send(one, "go");
  expect(await outputOf(kernel, one)).toBe("EACCES");
  await kernel.setTenant("default", { ceiling: "default" }, "op");
  await kernel.send(two, "go");
  expect(await outputOf(kernel, two)).toBe("ok");

  await kernel.close();
});

test("TENANT-REGISTRY-3: a ceiling that somebody wrote into the database counts for nothing, and it is said", async () => {
  const folder = folderFor();
  const first = await boot(folder);
  await first.addTenant("acme", { allow: ["tool:look:call"] }, "op");
  await first.close();
  const db = new DatabaseSync(join(folder, "aos.db"));
  const said = JSON.stringify({ ceiling: "none" });
  db.prepare("update tenant set ceiling = ? where name = 'acme'").run(JSON.stringify({ said }));
  db.close();

  const troubles: string[] = [];
  const kernel = await boot(folder, { onTrouble: (what) => void troubles.push(what) });

  expect(troubles).toEqual(["tenant acme is blocked"]);
  const pid = await start(kernel, "hangs");
  expect(await outputOf(kernel, pid)).toBe("EACCES");
  const [, acme] = await kernel.tenants();
  expect(acme!.ceiling).toMatchObject({
    capabilities: [],
    problem: expect.stringContaining("not written"),
  });
  await kernel.setTenant("acme", { allow: ["tool:look:call"] }, "op");
  expect((await kernel.tenants())[1]!.ceiling.problem).toBeNull();
  await kernel.close();
});

test("what config.yaml says counts before what is stored, and is changed there only", async () => {
  const folder = folderFor();
  const first = await boot(folder);
  await first.addTenant("acme", { ceiling: "none" }, "op");
  await first.close();

  const kernel = await boot(folder, { tenants: { acme: NARROW } });

  expect((await kernel.tenants())[1]!.ceiling).toEqual({
    source: "config",
    capabilities: ["message:*:receive"],
    problem: null,
  });
  await expect(kernel.setTenant("acme", { ceiling: "none" }, "op")).rejects.toMatchObject({
    code: "ESTATE",
  });
  await expect(kernel.configureTenants({ "../x": {} })).rejects.toMatchObject({ code: "EINVAL" });
  await kernel.configureTenants({});
  expect((await kernel.tenants())[1]!.ceiling).toMatchObject({
    source: "operator",
    capabilities: null,
  });
  await kernel.close();
});

test("who sets a ceiling is in the ledger", async () => {
  const kernel = await boot(folderFor());
  await kernel.addTenant("acme", {}, "op");
  await kernel.setTenant("acme", NARROW, "ann");

  const entries = (await kernel.ledger()).filter(({ what }) => what.startsWith("tenant."));
  expect(entries).toMatchObject([
    { what: "tenant.add", by: "op", detail: { tenant: "acme" } },
    { what: "tenant.set", by: "ann", detail: { tenant: "acme", ceiling: ["message:*:receive"] } },
  ]);
  await kernel.close();
});
