import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isAlive, markOf, readMark, currentOwner } from "./owner.ts";
import { judgeProbe, readProbe } from "./probe.ts";
import { parsePs, parseStat } from "./process-table.ts";
import { mountsForProgram, realProgram } from "./program-mounts.ts";
import { describeReport, nothingHolds } from "./report.ts";
import { canReach } from "./run-sources.ts";
import { makeEtc } from "./system-view.ts";
import { Users, isAbandonedClaim } from "./users.ts";

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "aos-machine-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("owners", () => {
  test("a mark says who made something, whatever follows it", () => {
    const owner = { namespace: "1", pid: 2, started: "3" };

    expect(markOf(owner)).toBe("aos-1-2-3");
    expect(readMark("aos-1-2-3-anything-4")).toEqual(owner);
    expect(readMark("aos-audit-x")).toBeUndefined();
    expect(readMark("my-aos-1-2-3")).toBeUndefined();
  });

  test("OWNER-1 OWNER-2 we are alive, who had our pid before us is not, and who is elsewhere may be", () => {
    const self = currentOwner();

    expect(isAlive(self)).toBe(true);
    expect(isAlive({ ...self, started: "1" })).toBe(false);
    expect(isAlive({ ...self, pid: 4_194_304 })).toBe(false);
    expect(isAlive({ ...self, pid: 4_194_304, namespace: "1" })).toBe(true);
  });
});

describe("users", () => {
  const self = { uid: 0, gid: 0 };
  const make = () => new Users({ owner: currentOwner(), claims: folder, self });

  test("USERS-1 no user is lent twice at once, also not by two daemons; one that comes back is", () => {
    const [first, second] = [make(), make()];
    const lent = [first.lend(undefined), first.lend(undefined), second.lend(undefined)];
    first.giveBack(lent[0]!);

    expect(new Set(lent.map(({ uid }) => uid)).size).toBe(3);
    expect(first.lend(undefined).uid).toBe(lent[0]!.uid);
    first.close();
    second.close();
    expect(make().lend(undefined).uid).toBe(lent[0]!.uid);
  });

  test("the owner of the files is who was asked for, and never comes into the pool", () => {
    const users = make();
    const owner = users.lend({ uid: 1234, gid: 99 });
    users.giveBack(owner);

    expect(owner).toMatchObject({ uid: 1234, gid: 99 });
    expect(users.lend(undefined).uid).toBeGreaterThanOrEqual(61_000);
  });

  test("who is not root is always himself", () => {
    const users = new Users({ owner: currentOwner(), claims: folder, self: { uid: 7, gid: 8 } });

    expect(users.lend(undefined)).toMatchObject({ uid: 7, gid: 8 });
    expect(() => users.lend({ uid: 0, gid: 0 })).toThrow(/only root/);
  });

  test("a claim of somebody who is gone is abandoned, and no other file is", () => {
    const gone = markOf({ ...currentOwner(), started: "1" });
    symlinkSync(gone, join(folder, "aos-sandbox-user-61000"));
    symlinkSync(markOf(currentOwner()), join(folder, "aos-sandbox-user-61001"));
    writeFileSync(join(folder, "aos-sandbox-user-61002"), gone);

    const abandoned = ["61000", "61001", "61002"].filter((uid) =>
      isAbandonedClaim(folder, `aos-sandbox-user-${uid}`),
    );
    expect(abandoned).toEqual(["61000"]);
  });
});

describe("the table of processes", () => {
  test("a name may hold anything, and the dead are nobody", () => {
    const rest = "S 10 11 11 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 999 1000000 25 1";

    expect(parseStat(`12 (a) b (c) ${rest}`)).toEqual({
      pid: 12,
      parent: 10,
      group: 11,
      cpuMs: 260,
      memoryBytes: 25 * 4096,
    });
    expect(parseStat(`12 (x) ${rest.replace("S", "Z")}`)).toBeUndefined();
  });

  test("of ps is read with hours and days", () => {
    const rows = parsePs(
      "  1   0   1  2048 00:00:01 Ss\n 20 1 20 10 1-02:00:00.50 R\n 30 1 1 0 0:00 Z\n",
    );

    expect(rows).toEqual([
      { pid: 1, parent: 0, group: 1, memoryBytes: 2048 * 1024, cpuMs: 1000 },
      { pid: 20, parent: 1, group: 20, memoryBytes: 10_240, cpuMs: 93_600_500 },
    ]);
  });
});

