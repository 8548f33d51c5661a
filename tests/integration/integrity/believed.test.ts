// Somebody writes the database while the kernel is down: answers that nobody gave, grants that say more
// than was given, revocations that are gone. None of it counts, and each is said.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { bootKernel, type Kernel } from "@aos/kernel";
import type { Program, Tool } from "@aos/protocol";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { until } from "../../helpers/kernel.ts";

let folder: string;
let file: string;
let done: string[];
let troubles: string[];

const act: Tool = {
  name: "act",
  version: "1",
  description: "does what it is told",
  input: {},
  effect: "idempotent",
  label: { integrity: "trusted", secrecy: "public" },
  touches: (args) => [{ kind: "file", resource: (args as { path: string }).path, verb: "write" }],
  run: async (args) => {
    done.push((args as { path: string }).path);
    return null;
  },
};

/** Tries a path whenever it is sent one. */
const worker: Program = async (sys) => {
  for (;;) {
    const { body } = await sys.receive();
    if (body === "end") return "ended";
    const { code } = await sys.exec("act", { path: body }).then(
      () => ({ code: "ok" }),
      (error: { code: string }) => error,
    );
    await sys.write("/mem/working/last", `${body as string} ${code}`);
  }
};

const asker: Program = async (sys) => {
  const answer = await sys
    .ask("may I?", { choices: ["approve", "deny"] })
    .catch((error: { code: string }) => error.code);
  return answer;
};

const BASE = ["tool:act:call", "message:*:receive", "memory:/mem/working/**:read,write"];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aos-believed-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  file = join(folder, "aos.db");
  done = [];
  troubles = [];
});

async function boot(): Promise<Kernel> {
  const kernel = await bootKernel({
    store: { file },
    auditFolder: join(folder, "audit"),
    programs: { worker, asker },
    tools: [act],
    unloadAfterMs: 60_000,
    onTrouble: (what) => troubles.push(what),
  });
  onTestFinished(() => kernel.close());
  return kernel;
}

function write(sql: string): void {
  using database = new DatabaseSync(file);
  database.exec(sql);
}

const tried = async (kernel: Kernel, pid: string, path: string): Promise<void> => {
  await kernel.send(pid, path).catch(() => {});
};

async function worked(kernel: Kernel, capabilities: string[] = []): Promise<string> {
  const pid = await kernel.spawn({
    agent: "worker",
    capabilities: [...BASE, ...capabilities],
  });
  await until(async () => (await kernel.show(pid)).waitingOn === "message");
  return pid;
}

const isRefused = async (kernel: Kernel, pid: string) => {
  await until(() => troubles.some((what) => what.includes("not believed")));
  expect(troubles.join("\n")).toContain("the store is not believed");
  expect(await kernel.show(pid)).toMatchObject({ held: expect.stringContaining(pid) });
  await tried(kernel, pid, "/other/x");
  expect(done).not.toContain("/other/x");
};

test("what a process started with cannot be widened in its row", async () => {
  const first = await boot();
  const pid = await worked(first, ["file:/work/**:write"]);
  await first.close();
  write(`update process set spec = replace(spec, 'file:/work/**:write', 'file:/**:write')`);

  await isRefused(await boot(), pid);
});

test("what a process started with cannot be widened in its first record", async () => {
  const first = await boot();
  const pid = await worked(first, ["file:/work/**:write"]);
  await first.close();
  write(`update process set spec = replace(spec, 'file:/work/**:write', 'file:/**:write');
    update journal set record = replace(record, 'file:/work/**:write', 'file:/**:write')`);

  await isRefused(await boot(), pid);
});

test("what a process started with cannot be widened in its manifest, which has its budget and restarts", async () => {
  const first = await boot();
  const pid = await worked(first);
  await first.close();
  write(`update manifest set body = replace(body, '"program":"worker"', '"program":"asker"')`);

  const second = await boot();
  await tried(second, pid, "end");

  await until(() => troubles.some((what) => what.includes("could not be loaded")));
  expect((await second.journal(pid)).map(({ kind }) => kind)).toEqual(["start"]);
  expect((await second.verify()).ok).toBe(false);
});

test("what a process started with cannot be widened in the row that counts its uses", async () => {
  const first = await boot();
  const pid = await worked(first, ["file:/work/**:write{max:5}"]);
  await tried(first, pid, "/work/a");
  await until(() => done.includes("/work/a"));
  await first.close();
  write(`update block set state = replace(state, 'file:/work/**:write', 'file:/**:write')`);

  const second = await boot();
  await tried(second, pid, "/other/x");

  await until(() => troubles.length > 0);
  expect(done).not.toContain("/other/x");
});

