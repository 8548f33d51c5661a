// A daemon that is not root and may make no cgroup: the walls are the same, limits are watched, and the
// report says so.

import { execFile } from "node:child_process";
import { realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { RunEnding } from "@aos/drivers/sandbox";
import type { SandboxReport } from "@aos/drivers";
import { processesWith, token } from "./rig.ts";

const program = fileURLToPath(new URL("./person.program.ts", import.meta.url));
const isRoot = process.getuid?.() === 0;

interface Said extends Record<"wrote" | "left" | "bomb" | "nproc" | "spin" | "hog", RunEnding> {
  readonly report: SandboxReport;
  readonly killed: readonly RunEnding[];
  readonly other: { readonly code: string };
  readonly remains: readonly string[];
}

/** A checkout in root's own home cannot be run by anybody else. */
function isOpenToAll(path: string): boolean {
  for (let folder = dirname(path); folder !== "/"; folder = dirname(folder))
    if ((statSync(folder).mode & 0o001) === 0) return false;
  return true;
}

const mayTry = isRoot && isOpenToAll(program) && isOpenToAll(realpathSync(process.execPath));

test.runIf(mayTry)(
  "somebody who is not root has the same walls, and limits that are watched",
  async () => {
    const node = realpathSync(process.execPath);
    const { stdout } = await promisify(execFile)(node, [program, token], {
      uid: 61_501,
      gid: 61_501,
      env: { PATH: process.env["PATH"] },
    });
    const said = JSON.parse(stdout) as Said;

    expect(said.report.holds).toMatchObject({
      fs: "enforced",
      net: "enforced",
      syscalls: "enforced",
    });
    expect(said.report.holds).toMatchObject({
      mem: "advisory",
      pids: "advisory",
      disk: "advisory",
      files: "advisory",
    });
    expect(said.report.warnings.join()).toContain("only monitored");
    expect(said.wrote).toMatchObject({ code: 0, stdout: "1000\nmine\n" });
    expect(said.left).toMatchObject({ code: 0, stdout: "left\n" });
    // Watched, a bomb is ended or, when it is quicker than the look, refused more by the system.
    expect(said.bomb.limit?.name ?? said.bomb.stderr).toMatch(
      /processes|fork|Resource temporarily/,
    );
    // The kernel refuses, too, when nobody looks in time.
    expect(said.nproc.stdout).toMatch(/^\d+\n$/);
    expect(said.spin.limit?.name).toBe("cpuMs");
    expect(said.hog.limit?.name ?? said.hog.stderr).toMatch(/memoryBytes|memory exhausted/);
    expect(said.killed.map(({ isAborted }) => isAborted)).toEqual(Array(5).fill(true));
    expect(said.other.code).toBe("EACCES");
    expect(said.remains).toEqual([]);
    expect(processesWith(`1000.${token}`)).toEqual([]);
  },
);
