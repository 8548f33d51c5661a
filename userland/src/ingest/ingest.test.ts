import { type Json, type Sys, SysError } from "@aos/protocol";
import { expect, test } from "vitest";
import { ingestProgram } from "./ingest.ts";

function sysForTest(code = "ENOENT") {
  const made: unknown[] = [];
  const sys = {
    write: async (path: string, data: Json) => void made.push(["write", path, data]),
    remove: async (path: string) => {
      if (path.endsWith("gone")) throw new SysError(code as "ENOENT", "gone");
      made.push(["remove", path]);
    },
  } as unknown as Sys;
  return { sys, made };
}

const input = {
  folder: "/mem/shared/docs",
  files: [{ path: "a", data: 1 }],
  remove: ["gone", "b"],
};

test("INGEST-2: files are written and others removed; what is gone already is no failure", async () => {
  const { sys, made } = sysForTest();

  expect(await ingestProgram(sys, input as Json)).toEqual({ written: 1, removed: 1 });
  expect(made).toEqual([
    ["write", "/mem/shared/docs/a", 1],
    ["remove", "/mem/shared/docs/b"],
  ]);
  await expect(ingestProgram(sysForTest("EACCES").sys, input as Json)).rejects.toMatchObject({
    code: "EACCES",
  });
  await expect(ingestProgram(sys, {})).rejects.toMatchObject({ code: "EINVAL" });
});
