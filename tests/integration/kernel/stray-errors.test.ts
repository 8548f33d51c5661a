// What programs of this process throw where nobody can catch it. Each host is a Node of its own: the runner of
// these tests listens for such errors itself.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

interface Host {
  readonly code: number;
  readonly endings: Record<string, { state: string; error: { code: string; message: string } }>;
  readonly stderr: string;
}

const host = (...args: string[]): Promise<Host> =>
  new Promise((resolve) => {
    const script = join(import.meta.dirname, "stray-errors.program.ts");
    const child = execFile(process.execPath, [script, ...args], (_error, stdout, stderr) => {
      const endings = stdout === "" ? {} : (JSON.parse(stdout) as Host["endings"]);
      resolve({ code: child.exitCode ?? -1, endings, stderr });
    });
  });

test("LOCAL-PROGRAM-1 STRAY-ERRORS-1: what a program throws anywhere ends its process, by name, and nothing else", async () => {
  const { code, endings, stderr } = await host();

  expect(stderr).toContain("in the program after-its-end");
  expect(code).toBe(0);
  const saidOf = (name: string) => [endings[name]?.state, endings[name]?.error.message].join(": ");
  expect(saidOf("throw-null")).toMatch(/^failed: .*threw null/);
  expect(saidOf("throw-undefined")).toMatch(/^failed: .*threw undefined/);
  expect(saidOf("throw-unreadable")).toMatch(/^failed: .*cannot be shown/);
  expect(saidOf("throw-bare")).toMatch(/^failed: .*cannot be shown/);
  expect(saidOf("reject-null")).toMatch(/^failed: unhandled rejection in the program reject-null/);
  expect(saidOf("timer")).toMatch(/^failed: uncaught exception in the program timer .*in a timer/);
  expect(saidOf("tick")).toMatch(/^failed: uncaught exception in the program tick/);
  expect(saidOf("unawaited-call")).toMatch(/^failed: unhandled rejection in the program unawaited/);
  expect(saidOf("after-a-call")).toMatch(/^failed: unhandled rejection .*after a call/);
  expect(endings["after-its-end"]).toMatchObject({ state: "completed", output: "done" });
  expect(endings["good"]).toMatchObject({ state: "completed", output: "fine" });
  expect(endings["beside"]).toBe("fine");
});

test.each(["reject", "throw"])(
  "STRAY-ERRORS-2: an error of nobody's program ends Node (%s)",
  async (how) => {
    const { code, stderr } = await host(how);

    expect(code).toBe(1);
    expect(stderr).toContain("of nobody");
  },
);
