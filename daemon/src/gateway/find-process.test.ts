import type { ListFilter } from "@aos/kernel";
import { newProcessId, type ProcessId, type ProcessInfo } from "@aos/protocol";
import { expect, test } from "vitest";
import { findProcess } from "./find-process.ts";

/** Processes born a second apart, the first one first. */
function processes(count: number, childrenFrom = count) {
  const random = Uint8Array.from({ length: 10 }, (_, i) => i);
  const all = Array.from({ length: count }, (_, i) => newProcessId(1.8e12 + i * 1000, random));
  const info = (pid: ProcessId) =>
    ({
      pid,
      agent: agents[pid] ?? "one",
      parent: all.indexOf(pid) >= childrenFrom ? all[0] : null,
      endedAt: living.has(pid) ? null : "2027-01-15T08:00:00.000Z",
    }) as ProcessInfo;
  const agents: Record<string, string> = {};
  const names: Record<string, string> = {};
  const living = new Set<string>();
  const show = async (pid: string) =>
    ({ program: agents[pid] === "memory-search" ? "recall" : "agent" }) as never;
  const asked: ListFilter[] = [];
  const list = async (filter: ListFilter = {}) => {
    const { before, prefix = "", limit = 100, name } = filter;
    asked.push(filter);
    return all
      .toReversed()
      .filter((pid) => name === undefined || names[pid] === name)
      .filter((pid) => (before === undefined || pid < before) && pid.startsWith(prefix))
      .slice(0, limit)
      .map(info);
  };
  return { all, agents, names, living, asked, kernel: { list, show } };
}

test("a beginning that only one has means that one, however old it is", async () => {
  const { all, asked, kernel } = processes(1200);
  const oldest = all[0]!;

  expect(await findProcess(kernel, oldest.slice(0, 14))).toBe(oldest);
  expect(await findProcess(kernel, oldest.slice(4, 14))).toBe(oldest);
  expect(asked.map(({ limit }) => limit)).toEqual([6, 6]); // no list of all
});

test("a beginning that several have is refused, with their names", async () => {
  const { all, kernel } = processes(3);

  const finding = findProcess(kernel, all[0]!.slice(0, 8));

  await expect(finding).rejects.toMatchObject({
    code: "EINVAL",
    message: expect.stringContaining(all[1]!),
  });
});

test("@last is the newest that no other process started", async () => {
  const { all, kernel } = processes(5, 3);

  expect(await findProcess(kernel, "@last")).toBe(all[2]);
});

test("@last is not what a command that only looks ran for itself", async () => {
  const { all, agents, kernel } = processes(4);
  agents[all[3]!] = "memory-search"; // `aos mem search`
  agents[all[2]!] = "model-test"; // somebody's own agent of that name

  expect(await findProcess(kernel, "@last")).toBe(all[2]);
});

test("what nobody has is not there", async () => {
  const { kernel } = processes(0);

  await expect(findProcess(kernel, "@last")).rejects.toMatchObject({ code: "ENOENT" });
  await expect(findProcess(kernel, "agt_zzz")).rejects.toMatchObject({ code: "ENOENT" });
});

test("the name of a run means the one that lives, or else the newest that had it", async () => {
  const { all, names, living, kernel } = processes(3);
  names[all[0]!] = "nightly";
  names[all[1]!] = "nightly";

  expect(await findProcess(kernel, "nightly")).toBe(all[1]);
  living.add(all[0]!);
  expect(await findProcess(kernel, "nightly")).toBe(all[0]);
  living.add(all[1]!);
  await expect(findProcess(kernel, "nightly")).rejects.toMatchObject({
    code: "EINVAL",
    message: expect.stringContaining(all[0]!),
  });
});

test("what may be the beginning of a pid is no name", async () => {
  const { all, names, kernel } = processes(2);
  const beginning = all[1]!.slice(0, -1);
  names[all[0]!] = beginning;

  expect(await findProcess(kernel, beginning)).toBe(all[1]);
});
