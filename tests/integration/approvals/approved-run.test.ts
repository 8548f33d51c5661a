// What an approved call does: a program in the sandbox reaches the hosts and uses the secret that were shown;
// a file is written with the folders that it needs; a script that changed after the yes does not run.

import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKernel, type CreateKernelOptions } from "@aos/daemon";
import type { Kernel } from "@aos/kernel";
import type { Json, Program } from "@aos/protocol";
import { expect, onTestFinished, test } from "vitest";
import { createInspector } from "@aos/drivers";
import { until } from "../../helpers/kernel.ts";
import { policyOf } from "./asking.ts";

const RED = { integrity: "untrusted", secrecy: "public" } as const;

async function boot(options: CreateKernelOptions): Promise<Kernel> {
  const kernel = await createKernel(options);
  onTestFinished(() => kernel.close());
  return kernel;
}

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "aos-approved-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** Says what each call came to. */
const caller: Program = async (sys, input) => {
  const said: Json[] = [];
  for (const [tool, args] of input as [string, Json][])
    said.push(
      await sys.exec(tool, args).catch((error: Error & { code?: string }) => ({
        failed: `${error.code}: ${error.message}`,
      })),
    );
  return said;
};

async function yes(kernel: Kernel) {
  await until(async () => (await kernel.questions()).length === 1, "a question");
  const [question] = await kernel.questions();
  await kernel.answer(question!.id, { by: "ann", choice: "approve" });
  return question!;
}

async function site() {
  const got: string[] = [];
  const server = createServer((request, response) => {
    got.push(`${request.method} ${request.url} ${request.headers.authorization ?? ""}`.trim());
    response.end("hello");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, got };
}

const curl = (...words: string[]): Json => ({
  command: ["curl", "-sS", "-o", "/dev/stdout", "-w", "%{http_code}", ...words],
  network: true,
});

test("a program with network reaches what was shown, sees its files and uses the secret that it names", async () => {
  const [open, closed] = [await site(), await site()];
  const kernel = await boot({ programs: { caller } });
  const origin = `http://${open.host}`;
  const bindings = [{ kind: "header", origin, header: "authorization" }];
  await kernel.setSecret({ name: "KEY", value: "hunter2-hunter2", bindings } as never, "ann");
  const pid = await kernel.spawn({
    agent: "caller",
    label: RED,
    workspace: { folder: folderWith({ "a.txt": "mine" }), isCow: false },
    capabilities: [
      "tool:shell.execute:call",
      "shell:*:exec",
      "file:/work/**:read,write",
      `http:${open.host}/**:get`,
      "secret:KEY:use",
    ],
    input: [
      [
        "shell.execute",
        {
          command: `cat a.txt; for i in 1 2; do curl -sS -H "Authorization: $KEY" ${origin}/$i; done; curl -sS http://${closed.host}/`,
          network: true,
          secrets: ["KEY"],
        },
      ],
      ["shell.execute", curl(`${origin}/again`)],
    ],
  });

  const question = await yes(kernel);
  const second = await yes(kernel);
  const [first, again] = (await kernel.wait(pid)).output as { stdout: string }[];

  expect(question.about!.runs!.reach).toEqual([`http:${open.host}/**:get`]);
  expect(question.about!.touches).toContain("secret:KEY:use");
  expect(first!.stdout).toContain("minehellohello");
  expect(first!.stdout).toContain(`\`caller\` may not GET ${closed.host}/: `);
  expect(open.got).toEqual(["GET /1 hunter2-hunter2", "GET /2 hunter2-hunter2", "GET /again"]);
  expect(closed.got).toEqual([]);
  expect(second.id).not.toBe(question.id);
  expect(again!.stdout).toContain("200");
});

test("a secret that is not held is refused by that name, before anybody is asked", async () => {
  const kernel = await boot({ programs: { caller } });
  const pid = await kernel.spawn({
    agent: "caller",
    label: RED,
    capabilities: ["tool:shell.execute:call", "shell:*:exec"],
    input: [["shell.execute", { command: ["true"], network: true, secrets: ["KEY"] }]],
  });

  const { output } = await kernel.wait(pid);

  expect(output).toEqual([
    { failed: expect.stringContaining("EACCES: `caller` may not use the secret KEY: ") },
  ]);
});

test("a file is written with the folders that it needs, under a rule that asks about them", async () => {
  const policy = policyOf({ id: "dir", ask: "file:/work/dir/**:write" });
  const kernel = await boot({ programs: { caller }, policy });
  const pid = await kernel.spawn({
    agent: "caller",
    capabilities: ["tool:file.*:call", "file:/work/**:read,write"],
    input: [
      ["file.write", { path: "/work/dir/a/b/c.txt", text: "hi", make: true }],
      ["file.read", { path: "/work/dir/a/b/c.txt" }],
    ],
  });

  const question = await yes(kernel);

  expect(question.about!.runs!.reach).toEqual([
    "file:/work/dir/a/b:write",
    "file:/work/dir/a:write",
    "file:/work/dir:write",
  ]);
  expect((await kernel.wait(pid)).output).toEqual([
    { bytes: 2 },
    expect.objectContaining({ text: "hi" }),
  ]);
});

test("a script that is swapped after the last look of the gate does not run", async () => {
  const folder = folderWith({ "clean.sh": "echo approved" });
  const inspector = createInspector({ workspaces: undefined as never, private: [] });
  let looks = 0;
  const kernel = await boot({
    programs: { caller },
    policy: policyOf({ id: "sh", ask: "tool:shell.execute" }),
    inspector: {
      inspect: async (call) => {
        const found = await inspector.inspect(call);
        // Before each question, and after each yes.
        if (++looks === 4) writeFileSync(join(folder, "clean.sh"), "echo swapped");
        return found;
      },
    },
  });
  const pid = await kernel.spawn({
    agent: "caller",
    workspace: { folder, isCow: false },
    capabilities: ["tool:shell.execute:call", "shell:*:exec", "file:/work/**:read,write"],
    input: [
      ["shell.execute", { command: "sh clean.sh" }],
      ["shell.execute", { command: "sh clean.sh" }],
    ],
  });

  await yes(kernel);
  await yes(kernel);
  const [first, second] = (await kernel.wait(pid)).output as { stdout?: string; failed?: string }[];

  expect(first!.stdout).toBe("approved\n");
  expect(second!.failed ?? second!.stdout).toBe(
    "EPOLICY: /work/clean.sh has changed since it was approved",
  );
});
