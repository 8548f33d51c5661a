// Somebody who takes all there is gets what was allowed, is told which limit it was, and others do not
// notice.

import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunEnding } from "@aos/drivers/sandbox";
import { token, useSandbox, type Asked } from "./rig.ts";

const rig = useSandbox();
const MIB = 2 ** 20;
/** A limit of something else is what ends them, on any machine. */
const WALL_MS = 600_000;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "aos-limits-"));
  chmodSync(folder, 0o777);
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));

/** Runs the hog, and beside it a neighbour that must not notice. */
async function hog(script: string, more: Asked): Promise<RunEnding> {
  const neighbour = rig.run(
    "for i in 1 2 3 4 5; do sleep 0.1; done; head -c 30000000 /dev/zero | wc -c; sh -c 'echo forked'",
  );
  const ending = await rig.run(script, more);
  expect(await neighbour).toMatchObject({ code: 0, stdout: "30000000\nforked\n" });
  return ending;
}

describe("a hog", () => {
  test("of memory is ended at its limit", async () => {
    const ending = await hog("exec tail -n 1 /dev/zero", { limits: { memoryBytes: 64 * MIB } });

    expect(ending).toMatchObject({
      code: null,
      signal: "SIGKILL",
      limit: { name: "memoryBytes", message: "memory: more than 64 MiB" },
    });
    expect(ending.usage.memoryBytes).toBeGreaterThan(32 * MIB);
    expect(ending.usage.memoryBytes).toBeLessThanOrEqual(64 * MIB);
  });

  test("of memory in many processes together is ended, too", async () => {
    const script = "for i in 1 2 3 4; do head -c 40m /dev/zero | tail -n 1 >/dev/null & done; wait";
    const ending = await hog(script, { limits: { memoryBytes: 64 * MIB } });

    expect(ending.limit?.name).toBe("memoryBytes");
  });

  test.each(["/tmp", "/dev/shm"])("of memory by writing to %s is ended", async (place) => {
    const script = `head -c 200m /dev/zero > ${place}/a; head -c 200m /dev/zero > ${place}/b; echo wrote`;
    const ending = await hog(script, {
      limits: { memoryBytes: 64 * MIB, diskBytes: 2048 * MIB, fileBytes: 1024 * MIB },
    });

    expect(ending.limit?.name ?? ending.stderr).toMatch(/memoryBytes|No space left/);
    expect(ending.usage.memoryBytes).toBeLessThanOrEqual(64 * MIB);
  });

  test("of /tmp meets its end", async () => {
    const ending = await hog("head -c 20m /dev/zero > /tmp/a", { limits: { diskBytes: 8 * MIB } });

    expect(ending).toMatchObject({ code: 1 });
    expect(ending.stderr).toContain("No space left");
  });

  test("that forks without end is ended at its limit", async () => {
    // Should the cgroup fail to hold it, the second wall keeps this machine usable.
    // The shell forks once, before there is a bomb, and becomes the sleep: a later fork could be refused.
    const bomb = `ulimit -p 500; bomb() { bomb | bomb & }; (bomb) & exec sleep 1000.${token}`;
    const ending = await hog(bomb, { limits: { processes: 64, wallMs: WALL_MS } });

    expect(ending).toMatchObject({
      signal: "SIGKILL",
      limit: { name: "processes", message: "processes: more than 64 at once" },
    });
    expect(ending.usage.wallMs).toBeLessThan(WALL_MS);
  });

  test("may have as many processes as it was allowed", async () => {
    const script = `for i in $(seq 1 10); do sleep 0.3 & done; wait; echo all`;

    expect(await rig.run(script, { limits: { processes: 16 } })).toMatchObject({
      code: 0,
      stdout: "all\n",
    });
  });

  test("of the processor is ended at its time, counted over all its processes", async () => {
    const ending = await hog("while :; do :; done & while :; do :; done", {
      limits: { cpuMs: 300, wallMs: WALL_MS },
    });

    expect(ending).toMatchObject({
      signal: "SIGKILL",
      limit: { name: "cpuMs", message: "processor time: more than 300 ms" },
    });
    expect(ending.usage.cpuMs).toBeGreaterThan(300);
  });

  test("of the processor is ended, also when none of its processes lives long", async () => {
    const script = `echo 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; sh /tmp/next &' > /tmp/next
      sh /tmp/next; sleep 1000.${token}`;
    const ending = await hog(script, { limits: { cpuMs: 300, wallMs: WALL_MS } });

    expect(ending.limit?.name).toBe("cpuMs");
  });

  test("of the disk is ended", async () => {
    const script = `i=0; while :; do i=$((i+1)); head -c 1m /dev/zero > /work/file-$i || exit 9; done`;
    const ending = await hog(script, {
      mounts: [{ from: folder, at: "/work", mode: "write" }],
      limits: { diskBytes: 32 * MIB, wallMs: WALL_MS },
    });

    expect(ending).toMatchObject({
      signal: "SIGKILL",
      limit: { name: "diskBytes", message: "disk: more than 32 MiB" },
    });
  });

  test("of the disk with empty files is ended", async () => {
    const script = "cd /work; i=0; while :; do i=$((i+1)); : > empty-$i; done";
    const ending = await hog(script, {
      mounts: [{ from: folder, at: "/work", mode: "write" }],
      limits: { diskBytes: 4 * MIB, wallMs: WALL_MS },
    });

    expect(ending.limit?.name).toBe("diskBytes");
  });

  test.each(["/work", "/tmp", "/dev/shm"])("of files in %s is ended", async (at) => {
    const script = `cd ${at}; i=0; while :; do i=$((i+1)); : > many-$i || exit 9; done`;
    const ending = await hog(script, {
      mounts: [{ from: folder, at: "/work", mode: "write" }],
      limits: { files: 500, wallMs: WALL_MS },
    });

    expect(ending).toMatchObject({
      signal: "SIGKILL",
      limit: { name: "files", message: "files: more than 500" },
    });
  });

  test("in one folder is not taken for a neighbour that works in another", async () => {
    const other = mkdtempSync(join(tmpdir(), "aos-neighbour-"));
    chmodSync(other, 0o777);
    const limits = { diskBytes: 16 * MIB };
    const neighbour = rig.run("echo mine > /work/mine; sleep 1.5; echo fine", {
      mounts: [{ from: other, at: "/work", mode: "write" }],
      limits,
    });
    const ending = await rig.run("while :; do head -c 1m /dev/zero > /work/$(date +%N); done", {
      mounts: [{ from: folder, at: "/work", mode: "write" }],
      limits,
    });

    expect(ending.limit?.name).toBe("diskBytes");
    expect(await neighbour).toMatchObject({ code: 0, stdout: "fine\n" });
    rmSync(other, { recursive: true });
  });

  test("of one file is ended at its size", async () => {
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    const ending = await hog("exec head -c 20m /dev/zero > /work/large", {
      mounts: [{ from: folder, at: "/work", mode: "write" }],
      limits: { fileBytes: 4 * MIB },
    });

    expect(ending.limit).toEqual({ name: "fileBytes", message: "file size: more than 4 MiB" });
    expect(statSync(join(folder, "large")).size).toBe(4 * MIB);
  });

  test("of open files is refused more", async () => {
    const script = `i=3; for f in $(seq 1 99); do sh -c 'exec sleep 0' ; done; ulimit -n; ulimit -Hn; ulimit -n 5000 2>&1 || echo no`;
    const ending = await rig.run(script, { limits: { openFiles: 64 } });

    expect(ending.stdout).toMatch(/^64\n64\n[^]*no\n$/);
  });

  test("that prints without end is cut and ended", async () => {
    const ending = await hog(`exec yes ${token}`, { limits: { outputBytes: 100_000 } });

    expect(ending).toMatchObject({
      isCut: true,
      limit: { name: "outputBytes", message: "output: more than 97.7 KiB" },
    });
    expect(ending.stdout).toHaveLength(100_000);
  });

  test("that prints without end to both streams has one limit for both", async () => {
    const ending = await rig.run(`yes ${token} >&2 & exec yes ${token}`, {
      limits: { outputBytes: 50_000 },
    });

    expect(ending.stdout.length + ending.stderr.length).toBe(50_000);
  });

  test("that prints exactly what it may is not cut", async () => {
    const ending = await rig.run("head -c 5000 /dev/zero", { limits: { outputBytes: 5000 } });

    expect(ending).toMatchObject({ code: 0, isCut: false });
  });
});

describe("core dumps and raised limits", () => {
  test("there is no core, and no limit can be raised", async () => {
    const script = "ulimit -c; ulimit -Hc; ulimit -Hf; ulimit -f unlimited 2>/dev/null || echo no";
    const ending = await rig.run(script, { limits: { fileBytes: 512 * 1000 } });

    expect(ending.stdout).toBe("0\n0\n1000\nno\n");
  });
});
