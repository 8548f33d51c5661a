import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { endpointOf } from "./endpoint.ts";

let folder: string;
let system: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aos-endpoint-"));
  system = join(folder, "system.sock");
  vi.stubEnv("HOME", folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

test("ENDPOINT-1: who may open the system's socket, and has no daemon of their own, gets the system's", () => {
  expect(endpointOf({}, system).isSystem).toBeUndefined();
  writeFileSync(system, "");

  expect(endpointOf({}, system)).toMatchObject({ socket: system, isSystem: true });
});

test("ENDPOINT-1: who says where theirs is, gets that one", () => {
  writeFileSync(system, "");
  const own = join(folder, "own");

  expect(endpointOf({ AOS_HOME: own }, system)).toEqual({
    home: own,
    socket: join(own, "aos.sock"),
  });
  expect(endpointOf({ AOS_SOCKET: join(own, "s") }, system).socket).toBe(join(own, "s"));
});
