import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

// Every process and thread that a test starts loads our TypeScript: without this it is compiled each time.
process.env["NODE_COMPILE_CACHE"] ??= join(tmpdir(), "aos-test-compile-cache");

// Two kinds of test. `unit` is quick and touches no other program; it is part of `npm run check`.
// `whole` starts daemons, databases and programs, and kills them.
export default defineConfig({
  test: {
    // Much of a test is waiting: on a small machine one file at a time would leave it idle.
    maxWorkers: Math.max(3, availableParallelism()),
    projects: [
      {
        test: {
          name: "unit",
          include: [
            "{protocol,kernel,drivers,userland,daemon,client,cli,sdk,dashboard}/src/**/*.test.ts",
            "tests/architecture/**/*.test.ts",
          ],
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: "whole",
          include: [
            "tests/{contract,integration,crash,attack,e2e,sandbox,escape,mcp,providers,local-model}/**/*.test.ts",
          ],
          globalSetup: "tests/helpers/reference-summary.ts",
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