describe("programs outside the system", () => {
  const install = (path: string, text = "\u007fELF"): string => {
    const file = join(folder, path);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, text);
    chmodSync(file, 0o755);
    return file;
  };

  test("PROGRAM-MOUNTS-1 links are followed to the installation", () => {
    const real = install("py/3.12/bin/python3.12");
    mkdirSync(join(folder, "bin"));
    symlinkSync(real, join(folder, "bin/python3"));
    const path = `relative:${join(folder, "bin")}`;

    expect(realProgram("python3", path)).toBe(real);
    expect(mountsForProgram("python3", path)).toEqual([
      { from: join(folder, "py/3.12"), mode: "read" },
    ]);
    expect(mountsForProgram("nothing", path)).toEqual([]);
  });

  test("PROGRAM-MOUNTS-1 PROGRAM-MOUNTS-3 a script below node_modules needs all of that, and its interpreter", () => {
    install("node/bin/node");
    const tool = install("app/node_modules/tool/cli.js", "#!/usr/bin/env -S node --flag\n");

    expect(mountsForProgram(tool, join(folder, "node/bin")).map(({ from }) => from)).toEqual([
      join(folder, "app/node_modules"),
      join(folder, "node"),
    ]);
  });

  test("what the system has needs nothing", () => {
    expect(mountsForProgram("sh", "/usr/bin:/bin")).toEqual([]);
  });

  test("PROGRAM-MOUNTS-2 in a home or at the top are shown as the executable alone", () => {
    const file = install("bin/tool");
    const home = process.env["HOME"];
    process.env["HOME"] = folder;
    try {
      expect(homedir()).toBe(folder);
      expect(mountsForProgram(file, "")).toEqual([{ from: file, mode: "read" }]);
      const hidden = install(".local/bin/other");
      expect(mountsForProgram(hidden, "")).toEqual([{ from: hidden, mode: "read" }]);
      const deep = install(".nvm/versions/24/bin/node");
      expect(mountsForProgram(deep, "")).toEqual([
        { from: join(folder, ".nvm/versions/24"), mode: "read" },
      ]);
    } finally {
      if (home === undefined) delete process.env["HOME"];
      else process.env["HOME"] = home;
    }
  });
});

describe("the machine's /etc", () => {
  test("SYSTEM-VIEW-1 is made up: no user, host or key of the machine is in it", () => {
    const machine = join(folder, "machine");
    for (const name of ["ssl/certs", "ssl/private", "alternatives"]) {
      mkdirSync(join(machine, name), { recursive: true });
    }
    for (const name of [
      "passwd",
      "shadow",
      "hosts",
      "ssl/private/key",
      "ssl/certs/ca.pem",
      "hostname",
    ]) {
      writeFileSync(join(machine, name), "of the machine");
    }
    const etc = join(folder, "etc");
    makeEtc(etc, machine);

    expect(readFileSync(join(etc, "ssl/certs/ca.pem"), "utf8")).toBe("of the machine");
    expect(() => readFileSync(join(etc, "ssl/private/key"))).toThrow(/ENOENT/);
    expect(() => readFileSync(join(etc, "shadow"))).toThrow(/ENOENT/);
    expect(readFileSync(join(etc, "passwd"), "utf8")).toContain("agent:x:1000:1000");
    expect(readFileSync(join(etc, "hosts"), "utf8")).toContain("localhost");
  });
});

test("whether a user can reach a file is said by every folder above it", () => {
  mkdirSync(join(folder, "closed/open"), { recursive: true });
  chmodSync(folder, 0o711);
  chmodSync(join(folder, "closed"), 0o700);
  const nobody = { uid: 61_000, gid: 61_000 };

  expect(canReach(join(folder, "closed"), nobody)).toBe(true);
  expect(canReach(join(folder, "closed/open"), nobody)).toBe(false);
  expect(canReach(join(folder, "closed/open"), { uid: process.getuid!(), gid: 0 })).toBe(true);
});

describe("the probe's judgement", () => {
  const good = [
    "CapPrm: 0000000000000000",
    "CapEff: 0000000000000000",
    "CapBnd: 0000000000000000",
    "NoNewPrivs: 1",
    "Seccomp: 2",
    "processes 3",
    "namespace pid:[2]",
    "devices lo:",
    "tmp works",
    "looked",
  ].join("\n");
  const judge = (text: string) => judgeProbe(readProbe(text), "1");

  test("nothing is wrong where everything holds", () => {
    expect(judge(good)).toEqual({ fs: [], net: [], syscalls: [] });
  });

  test.each([
    ["fs", good.replace("CapEff: 0000000000000000", "CapEff: 000001ffffffffff")],
    ["fs", good.replace("CapBnd: 0000000000000000", "CapBnd: 0000000000000001")],
    ["fs", `witness /tmp/x\n${good}`],
    ["fs", `wrote /usr\n${good}`],
    ["fs", good.replace("pid:[2]", "pid:[1]")], // PROBE-2
    ["fs", good.replace("pid:[2]", "")],
    ["fs", good.replace("processes 3", "processes 90")],
    ["fs", good.replace("tmp works", "")],
    ["net", good.replace("lo:", "lo:eth0:")],
    ["net", good.replace("devices lo:", "")],
    ["syscalls", good.replace("NoNewPrivs: 1", "NoNewPrivs: 0")],
    ["syscalls", good.replace("Seccomp: 2", "Seccomp: 0")],
    ["syscalls", `setuid works\n${good}`],
  ] as const)("%s does not hold where one thing is amiss (%#)", (part, text) => {
    const { [part]: wrong, ...others } = judge(text);

    expect(wrong).toHaveLength(1);
    expect(Object.values(others).flat()).toEqual([]);
  });

  test("nothing holds where nothing started", () => {
    expect(
      Object.values(judge("")).every((wrong) => wrong.includes("the sandbox does not start")),
    ).toBe(true);
    expect(describeReport(nothingHolds("nothing", []))).toBe(
      "nothing: fs, net, pids, mem, cpu, disk, files, syscalls absent",
    );
  });
});
