// What is another tenant's is refused by two lines of one file. Without them every operation that names a process,
// or a tenant, gets to it: no handler and no kernel behind them would have said no.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { operationNames, operationOf } from "@aos/protocol";
import { expect, test } from "vitest";
import type { Line } from "./openings/opening.ts";

const PROGRAM = fileURLToPath(new URL("tenancy.program.ts", import.meta.url));
const file = "daemon/src/gateway/tenant-kernel.ts";

async function reachedWith(...lines: readonly Line[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, JSON.stringify(lines)]);
  return JSON.parse(stdout) as string[];
}

const inReach = operationNames.filter((name) => operationOf(name).reach === "tenant");

const namingProcess = inReach.flatMap((name) =>
  operationOf(name).processes.map((one) => `${name} ${one}`),
);
const namingTenant = inReach.flatMap((name) => {
  const { params, query, body } = operationOf(name);
  return "tenant" in { ...params.shape, ...query.shape, ...body.shape } ? [`${name} tenant`] : [];
});

test("TENANT-KERNEL-2: no operation gets to another tenant's process, or into another tenant", async () => {
  expect(await reachedWith()).toEqual([]);
});

/** What is not there for another reason: no core was left, and what a process does has a second line to pass. */
const others = new Set([
  "coreDump pid",
  "tailMessages pid",
  "searchMemory pid",
  "searchMemory tenant",
  "searchRuns pid",
  ...[
    "listFiles",
    "readFile",
    "findFiles",
    "writeFile",
    "removeFile",
    "restoreFile",
    "ingest",
    "askContext",
    "untidyMemory",
    "goals",
    "evals",
    "workflows",
    "notifyTargets", // rows of config.yaml, which no kernel limits
    "testNotify",
  ].map((one) => `${one} tenant`),
]);
const without = (all: readonly string[]) => all.filter((one) => !others.has(one));

test("without the line that asks whose a process is, every operation that names one gets to it", async () => {
  const reached = await reachedWith({
    file,
    line: "    if ((await kernel.show(pid)).tenant !== tenant) throw noProcess(pid); // TENANT-KERNEL-2\n",
    becomes: "",
  });

  expect(reached).toEqual(without(namingProcess));
});

test("without the line that asks which tenant is meant, every operation that names one gets into it", async () => {
  const reached = await reachedWith({
    file,
    line: "    if (asked === undefined || asked === tenant) return tenant;",
    becomes: "    return asked ?? tenant;",
  });

  expect(reached).toEqual(without(namingTenant));
});
