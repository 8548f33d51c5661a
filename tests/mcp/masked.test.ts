// The operator's servers in the real sandbox: keys look empty to them, and so does what may not leave where
// they have hosts to reach.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Label, MachineFiles } from "@aos/protocol";
import { deviceContextForTest } from "../helpers/drivers/device-context.ts";
import { fixture, folderForTest, rigFor } from "./rig.ts";

const SECRET: Label = { integrity: "trusted", secrecy: "secret" };
const isSecret = (path: string) => (path.includes("/secret/") ? SECRET : undefined);
const files: MachineFiles = {
  readableFiles: async () => (path) => !path.endsWith("/.env"),
  fileLabels: async () => ({ of: isSecret }),
};

function folderWithKeys(): string {
  const folder = folderForTest();
  mkdirSync(join(folder, "secret"));
  writeFileSync(join(folder, ".env"), "KEY=1");
  writeFileSync(join(folder, "secret", "plan"), "the plan");
  return folder;
}

test.each([
  [[], "the plan", [SECRET]],
  [["a.example"], "", []],
])("with hosts %j its secret file says %j to it", async (hosts, said, seen) => {
  const folder = folderWithKeys();
  const { call } = await rigFor([fixture(folder, { hosts })], { files });
  const context = deviceContextForTest({ fileLabels: isSecret });
  const look = (name: string) => call("mcp.one.look", { path: join(folder, name) }, context);

  expect(await look(".env")).toEqual({ text: "" });
  expect(await look("secret/plan")).toEqual({ text: said });
  expect(context.saw.slice(0, 1)).toEqual(seen);
});
