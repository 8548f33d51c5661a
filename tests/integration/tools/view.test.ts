// What a program that a tool runs can see and write, with a real kernel and a real sandbox.

import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { Kernel } from "@aos/kernel";
import { createKernel } from "@aos/daemon";

let kernel: Kernel;
let top: string;
let project: string;
let homeFolder: string;

beforeAll(async () => {
  homeFolder = realpathSync(mkdtempSync(join(tmpdir(), "aos-home-")));
  writeFileSync(join(homeFolder, "secret.key"), "KEY-OF-THE-DAEMON");
  kernel = await createKernel({ private: [homeFolder] });
});
afterAll(async () => {
  await kernel.close();
  rmSync(homeFolder, { recursive: true });
});
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "aos-view-")));
  project = join(top, "project");
  mkdirSync(join(project, "deep"), { recursive: true });
  writeFileSync(join(project, "a.txt"), "of the project\n");
  writeFileSync(join(project, "deep", ".env"), "KEY=of-the-project\n");
});
afterEach(() => rmSync(top, { recursive: true }));

interface Wish {
  readonly script: string;
  readonly capabilities?: readonly string[];
  readonly isCow?: boolean;
  readonly args?: object;
}

async function run({ script, capabilities = [], isCow, args = {} }: Wish) {
  const pid = await kernel.spawn({
    manifest: {
      apiVersion: "aos/v1",
      kind: "Agent",
      name: "viewer",
      program: "call",
      tools: ["shell.execute"],
      capabilities: ["tool:shell.execute:call", "shell:*:exec", ...capabilities],
    },
    input: { tool: "shell.execute", args: { command: script, ...args } },
    ...(isCow === undefined ? {} : { workspace: { folder: project, isCow } }),
  });
  const { output, error } = await kernel.wait(pid);
  const records = await kernel.journal(pid);
  return { pid, error, records, ...(output as { code: number; stdout: string; stderr: string }) };
}

const WORK = "file:/work/**:read,write";

test("PROGRAM-RUNNER-1: without a grant for files there is no workspace, and no other file", async () => {
  const { stdout } = await run({ script: "ls /work 2>&1; pwd", isCow: false });
  expect(stdout).toContain("No such file");
  expect(stdout).toContain("/tmp");
  expect(stdout).not.toContain("a.txt");
});

test("PROGRAM-RUNNER-1: a grant for a folder that is not there shows nothing, and the rest goes on", async () => {
  const granted = [`file:${top}/nowhere/**:read,write`, `file:${project}/**:read`];
  const { stdout, error } = await run({
    script: `cat ${project}/a.txt; ls ${top}`,
    capabilities: granted,
  });
  expect(error).toBeNull();
  expect(stdout).toBe("of the project\nproject\n");
});

test("PROGRAM-RUNNER-1: what is granted to read cannot be written, and is the machine's own", async () => {
  const read = [`file:${project}/**:read`];
  const { stdout, stderr } = await run({
    script: `cat ${project}/a.txt; echo x > ${project}/a.txt`,
    capabilities: read,
  });
  expect(stdout).toBe("of the project\n");
  expect(stderr).toMatch(/Read-only file system/);
  expect(readFileSync(join(project, "a.txt"), "utf8")).toBe("of the project\n");
});

test("PROGRAM-RUNNER-1: the workspace of a copy is written to, and the project is not", async () => {
  const { stdout } = await run({
    script: "echo new > /work/a.txt; cat /work/a.txt",
    capabilities: [WORK],
    isCow: true,
  });
  expect(stdout).toBe("new\n");
  expect(readFileSync(join(project, "a.txt"), "utf8")).toBe("of the project\n");
});

test.each([false, true])(
  "PROGRAM-RUNNER-2: what the policy keeps from agents is not shown (cow: %s)",
  async (isCow) => {
    const { stdout, stderr } = await run({
      script: "cat /work/deep/.env; ls /work/deep; cat /work/a.txt",
      capabilities: [WORK],
      isCow,
    });
    expect(stdout).not.toContain("of-the-project");
    expect(stdout + stderr).toContain("of the project");
  },
);

test("PROGRAM-RUNNER-2: a forbidden file is not seen in a folder that is granted by its own name", async () => {
  const { stdout } = await run({
    script: `cat ${project}/deep/.env; cat ${project}/a.txt`,
    capabilities: [`file:${project}/**:read`],
  });
  expect(stdout).toBe("of the project\n");
});

