import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKernel } from "./library.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { inspectHome } from "./home-modes.ts";
import { homeOf, prepareHome, type Home } from "./home.ts";

let home: Home;

beforeEach(() => {
  home = homeOf({ AOS_HOME: mkdtempSync(join(tmpdir(), "aos-modes-")) });
});
afterEach(() => rmSync(home.folder, { recursive: true, force: true }));

const modeOf = (path: string) => statSync(path).mode & 0o777;

function write(path: string, mode: number) {
  writeFileSync(path, "");
  chmodSync(path, mode);
}

test("HOME-1: a home that others can open is closed, and it is said", () => {
  chmodSync(home.folder, 0o755);

  const closed = prepareHome(home);

  expect(modeOf(home.folder)).toBe(0o700);
  expect(closed).toEqual([{ path: home.folder, mode: "0755" }]);
  expect(prepareHome(home)).toEqual([]);
});

test("HOME-MODES-1: files of the daemon that others can read are closed, whichever they are", () => {
  const database = [home.database, `${home.database}-wal`, `${home.database}-shm`];
  const copy = `${home.database}.before-5`;
  const files = [
    ...database,
    copy,
    home.tokens,
    home.trust,
    home.log,
    `${home.log}.1`,
    home.repeats,
  ];
  for (const file of files) write(file, 0o644);
  const folders = [home.audit, join(home.audit, "tile"), home.quarantine, home.trusted];
  for (const folder of folders) mkdirSync(folder, { mode: 0o755 });
  const tile = join(home.audit, "tile", "000");
  write(tile, 0o664);

  prepareHome(home);

  for (const file of [...files, tile]) expect([file, modeOf(file)]).toEqual([file, 0o600]);
  for (const folder of folders) expect([folder, modeOf(folder)]).toEqual([folder, 0o700]);
});

test("HOME-MODES-1: what a link leads to keeps its mode", () => {
  const elsewhere = join(home.folder, "elsewhere");
  write(elsewhere, 0o644);
  symlinkSync(elsewhere, home.tokens);

  prepareHome(home);

  expect(modeOf(elsewhere)).toBe(0o644);
});

test("HOME-MODES-2: a folder that others share is refused, and keeps its mode", () => {
  chmodSync(home.folder, 0o1777);

  expect(() => prepareHome(home)).toThrow(/is a shared folder/);

  expect(statSync(home.folder).mode & 0o7777).toBe(0o1777);
});

test("HOME-MODES-1: a home that cannot be closed is refused", () => {
  const refused = homeOf({ AOS_HOME: "/proc/self/fdinfo" });

  expect(() => prepareHome(refused)).toThrow(/cannot be closed|is not writable/);
});

test("SQLITE-STORE-4: a new database and the signed log are the owner's alone under any umask", async () => {
  const umask = process.umask(0);
  try {
    await using opened = new AsyncDisposableStack();
    const kernel = await createKernel({
      programs: {},
      store: { file: home.database },
      auditFolder: home.audit,
    });
    opened.defer(() => kernel.close());

    for (const file of [home.database, `${home.database}-wal`])
      expect([file, modeOf(file)]).toEqual([file, 0o600]);
    expect(modeOf(home.audit)).toBe(0o700);
    expect(prepareHome(home)).toEqual([]);
  } finally {
    process.umask(umask);
  }
});

test("what of a home others can open is named, and how many places there are", () => {
  prepareHome(home);
  write(home.database, 0o600);
  write(home.tokens, 0o640);

  expect(inspectHome(home).open).toEqual([home.tokens]);
  expect(inspectHome(home).count).toBeGreaterThanOrEqual(2);
});
