// Stores that were hurt: cut off in the middle of a large batch, with a write-ahead log that ends
// anywhere, on a disk that is full.

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cp, mkdir, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import type { Kernel } from "@aos/kernel";
import type { Program } from "@aos/protocol";
import { expect, onTestFinished, test } from "vitest";
import { bootAgain, inFolder, runHost } from "./crash.ts";
import { carryThrough, type Situation } from "./host.ts";

const situation = (folder: string): Situation => ({
  folder,
  onDoubt: "retry",
  durability: "every-call",
  program: "parent",
  unloadAfterMs: 60,
});

test("a daemon that is killed in the middle of large batches has all that it acknowledged", async () => {
  await inFolder(async (folder) => {
    const acknowledged: string[] = [];
    for (const lines of [14, 19, 25, 31])
      acknowledged.push(...(await startAndKill("flood.program.ts", folder, lines)));

    const kernel = await bootAgain(situation(folder));

    expect(acknowledged.length).toBeGreaterThan(50);
    for (const pid of acknowledged)
      expect(await kernel.wait(pid, { timeoutMs: 120_000 })).toMatchObject({ state: "completed" });
    expect((await kernel.verify()).findings).toEqual([]);
    await kernel.close();
  });
});

/** Kills a host once it has said so many lines. Returns all that it said, line by line. */
async function startAndKill(program: string, argument: string, lines: number): Promise<string[]> {
  const host = spawn(process.execPath, [join(import.meta.dirname, program), argument], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  host.stdout.on("data", (chunk) => {
    said += String(chunk);
    if (said.split("\n").length > lines) host.kill("SIGKILL");
  });
  await new Promise((resolve) => host.once("close", resolve));
  return said.split("\n").slice(0, -1); // the last may be torn
}

test("whatever of the write-ahead log is lost, the rest opens, and the signed log says what is gone", async () => {
  await inFolder(async (folder) => {
    const whole = join(folder, "whole");
    await mkdir(whole);
    await startAndKill("signed.program.ts", JSON.stringify(situation(whole)), 1);
    const { size } = await stat(join(whole, "aos.db-wal"));
    const seen = new Set<string>();

    // The last cut takes nothing away. Odd ones are in the middle of a page.
    for (let cut = 0; cut <= 24; cut++) {
      const torn = join(folder, `torn-${cut}`);
      await cp(whole, torn, { recursive: true });
      // Every other cut is in the middle of a page, the others at odd places of a header.
      await truncate(join(torn, "aos.db-wal"), Math.floor((size * cut) / 24) + (cut % 2) * 13);

      const kernel = await bootAgain(situation(torn));
      const { findings } = await kernel.verify();
      for (const { kind, pid, seq, message } of findings) {
        // What has gone on since has written other records than those that were signed.
        if (kind === "changed") expect(message).toContain("another one was logged");
        expect(pid).toMatch(/^(agt_|ledger:)/); // a run, or what was decided on this node
        expect(seq).toBeGreaterThanOrEqual(0);
        seen.add(kind);
      }
      if (cut === 24) expect(findings).toEqual([]);
      await kernel.close();
    }

    expect(seen).toContain("missing");
    expect(seen).toContain("truncated");
  });
});

const isMountable = process.getuid?.() === 0 && process.platform === "linux";

test.skipIf(!isMountable)(
  "a disk that is full stops the kernel, loses nothing that it acknowledged, and lets the next boot go on",
  async () => {
    await inFolder(async (folder) => {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", folder]);
      onTestFinished(() => void spawnSync("umount", ["-l", folder]));
      const writer: Program = async (sys, input) => {
        const { until } = input as { until: number };
        for (let n = 0; n < until; n++) await sys.write(`/mem/working/${n}`, `${n}`.repeat(5000));
        return (await sys.list("/mem/working")).length;
      };
      const troubles: { what: string; error: unknown }[] = [];
      const full = await bootAgain(situation(folder), {
        programs: { writer },
        onTrouble: (what, error) => void troubles.push({ what, error }),
      });
      const promised = await promisedBy(full);

      await expect(full.wait(promised.pid, { timeoutMs: 120_000 })).rejects.toMatchObject({
        code: "ESTORE",
      });
      await expect(full.send(promised.pid, "one more")).rejects.toMatchObject({ code: "ESTORE" });
      expect(troubles[0]).toMatchObject({ error: { code: "ESTORE" } });
      await full.close();

      execFileSync("mount", ["-o", "remount,size=64m", folder]);
      const kernel = await bootAgain(situation(folder), { programs: { writer } });
      const ending = await kernel.wait(promised.pid, { timeoutMs: 120_000 });
      expect(ending.output).toBe(200);
      const heard = JSON.stringify(await kernel.journal(promised.pid));
      expect(heard).toContain('"n":200');
      expect((await kernel.replay(promised.pid)).difference).toBeNull();
      expect((await kernel.verify()).findings).toEqual([]);
      await kernel.close();
      execFileSync("umount", [folder]);
    });
  },
);

async function promisedBy(kernel: Kernel): Promise<{ pid: string }> {
  const pid = await kernel.spawn({
    agent: "writer",
    input: { until: 200 },
    capabilities: ["memory:/mem/**:read,write,list"],
  });
  return { pid };
}

test("a run goes on from a store whose last commits were lost", async () => {
  await inFolder(async (folder) => {
    const killed = await runHost(situation(folder), { commit: 30, when: "after" });
    expect(killed.isKilled).toBe(true);
    const { size } = await stat(join(folder, "aos.db-wal"));
    await truncate(join(folder, "aos.db-wal"), Math.floor(size * 0.8));

    const kernel = await bootAgain(situation(folder));
    if (!(await kernel.storeReport()).ok) await kernel.acceptStore({ by: "the test" });
    const ending = await carryThrough(kernel, situation(folder), () => {});

    expect(ending.state).toBe("completed");
    expect((await kernel.replay(ending.pid)).difference).toBeNull();
    await kernel.close();
  });
});