test("PROGRAM-RUNNER-2: a socket in a folder that is shown cannot be reached", async () => {
  const server = createServer((socket) => socket.end("HELLO FROM THE SOCKET"));
  await new Promise<void>((resolve) => server.listen(join(project, "s.sock"), resolve));
  const { stdout } = await run({
    script: `perl -MSocket -e 'socket(S,PF_UNIX,SOCK_STREAM,0); connect(S,sockaddr_un("/work/s.sock")) or die "no: $!"; print <S>'`,
    capabilities: [WORK],
    isCow: false,
  });
  server.close();
  expect(stdout).not.toContain("HELLO");
});

test("what the daemon keeps is not shown, nor the whole machine, whatever is granted", async () => {
  const { stdout } = await run({
    script: `cat ${homeFolder}/secret.key /etc/shadow; ls /root /home`,
    capabilities: ["file:/**:read", `file:${homeFolder}/**:read`],
  });
  expect(stdout).not.toContain("KEY-OF-THE-DAEMON");
  expect(stdout).not.toContain("root:");
});

test("PROGRAM-RUNNER-4: what a process has read is on what its programs may have written", async () => {
  const first = await run({
    script: "echo leaked > /work/out.txt",
    capabilities: [WORK],
    isCow: false,
  });
  expect(first.code).toBe(0);
  const secret = await kernel.spawn({
    manifest: {
      apiVersion: "aos/v1",
      kind: "Agent",
      name: "secretive",
      program: "call",
      tools: ["shell.execute"],
      capabilities: ["tool:shell.execute:call", "shell:*:exec", WORK],
    },
    input: { tool: "shell.execute", args: { command: "echo s > /work/s.txt" } },
    label: { integrity: "trusted", secrecy: "confidential" },
    workspace: { folder: project, isCow: false },
  });
  await kernel.wait(secret);
  const reader = await kernel.spawn({
    manifest: {
      apiVersion: "aos/v1",
      kind: "Agent",
      name: "reader",
      program: "call",
      tools: ["file.read"],
      capabilities: ["tool:file.read:call", "file:/work/**:read"],
    },
    input: { tool: "file.read", args: { path: "/work/a.txt" } },
    workspace: { folder: project, isCow: false },
  });
  await kernel.wait(reader);
  expect((await kernel.show(reader)).labels.secrecy).toBe("confidential");
});

test("PROGRAM-RUNNER-5: what says what agents may do is there to read only", async () => {
  mkdirSync(join(project, ".agents"));
  writeFileSync(join(project, ".agents/agent.yaml"), "mine");
  const { stdout, stderr } = await run({
    script: "cat /work/.agents/agent.yaml; echo x > /work/.agents/agent.yaml; echo x > /work/b",
    capabilities: [WORK],
    isCow: false,
  });
  expect(stdout).toBe("mine");
  expect(stderr).toMatch(/Read-only file system/);
  expect(readFileSync(join(project, "b"), "utf8")).toBe("x\n");
});

test("the record says what held the program", async () => {
  const { records } = await run({ script: "true" });
  expect(records).toContainEqual(
    expect.objectContaining({
      heldBy: expect.stringMatching(/^bubblewrap .*: fs, net, .*enforced/),
    }),
  );
});

test("a program that is not there is an error; one that fails is a result; a limit is named", async () => {
  expect((await run({ script: "no-such-program" })).error).toMatchObject({
    code: "ENOENT",
    message: "program not found: no-such-program",
  });
  expect(await run({ script: "false" })).toMatchObject({ code: 1, error: null });
  const forged = "sh -c 'echo x: the program was not found in the sandbox >&2; exit 127'";
  expect(await run({ script: forged })).toMatchObject({ code: 127, error: null });
  const slow = await run({ script: "sleep 60", args: { timeoutMs: 300 } });
  expect(slow).toMatchObject({ limit: expect.stringContaining("300 ms") });
});

test("a grant that is revoked stops the program that stands on it", async () => {
  const pid = await kernel.spawn({
    manifest: {
      apiVersion: "aos/v1",
      kind: "Agent",
      name: "sleeper",
      program: "call",
      tools: ["shell.execute"],
      capabilities: ["tool:shell.execute:call", "shell:*:exec", WORK],
    },
    input: { tool: "shell.execute", args: { command: "echo began > /work/began; sleep 300" } },
    workspace: { folder: project, isCow: false },
  });
  for (;;) {
    try {
      readFileSync(join(project, "began"));
      break;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  await kernel.revoke(`${pid}.0`, "ada");
  const { state, error } = await kernel.wait(pid);
  expect(state).toBe("failed");
  expect(error?.message).toMatch(/revoked/);
});
