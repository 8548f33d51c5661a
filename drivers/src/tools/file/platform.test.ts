import { expect, test } from "vitest";
import { chooseFinder, findByDescriptor } from "./platform.ts";
import { findByWalk } from "./by-walk.ts";

test("each platform has its way, and one without any is refused", async () => {
  expect(await chooseFinder("linux", async () => true)).toBe(findByDescriptor);
  expect(await chooseFinder("darwin", async () => false)).toBe(findByWalk);
  await expect(chooseFinder("linux", async () => false)).rejects.toMatchObject({ code: "ESTATE" });
  await expect(chooseFinder("win32")).rejects.toMatchObject({ code: "ESTATE" });
});

test.runIf(process.platform === "linux")("this machine tells by descriptor", async () => {
  expect(await chooseFinder(process.platform)).toBe(findByDescriptor);
});
