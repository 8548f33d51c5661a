import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { defaultRunLimits } from "../limits.ts";
import { findCgroups } from "./places.ts";
import { hierarchyV1 } from "./v1.ts";
import { hierarchyV2, moveAside } from "./v2.ts";

describe("places", () => {
  test("version 2 alone is found, as on most machines", () => {
    const mountinfo =
      "31 24 0:27 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot\n";

    expect(findCgroups(mountinfo, "0::/user.slice/user-1000.slice/session-1.scope\n")).toEqual({
      v1: new Map(),
      v2: "/sys/fs/cgroup/user.slice/user-1000.slice/session-1.scope",
      roots: ["/sys/fs/cgroup"],
    });
  });

  test("version 1 with version 2 beside it, and controllers that are mounted together", () => {
    const mountinfo = [
      "30 25 0:25 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory",
      "32 25 0:26 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct",
      "33 25 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw",
    ].join("\n");
    const own = "4:memory:/a/b\n2:cpu,cpuacct:/c\n0::/\n";

    expect(findCgroups(mountinfo, own)).toMatchObject({
      v1: new Map([
        ["memory", "/sys/fs/cgroup/memory/a/b"],
        ["cpu", "/sys/fs/cgroup/cpu,cpuacct/c"],
        ["cpuacct", "/sys/fs/cgroup/cpu,cpuacct/c"],
      ]),
      v2: "/sys/fs/cgroup/unified",
    });
  });

  test("a container that sees only its own part", () => {
    const mountinfo = "30 25 0:25 /docker/x /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n";

    expect(findCgroups(mountinfo, "4:memory:/docker/x/y\n").v1.get("memory")).toBe(
      "/sys/fs/cgroup/memory/y",
    );
  });
});

describe("version 2", () => {
  let place: string;
  beforeEach(() => (place = mkdtempSync(join(tmpdir(), "aos-cgroup-"))));
  afterEach(() => rmSync(place, { recursive: true, force: true }));

  const lay = (files: Record<string, string>, at = place) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(at, name), text);
  };
  const find = () =>
    hierarchyV2({ v1: new Map(), v2: place, roots: [] }, { ownName: "own", pid: 77 });

  test("is not used without its controllers", () => {
    lay({ "cgroup.controllers": "cpu io", "cgroup.subtree_control": "cpu" });

    expect(find()).toBeUndefined();
  });

  test("is used as it is when controllers are handed on already", () => {
    lay({ "cgroup.controllers": "cpu memory pids", "cgroup.subtree_control": "memory pids" });

    expect(find()?.mechanism).toBe("cgroup v2");
  });

  test("the daemon moves aside when it is alone, and nobody else is ever moved", () => {
    lay({ "cgroup.procs": "12\n77\n" });
    const withOthers = moveAside(place, "own", 77);
    lay({ "cgroup.procs": "77\n" });
    const alone = moveAside(place, "own", 77);

    expect([withOthers, alone]).toEqual([false, true]);
    expect(readFileSync(join(place, "own/cgroup.procs"), "utf8")).toBe("77");
  });

  test("writes the limits and reads the counters where the kernel has them", () => {
    lay({ "cgroup.controllers": "memory pids", "cgroup.subtree_control": "memory pids" });
    const set = find()!.make("run");
    const at = join(place, "run");
    lay(
      {
        "memory.max": "",
        "pids.max": "",
        "cpu.stat": "usage_usec 2500000\nuser_usec 1\n",
        "memory.peak": "4096\n",
        "memory.events": "low 0\noom 2\noom_kill 1\noom_group_kill 0\n",
        "pids.events": "max 7\n",
      },
      at,
    );
    set.setLimits({ ...defaultRunLimits, memoryBytes: 1000, processes: 10 });

    expect(readFileSync(join(at, "memory.max"), "utf8")).toBe("1000");
    expect(readFileSync(join(at, "pids.max"), "utf8")).toBe("14");
    expect(set.counters()).toEqual({
      cpuMs: 2500,
      memoryBytes: 4096,
      memoryKills: 1,
      refusedForks: 7,
    });
  });
});

test("version 1 is not used without the right to make groups", () => {
  const places = { v1: new Map([["memory", "/nowhere"]]), roots: [] };

  expect(hierarchyV1(places)).toBeUndefined();
  expect(
    hierarchyV1({ ...places, v1: new Map([...places.v1, ["pids", "/nowhere"]]) }),
  ).toBeUndefined();
});
