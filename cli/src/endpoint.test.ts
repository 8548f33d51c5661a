import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { endpointOf } from "./endpoint.ts";

let folder: string;
let system: { socket: string; unit: string; groups: string };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aos-endpoint-"));
  const [socket, unit, groups] = ["system.sock", "unit", "group"].map((name) => join(folder, name));
  system = { socket: socket!, unit: unit!, groups: groups! };
  vi.stubEnv("HOME", folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

test("ENDPOINT-1: who may open the system's socket, and has no daemon of their own, gets the system's", () => {
  expect(endpointOf({}, system).isSystem).toBeUndefined();
  writeFileSync(system.socket, "");

  expect(endpointOf({}, system)).toMatchObject({ socket: system.socket, isSystem: true });
});

test("ENDPOINT-1: who says where theirs is, gets that one", () => {
  writeFileSync(system.socket, "");
  const own = join(folder, "own");

  expect(endpointOf({ AOS_HOME: own }, system)).toEqual({
    home: own,
    socket: join(own, "aos.sock"),
  });
  expect(endpointOf({ AOS_SOCKET: join(own, "s") }, system).socket).toBe(join(own, "s"));
});

test("ENDPOINT-2: a stopped system's daemon is that of its operators, and of nobody who has a home", () => {
  const [gid] = process.getgroups!();
  writeFileSync(system.groups, `root:x:0:\naos-operators:x:${gid}:ann\n`);
  expect(endpointOf({}, system).isSystem).toBeUndefined(); // nothing is installed
  writeFileSync(system.unit, "");

  expect(endpointOf({}, system)).toMatchObject({ socket: system.socket, isSystem: true });
  vi.spyOn(process, "getuid").mockReturnValue(1000);
  expect(endpointOf({}, system).isSystem).toBe(true);
  writeFileSync(system.groups, "root:x:0:\naos-operators:x:987654:ann\n");
  expect(endpointOf({}, system).isSystem).toBeUndefined();
  vi.restoreAllMocks();
  writeFileSync(system.groups, `aos-operators:x:${gid}:\n`);
  mkdirSync(join(folder, ".aos"));
  expect(endpointOf({}, system).isSystem).toBeUndefined();
});
