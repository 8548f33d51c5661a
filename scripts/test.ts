// `npm test`: gets what the tests need, runs the unit tests and then the whole system, and ends with one summary
// whose last line is `N passed, N failed, N skipped`. `npm run test:deep`: what takes long, and the checks of the
// source itself.
//
// Every step runs, whatever the result of the one before. The numbers are vitest's tests; a check that
// fails, or a step that does not come to its end, counts as one failure. With CI=true so does a
// component that is missing.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installComponents } from "./components.ts";
import { installFolder } from "./install-folder.mjs";
import { install as installModel } from "../tests/local-model/install.mjs";
import { endSteps, runStep, type Result, type Step } from "./test/step.ts";
import { summaryOf } from "./test/summary.ts";

const script = (name: string): string[] => ["npm", "run", "-s", name];
const project = (name: string): Step => ({
  name,
  command: ["vitest", "run", "--project", name],
  isVitest: true,
});

const checks: readonly Step[] = [
  { name: "format", command: script("format:check") },
  { name: "lint", command: script("lint") },
  { name: "types", command: script("types") },
  { name: "unused", command: script("unused") },
];

const major = Number(process.versions.node.split(".", 1)[0]);
if (major < 24) {
  console.error(`Node 24 or newer is needed; this is ${process.version}. Run it as \`npm test\`.`);
  process.exit(1);
}

const top = fileURLToPath(new URL("../", import.meta.url));

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    endSteps();
    process.exit(1);
  });

const isDeep = process.argv[2] === "deep";
const since = performance.now();
const folder = mkdtempSync(join(tmpdir(), "aos-test-"));
try {
  const results = isDeep ? await deep() : await normal();
  console.log(`\n${summaryOf(results, performance.now() - since)}`);
  process.exitCode = results.some(({ failed }) => failed.length > 0) ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function deep(): Promise<Result[]> {
  const prepared = await prepare();
  // The tests wait a good deal: the checks use that time.
  const checking = inOrder(checks, true);
  const tested = await runStep(project("deep"), { folder });
  const restarted = await runStep(project("postgres"), { folder });
  return [prepared, ...(await checking), tested, restarted];
}

async function normal(): Promise<Result[]> {
  return [await prepare(), ...(await inOrder([project("unit"), project("whole")], false))];
}

async function inOrder(steps: readonly Step[], isTogether: boolean): Promise<Result[]> {
  const results: Result[] = [];
  for (const step of steps) results.push(await runStep(step, { folder, isTogether }));
  return results;
}

async function prepare(): Promise<Result> {
  const begun = performance.now();
  const missing = installComponents(isDeep).map(
    ({ name, neededFor }) => `${name} is missing: ${neededFor} cannot be tested`,
  );
  await installFolder(join(top, "tests", "peers"), "the programs that tests talk to").catch(
    (error: Error) =>
      missing.push(
        `tests/peers is missing: what others' programs make of us cannot be tested (${error.message})`,
      ),
  );
  // In the shell's environment, with its proxies and certificates: tests have neither.
  if (isDeep)
    await installModel().catch((error: Error) =>
      missing.push(`llama.cpp is missing: no local model can be tested (${error.message})`),
    );
  for (const what of missing) console.log(what);
  const isStrict = process.env["CI"] === "true";
  return {
    name: "prepare",
    ms: performance.now() - begun,
    passed: 0,
    failed: isStrict ? missing : [],
    skipped: isStrict ? [] : missing,
  };
}
