import { expect, test } from "vitest";
import { readManifestFile } from "./manifest-file.ts";

const head = "apiVersion: aos/v1\nkind: Agent\nname: a\n";

test("a good manifest is given as written and as read", () => {
  const { written, manifest } = readManifestFile(`${head}budget: { wall: 10m }\n`, "a.yaml");

  expect(written).toEqual({
    apiVersion: "aos/v1",
    kind: "Agent",
    name: "a",
    budget: { wall: "10m" },
  });
  expect(manifest.budget).toEqual({ wall: 600_000 });
});

test.each([
  [
    "capabilities:\n  - tool:x:call\n  - flie:/x:read\n",
    /^a\.yaml:6: capabilities\[1\]: .*flie.*file/,
  ],
  ["capabilities: ['tool:x:eat']\n", /^a\.yaml:4: capabilities\[0\]: .*eat/],
  ["program: x\ncommand: [y]\n", /^a\.yaml:5: command: .*not both/],
  ["budget:\n  wall: soon\n", /^a\.yaml:5: budget\.wall: "soon" is not a duration/],
  ["restart: { on: [rain] }\n", /^a\.yaml:4: restart\.on\[0\]: .*crash/],
])("%j is refused with its line and field", (lines, problem) => {
  expect(() => readManifestFile(head + lines, "a.yaml")).toThrow(problem);
});
