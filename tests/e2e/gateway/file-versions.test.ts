// A restore over HTTP: what is written again keeps the label that the version has.

import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openFrontDoor, type FrontDoor } from "./front-door.ts";

vi.mock("@aos/kernel", async (original) =>
  (await import("../../helpers/checked-kernel.ts")).checkedModule(original),
);

let door: FrontDoor;
let token: string;
beforeAll(async () => {
  door = await openFrontDoor();
  token = door.token("operator", { name: "ada" });
});
afterAll(() => door.close());

test("a restored version is as it was written, label included; to restore a removal removes the file", async () => {
  const path = "/mem/shared/note";
  const call = async (name: Parameters<FrontDoor["call"]>[0], args: object = {}) =>
    (await (await door.call(name, { path, ...args }, { token })).json()) as Record<string, unknown>;
  const pid = await door.kernel.spawn({
    agent: "files",
    input: { call: "write", path, data: "of a customer" },
    capabilities: ["memory:/mem/shared/**:write"],
    label: { integrity: "trusted", secrecy: "internal" },
  });
  await door.kernel.wait(pid);
  await call("writeFile", { data: "public" });
  const removed = await call("removeFile");

  await call("restoreFile", { version: `${pid}#1` });
  const versions = await door.kernel.fileVersions({}, path);
  const restored = await door.kernel.fileVersion({}, path, versions.versions[0]!.version);
  await call("restoreFile", { version: `${String(removed["pid"])}#1` });

  expect(versions.versions.map(({ label }) => label)).toEqual([
    "trusted/internal",
    null,
    "trusted/public",
    "trusted/internal",
  ]);
  expect(restored).toMatchObject({ data: "of a customer", label: "trusted/internal" });
  expect(await call("readFile")).toMatchObject({ code: "ENOENT" });
});
