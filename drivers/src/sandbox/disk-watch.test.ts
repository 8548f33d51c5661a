import { expect, test } from "vitest";
import { DiskWatch } from "./disk-watch.ts";

test("DISK-WATCH-4: a run that has not come to its own root yet is not held to account for the machine's files", async () => {
  const watch = new DiskWatch([], { diskBytes: Infinity, files: 1 });
  watch.see(process.pid); // its root is the machine's

  expect(await watch.over()).toBeUndefined();
});
