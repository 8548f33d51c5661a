import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { scrubEnvironment } from "./tests/helpers/environment.ts";
import { LongestFirst } from "./tests/helpers/longest-first.ts";
import { restartTests } from "./tests/helpers/restart-tests.ts";

scrubEnvironment(process.env);
process.umask(0o022);

// Every process and thread that a test starts loads our TypeScript: without this it is compiled each time.
process.env["NODE_COMPILE_CACHE"] ??= join(tmpdir(), "aos-test-compile-cache");

const ROOMS = "{protocol,kernel,drivers,userland,daemon,attacks,client,cli,sdk,dashboard}";
const WHOLE =
  "{contract,integration,crash,attack,e2e,sandbox,escape,mcp,providers,local-model,scripts}";

// What takes long however it is written: every write of a run killed, every wall taken away, whole cross
// products. It is run by `npm run test:deep`.
const DEEP = "**/*.deep.test.ts";
const exclude = [...configDefaults.exclude, DEEP];

// Limits for what hangs, not for what is slow: a machine five times slower than ours stays far below them.
const limits = {
  testTimeout: 600_000,
  hookTimeout: 600_000,
  teardownTimeout: 120_000,
  expect: { poll: { timeout: 120_000 } },
  setupFiles: "tests/helpers/patience.ts",
};

const globalSetup = "tests/helpers/reference-summary.ts";

// Files whose loops are longer in `deep`, where `inject("isDeep")` says so. They are run in both.
const LOOPS = "**/*.{loop,property}.test.ts";

// Three kinds of test, and one of them again on PostgreSQL. `unit` is quick and touches no other program; it is part of `npm run check`.
// `whole` starts daemons, databases and programs, and kills them. `deep` is what takes long, and `postgres`
// what restarts daemons, with homes on PostgreSQL.
export default defineConfig({
  test: {
    // Much of a test is waiting: on a small machine one file at a time would leave it idle.
    maxWorkers: Math.max(4, availableParallelism()),
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: "unit",
          include: [`${ROOMS}/src/**/*.test.ts`, "tests/architecture/**/*.test.ts"],
          exclude,
          // They change nothing that others see; to load everything anew for each file takes four times as long.
          isolate: false,
          provide: { isDeep: false },
          ...limits,
        },
      },
      {
        test: {
          name: "whole",
          include: [`tests/${WHOLE}/**/*.test.ts`],
          exclude,
          provide: { isDeep: false },
          globalSetup,
          ...limits,
        },
      },
      {
        test: {
          name: "deep",
          include: [DEEP, LOOPS],
          provide: { isDeep: true },
          globalSetup,
          ...limits,
        },
      },
      {
        test: {
          name: "postgres",
          include: [...restartTests],
          provide: { isDeep: true },
          globalSetup: [globalSetup, "tests/helpers/postgres-homes.ts"],
          ...limits,
        },
      },
    ],
  },
});
