// What is demanded is held, or nothing runs (SANDBOX-3); and `none` is what it says.

import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSandbox, describeReport, type Sandbox, type SandboxOptions } from "@aos/drivers";
import { markOf, currentOwner, type RunRequest } from "@aos/drivers/sandbox";
import { processesWith, token } from "./rig.ts";

const request: RunRequest = {
  command: ["/bin/sh", "-c", "echo ran"],
  mounts: [],
  network: "none",
  profile: "tool",
  output: "collect",
  name: "test",
};

async function withSandbox(options: SandboxOptions, use: (sandbox: Sandbox) => Promise<void>) {
  const sandbox = await createSandbox(options);
  try {
    await use(sandbox);
  } finally {
    await sandbox.close();
  }
}

describe("the level process", () => {
  test("is said with its parts and what holds them", () =>
    withSandbox({}, async ({ report }) => {
      expect(report).toMatchObject({ level: "process", holds: { disk: "advisory" } });
      expect(report.driver).toMatch(/^bubblewrap \d/);
      expect(report.mechanisms).toMatchObject({ net: "network namespace", syscalls: "seccomp" });
      expect(describeReport(report)).toMatch(
        /^bubblewrap [\d.]+: fs, net, .* enforced; .*disk, files advisory$/,
      );
    }));

  test("can be had twice in one process", () =>
    withSandbox({}, (first) =>
      withSandbox({}, async (second) => {
        const runs = await Promise.all([first.start(request), second.start(request)]);
        const endings = await Promise.all(runs.map((run) => run.ended));

        expect(endings.map(({ stdout }) => stdout)).toEqual(["ran\n", "ran\n"]);
      }),
    ));

  test("refuses every run when something is demanded that is only watched", () =>
    withSandbox({ require: ["fs", "disk"] }, async (sandbox) => {
      await expect(sandbox.start(request)).rejects.toMatchObject({
        code: "EACCES",
        message: expect.stringContaining("disk (advisory)"),
      });
    }));

  test("gives no run more than the operator wrote", () =>
    withSandbox({ limits: { wallMs: 300, processes: 30 } }, async (sandbox) => {
      const limits = { wallMs: 600_000, processes: 10_000 };
      const command = ["/bin/sh", "-c", "sleep 30"];
      const ending = await (await sandbox.start({ ...request, command, limits })).ended;

      expect(ending.limit).toEqual({ name: "wallMs", message: "time: more than 300 ms" });
    }));

  test("is measured without the limits of the operator, which are for runs (PROBE-3)", () =>
    withSandbox({ limits: { wallMs: 1, memoryBytes: 4096 } }, async ({ report }) => {
      expect(report.holds).toMatchObject({ fs: "enforced", net: "enforced", syscalls: "enforced" });
    }));

  test("shows every run what the operator added, read-only", async () => {
    const folder = mkdtempSync(join(tmpdir(), "aos-system-"));
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, "shared"), "shared\n");
    await withSandbox({ system: [folder] }, async (sandbox) => {
      const command = ["/bin/sh", "-c", `cat ${folder}/shared; touch ${folder}/x`];
      const ending = await (await sandbox.start({ ...request, command })).ended;

      expect(ending.stdout).toBe("shared\n");
      expect(ending.stderr).toContain("Read-only");
    });
    rmSync(folder, { recursive: true });
  });
});

describe("the level none", () => {
  const none = (use: (sandbox: Sandbox) => Promise<void>) => withSandbox({ level: "none" }, use);

  test("says that nothing holds, and runs", () =>
    none(async (sandbox) => {
      expect(new Set(Object.values(sandbox.report.holds))).toEqual(new Set(["absent"]));
      expect(describeReport(sandbox.report)).toBe("no sandbox: the operator chose `none`");
      expect(await (await sandbox.start(request)).ended).toMatchObject({
        code: 0,
        stdout: "ran\n",
      });
    }));

  test("refuses what is demanded all the same", () =>
    withSandbox({ level: "none", require: ["net"] }, async (sandbox) => {
      await expect(sandbox.start(request)).rejects.toMatchObject({ code: "EACCES" });
    }));

  test("starts in the folder where it really is, with no environment of ours", () =>
    none(async (sandbox) => {
      const folder = mkdtempSync(join(tmpdir(), "aos-none-"));
      process.env["AOS_TEST_SECRET"] = "visible";
      const run = await sandbox.start({
        ...request,
        command: ["/bin/sh", "-c", "pwd; env | grep -c SECRET"],
        mounts: [{ from: folder, at: "/work", mode: "write" }],
        folder: "/work",
      });
      const ending = await run.ended;
      delete process.env["AOS_TEST_SECRET"];
      rmSync(folder, { recursive: true });

      expect(ending.stdout).toBe(`${folder}\n0\n`);
    }));

  test.each([
    ["time", `sleep 1000.${token}`, { wallMs: 200 }, "wallMs"],
    ["output", `yes ${token}`, { outputBytes: 1000 }, "outputBytes"],
    ["processor time", "while :; do :; done", { cpuMs: 200 }, "cpuMs"],
    ["memory", "exec tail -n 1 /dev/zero", { memoryBytes: 50_000_000 }, "memoryBytes"],
    [
      "processes",
      `for i in 1 2 3 4 5 6; do sleep 1000.${token} & done; wait`,
      { processes: 3 },
      "processes",
    ],
  ] as const)("watches %s", (_what, script, limits, name) =>
    none(async (sandbox) => {
      const command = ["/bin/sh", "-c", script];
      const ending = await (await sandbox.start({ ...request, command, limits })).ended;

      expect(ending.limit?.name).toBe(name);
      expect(processesWith(token)).toEqual([]);
    }),
  );

  test("ends the children that stay with it, and removes its folder", () =>
    none(async (sandbox) => {
      const command = ["/bin/sh", "-c", `sleep 1000.${token} & touch $TMPDIR/file; echo started`];
      const ending = await (await sandbox.start({ ...request, command })).ended;

      expect(ending).toMatchObject({ code: 0, stdout: "started\n" });
      expect(processesWith(token)).toEqual([]);
      const mark = markOf(currentOwner());
      expect(readdirSync(tmpdir()).filter((name) => name.startsWith(mark))).toEqual([]);
    }));
});
