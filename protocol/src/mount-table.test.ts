import { describe, expect, test } from "vitest";
import { isOwnPath, mountOf, mountsBelow, mountTable } from "./mount-table.ts";

describe("a path", () => {
  test.each([
    ["/", "/"],
    ["/mem", "/mem"],
    ["/mem/working", "/mem/working"],
    ["/mem/working/a/b", "/mem/working"],
    ["/ctx/archive/1", "/ctx"],
    ["/state/checkpoints/7", "/state/checkpoints"],
    ["/work/src/a.ts", "/work"],
    ["/mnt", "/mnt"],
    ["/mnt/docs/a", "/mnt"],
  ])("%s is on the mount %s (MOUNT-TABLE-1)", (path, mount) => {
    expect(mountOf(path)?.path).toBe(mount);
  });

  test.each([
    "/memory",
    "/mem/other",
    "/mem/workings/a",
    "/state/other",
    "/selfish",
    "/etc/passwd",
  ])("%s is on no mount", (path) => {
    expect(mountOf(path)).toBeUndefined();
  });

  test("below /mnt is guarded, and the folder itself is not (MOUNT-TABLE-2)", () => {
    expect(isOwnPath("/mnt")).toBe(true);
    expect(mountOf("/mnt/docs")?.guard).toBe("file");
    expect(mountOf("/mem/shared/a")?.guard).toBe("memory");
  });
});

test("only /mem and /work are written", () => {
  expect(mountTable.filter(({ isWritable }) => isWritable).map(({ path }) => path)).toEqual([
    "/mem/agents",
    "/mem/episodic",
    "/mem/semantic",
    "/mem/shared",
    "/mem/working",
    "/work",
  ]);
});

test("a folder of mounts lists those directly in it", () => {
  expect(mountsBelow("/mem").map(({ path }) => path)).toEqual([
    "/mem/agents",
    "/mem/episodic",
    "/mem/semantic",
    "/mem/shared",
    "/mem/working",
  ]);
  expect(mountsBelow("/").map(({ path }) => path)).toContain("/state");
  expect(mountsBelow("/").map(({ path }) => path)).not.toContain("/mem/shared");
});