test("a grant cannot be widened", async () => {
  const first = await boot();
  const pid = await worked(first);
  await first.grant({ pid }, { by: "ann", capabilities: ["file:/work/**:write"] });
  await tried(first, pid, "/work/a");
  await until(() => done.includes("/work/a"));
  await first.close();

  write(`update holding set blocks = replace(blocks, 'file:/work/**:write', 'file:/**:write')`);
  await isRefused(await boot(), pid);
});

test("a grant that nobody gave is not taken up", async () => {
  const first = await boot();
  const pid = await worked(first);
  const other = await worked(first);
  await first.grant({ pid: other }, { by: "ann", capabilities: ["file:/**:write"] });
  await first.close();
  write(`insert into holding select 'cap_invented', tenant, (select key from process where pid = '${pid}'),
    agent, 'new', blocks, given_by, given_at, expires_at, reason from holding`);

  await isRefused(await boot(), pid);
});

test("what was revoked stays so, whatever its row says", async () => {
  const first = await boot();
  const pid = await worked(first);
  const { handle } = await first.grant(
    { pid },
    { by: "ann", capabilities: ["file:/other/**:write"] },
  );
  await first.revoke(handle, "ann");
  await first.close();
  write(`update holding set state = 'held'; delete from block`);

  await isRefused(await boot(), pid);
});

test("what stands for an agent counts only as it was given, and the audit names it", async () => {
  const first = await boot();
  await first.grant({ agent: "worker" }, { by: "ann", capabilities: ["file:/work/**:write"] });
  await first.close();
  write(`update holding set blocks = replace(blocks, 'file:/work/**:write', 'file:/**:write')`);

  const second = await boot();
  const pid = await worked(second);
  await tried(second, pid, "/other/x");
  await tried(second, pid, "end");

  expect(await second.wait(pid, { timeoutMs: 60_000 })).toMatchObject({ output: "ended" });
  expect(done).toEqual([]);
  expect((await second.verify()).findings.map(({ message }) => message).join()).toContain(
    "was never granted in this form",
  );
});

test("a revoked token is not good again because its row is gone", async () => {
  const first = await boot();
  const { token, ids } = await first.mintToken({
    by: "ann",
    capabilities: ["file:/work/**:write"],
  });
  await first.revoke(ids[0]!, "ann");
  await first.close();
  write("delete from revoked");

  const second = await boot();

  expect(await second.verifyToken(token)).toMatchObject({ ok: false });
  expect((await second.verify()).ok).toBe(false);
});

test("an answer that nobody gave is refused; one that somebody gave is heard after a restart", async () => {
  const first = await boot();
  const [forged, honest] = [
    await first.spawn({ agent: "asker", capabilities: [] }),
    await first.spawn({ agent: "asker", capabilities: [] }),
  ];
  await until(async () => (await first.questions()).length === 2);
  await first.close();
  write(`update question set answer = 'approve', answered_by = 'ann', answered_at = 5
    where pid = '${forged}'`);

  const second = await boot();
  const { id } = (await second.questions()).find(({ pid }) => pid === honest)!;
  await second.answer(id, { by: "ann", choice: "approve" });

  expect(await second.wait(forged, { timeoutMs: 60_000 })).toMatchObject({ output: "EPOLICY" });
  expect(await second.wait(honest, { timeoutMs: 60_000 })).toMatchObject({ output: "approve" });
  expect((await second.verify()).ok).toBe(false);
});

test("a vote without its signature, or for another question, does not count", async () => {
  const first = await boot();
  const [real, forged] = [
    await first.spawn({ agent: "asker", capabilities: [] }),
    await first.spawn({ agent: "asker", capabilities: [] }),
  ];
  await until(async () => (await first.questions()).length === 2);
  const { id } = (await first.questions()).find(({ pid }) => pid === real)!;
  await first.answer(id, { by: "ann", choice: "approve" });
  await first.wait(real, { timeoutMs: 60_000 });
  await first.close();
  write(`insert into vote select (select id from question where pid = '${forged}'), tenant, process, person,
      choice, reason, at, signature from vote;
    update question set answer = 'approve', answered_by = 'ann', answered_at = 5 where pid = '${forged}'`);

  const second = await boot();

  expect(await second.wait(forged, { timeoutMs: 60_000 })).toMatchObject({ output: "EPOLICY" });
});
