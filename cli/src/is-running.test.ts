import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { isRunning } from "./is-running.ts";

test("a process runs until it has ended", async () => {
  const child = spawn("sleep", ["600"]);
  await once(child, "spawn");
  expect(isRunning(child.pid!)).toBe(true);

  child.kill("SIGKILL");
  await once(child, "exit");
  expect(isRunning(child.pid!)).toBe(false);
});

test.skipIf(process.platform !== "linux")("one that nobody fetched does not run", async () => {
  // The shell becomes a program that never asks about its child.
  const shell = spawn("sh", ["-c", "sh -c 'echo $$' & exec sleep 600"]);
  const [text] = (await once(shell.stdout, "data")) as [Buffer];
  const child = Number(String(text));

  await expect.poll(() => isRunning(child)).toBe(false);
  expect(() => process.kill(child, 0)).not.toThrow();

  shell.kill("SIGKILL");
  await once(shell, "exit");
});
