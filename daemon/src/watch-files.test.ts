import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { watchPolicy } from "./watch-files.ts";

let folder: string;
let file: string;
const changed = vi.fn<() => void>();

beforeEach(() => {
  vi.useFakeTimers();
  changed.mockReset();
  folder = mkdtempSync(join(tmpdir(), "aos-watch-"));
  file = join(folder, "policy.yaml");
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

const looks = (count: number) => vi.advanceTimersByTime(count * 500);

test("a file that comes, changes and goes is told once each, when it is still", () => {
  const watching = watchPolicy(() => [file], changed);

  looks(3);
  expect(changed).toHaveBeenCalledTimes(0);
  writeFileSync(file, "a");
  looks(1);
  expect(changed).toHaveBeenCalledTimes(0);
  writeFileSync(file, "abc");
  looks(1);
  expect(changed).toHaveBeenCalledTimes(0);
  looks(3);
  expect(changed).toHaveBeenCalledTimes(1);
  rmSync(file);
  looks(3);
  expect(changed).toHaveBeenCalledTimes(2);

  watching.close();
  writeFileSync(file, "again");
  looks(3);
  expect(changed).toHaveBeenCalledTimes(2);
});
