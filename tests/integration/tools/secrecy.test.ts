// Secrecy follows data through programs: what a run can see is joined into what it gives, writes and sends.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Json } from "@aos/protocol";
import type { Kernel } from "@aos/kernel";
import { createKernel } from "@aos/daemon";

let kernel: Kernel;
let top: string;
let project: string;

beforeAll(async () => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "aos-secrecy-")));
  kernel = await createKernel({
    policy: [
      {
        layer: "test",
        origin: "test",
        format: "policy",
        document: {
          version: 1,
          rules: [{ id: "rest", allow: "*" }],
          labels: [{ of: "file:/work/secret/**", label: "trusted/secret" }],
        },
      },
    ],
  });
});
afterAll(async () => {
  await kernel.close();
  rmSync(top, { recursive: true });
});
beforeEach(() => {
  project = mkdtempSync(join(top, "project-"));
  mkdirSync(join(project, "secret"));
  writeFileSync(join(project, "secret", "plan.txt"), "the plan\n");
  writeFileSync(join(project, "open.txt"), "open\n");
  writeFileSync(join(project, "other.txt"), "other\n");
});

const ODD = Buffer.from([0xff]);

/** One tool call by a process of its own in the project; how secret the process is afterwards. */
async function call(tool: string, args: Json, isCow = false) {
  const pid = await kernel.spawn({
    manifest: {
      apiVersion: "aos/v1",
      kind: "Agent",
      name: "worker",
      program: "call",
      tools: [tool],
      capabilities: [`tool:${tool}:call`, "shell:*:exec", "file:/work/**:*", "memory:/mem/**:*"],
    },
    input: { tool, args },
    workspace: { folder: project, isCow },
  });
  const { output, error } = await kernel.wait(pid);
  expect(error).toBeNull();
  const { labels } = await kernel.show(pid);
  const said = output as { stdout: string; masked?: string[] };
  return { pid, output: said, secrecy: labels.secrecy };
}

const shell = (command: string, more: object = {}, isCow = false) =>
  call("shell.execute", { command, ...more }, isCow);
const secrecyOf = async (name: string) =>
  (await call("file.read", { path: `/work/${name}` })).secrecy;

test.each([false, true])("what a run could see is in its result (cow: %s)", async (isCow) => {
  const { output, secrecy } = await shell("cat /work/secret/plan.txt", {}, isCow);

  expect(output.stdout).toBe("the plan\n");
  expect(secrecy).toBe("secret");
});

test("a run with network is not shown what may not leave, and is told so", async () => {
  const { output, secrecy } = await shell("cat secret/plan.txt open.txt", { network: true });

  expect(output.stdout).toBe("open\n");
  expect(output.masked).toEqual(["/work/secret/plan.txt"]);
  expect(secrecy).toBe("public");
});

test("a name that is not text is no way around: masked online, joined and marked offline", async () => {
  const odd = (text: string) => Buffer.concat([Buffer.from(`${project}/${text}`), ODD]);
  writeFileSync(odd("secret/"), "odd plan");
  mkdirSync(odd("secret/folder"));
  writeFileSync(Buffer.concat([odd("secret/folder"), Buffer.from("/in")]), "in a folder");

  const { output } = await shell("cat secret/* secret/*/* open.txt 2>/dev/null; true", {
    network: true,
  });
  expect(output.stdout).toBe("open\n");
  rmSync(join(project, "secret", "plan.txt"));
  expect((await shell("ls")).secrecy).toBe("secret");
  await shell("cat secret/folder*/in > $(printf 'new\\377')");
  expect((await shell("cat new*", { network: true })).output.stdout).toBe("");
});

test("what a run copied, moved or linked is as secret as what it could see; the rest is not", async () => {
  await shell("cp secret/plan.txt copy.txt; mv secret/plan.txt moved.txt; ln open.txt link.txt");

  expect(await secrecyOf("copy.txt")).toBe("secret");
  expect(await secrecyOf("moved.txt")).toBe("secret");
  expect(await secrecyOf("other.txt")).toBe("public");
  const { output } = await shell("cat copy.txt link.txt moved.txt", { network: true });
  expect(output.stdout).toBe("");
});

test("what a run that was ended at its limit wrote is marked too", async () => {
  await shell("cat secret/plan.txt > late.txt; sleep 60", { timeoutMs: 1500 });

  expect(await secrecyOf("late.txt")).toBe("secret");
});

test("file.move carries the label along", async () => {
  await call("file.move", { from: "/work/secret/plan.txt", to: "/work/public.txt" });

  expect(await secrecyOf("public.txt")).toBe("secret");
});

test("a workspace without labels keeps its runs public", async () => {
  rmSync(join(project, "secret"), { recursive: true });

  expect((await shell("cat open.txt; echo more > new.txt")).secrecy).toBe("public");
  expect(await secrecyOf("new.txt")).toBe("public");
});

test("memory is not there in the sandbox, to be neither read nor written around its labels", async () => {
  const { pid, output } = await shell(
    "ls -d /mem; mkdir -p /mem/shared; echo said > /mem/shared/said; true",
  );

  expect(output.stdout).toBe("");
  const found = await kernel.memory(pid, "/mem/shared");
  expect(JSON.stringify(found)).not.toContain("said");
});
