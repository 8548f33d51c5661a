// Writes the journals that every later version must read and replay:
//
//   node scripts/write-fixtures.ts v1
//
// runs tests/fixtures/journals/v1/varied.program.ts and keeps the database, the signed log and what is
// to be expected of them beside it. A folder that was released is never written again: what changed
// since is what its test is about.

import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createForeignPrograms, createSandbox } from "@aos/drivers";
import { bootKernel, type Kernel, type KernelOptions } from "@aos/kernel";

interface Written {
  readonly options: KernelOptions;
  readonly writeRuns: (kernel: Kernel) => Promise<Record<string, string>>;
}

const version = process.argv[2] ?? "";
if (!/^v\d+$/.test(version)) {
  console.error("usage: node scripts/write-fixtures.ts vN");
  process.exit(2);
}
const home = join(import.meta.dirname, "..", "tests", "fixtures", "journals", version);
const { options, writeRuns } = (await import(join(home, "varied.program.ts"))) as Written;

const folder = await mkdtemp(join(tmpdir(), "aos-fixtures-"));
const place = { store: { file: join(folder, "aos.db") }, auditFolder: join(folder, "audit") };
const sandbox = await createSandbox({});
const foreign = createForeignPrograms({ sandbox: async () => sandbox });

// One whose history is gone, before the others.
const before = await bootKernel({ ...options, ...place, foreign, retention: { maxRuns: 0 } });
const compacted = await before.spawn({ agent: "failing" });
await before.wait(compacted);
await before.collect();
await before.close();

const kernel = await bootKernel({ ...options, ...place, foreign });
const pids = { compacted, ...(await writeRuns(kernel)) };
const report = await kernel.verify();
if (!report.ok) throw new Error(JSON.stringify(report.findings));
const processes = await Promise.all(
  (await kernel.list()).map(async ({ pid }) => {
    const { state, exitCode, output, head, records, compacted } = await kernel.show(pid);
    return { pid, state, exitCode, output, head, records, compacted };
  }),
);
await kernel.close();
await sandbox.close();

for (const name of ["aos.db", "audit"]) {
  await rm(join(home, name), { recursive: true, force: true });
  await rename(join(folder, name), join(home, name));
}
const key = await readFile(join(folder, "audit.key"));
const expected = { pids, processes, auditKey: key.toString("base64") };
await writeFile(join(home, "expected.json"), `${JSON.stringify(expected, null, 2)}\n`);
await rm(folder, { recursive: true, force: true });
console.log(`${processes.length} processes with ${report.records} records in ${home}`);
