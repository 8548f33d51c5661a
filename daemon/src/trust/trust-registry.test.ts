import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync } from "node:fs";
import { rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { Json } from "@aos/protocol";
import { changesSince } from "./changes.ts";
import { powersOf } from "./powers.ts";
import {
  nearestProject,
  trustRegistryIn,
  trustLedgerDetail,
  type TrustRegistry,
} from "./trust-registry.ts";
import type { TrustRecord } from "./trust-file.ts";

let top: string;
let project: string;
let registry: TrustRegistry;

const TENANT = "default";

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "aos-trust-")));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  project = join(top, "project");
  put("AGENTS.md", "be kind");
  put(".agents/mcp.yaml", "servers:\n  a: { command: [node, server.mjs], hosts: [a.example] }\n");
  put(".agents/agents/helper.yaml", MANIFEST);
  put("server.mjs", "1");
  put("other.txt", "no power");
  registry = openBook();
});

const MANIFEST = `apiVersion: aos/v1
kind: Agent
name: helper
model: scripted/x
tools: [http.fetch]
capabilities: ["http:a.example/**:get"]
`;

const openBook = () => trustRegistryIn(top);

function put(path: string, text: string): string {
  const file = join(project, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const trustIt = () => {
  const look = registry.look(project, TENANT);
  const record = registry.recordOf(look, "alice");
  registry.keep(record, look);
  return record;
};
const isTrusted = () => registry.trusted(project, TENANT) !== undefined;

test("TRUST-REGISTRY-1: a folder counts once it is trusted, by its real path, for one tenant, also after a restart", () => {
  expect(isTrusted()).toBe(false);
  trustIt();
  symlinkSync(project, join(top, "link"));

  expect(isTrusted()).toBe(true);
  expect(registry.trusted(join(top, "link"), TENANT)?.folder).toBe(project);
  expect(registry.trusted(project, "acme")).toBeUndefined(); // TRUST-REGISTRY-3
  registry = openBook();
  expect(isTrusted()).toBe(true);
  expect(statSync(join(top, "trust.json")).mode & 0o777).toBe(0o600); // TRUST-FILE-1
});

test.each<readonly [string, () => void]>([
  ["a byte of a server's program", () => put("server.mjs", "2")],
  ["a file of .agents", () => put(".agents/mcp.yaml", "servers: {}\n")],
  ["a new file", () => put(".agents/tools/x.ts", "")],
  ["a new empty folder", () => mkdirSync(join(project, ".agents/skills"))],
  ["the instructions", () => put("AGENTS.md", "be cruel")],
  ["a file that is gone", () => rmSync(join(project, ".agents/agents/helper.yaml"))],
  ["a mode", () => chmodSync(join(project, "server.mjs"), 0o755)],
  ["a link in the place of a file", () => swapForLink(".agents/mcp.yaml", "../other.txt")],
  [".agents as a link", () => swapForLink(".agents", "elsewhere")],
  ["another folder under its name", () => swapFolder()],
])(
  "TRUST-REGISTRY-1: %s changed: nothing of it counts until it is trusted again",
  (_what, change) => {
    trustIt();
    change();

    expect(isTrusted()).toBe(false);
    expect(registry.look(project, TENANT).state).toBe("changed");
  },
);

function swapForLink(path: string, target: string): void {
  rmSync(join(project, path), { recursive: true });
  symlinkSync(target, join(project, path));
}

function swapFolder(): void {
  renameSync(project, join(top, "old"));
  put(".agents/mcp.yaml", "servers: {}\n");
}

test("a change back is the same folder again, and what changed is said", () => {
  const { entries } = trustIt();
  put(".agents/mcp.yaml", "servers: {}\n");
  put(".agents/policy.yaml", "version: 1\n");
  rmSync(join(project, "AGENTS.md"));

  expect(changesSince(entries, registry.look(project, TENANT).scan.entries)).toEqual([
    { path: ".agents/mcp.yaml", what: "changed" },
    { path: ".agents/policy.yaml", what: "new" },
    { path: "AGENTS.md", what: "gone" },
    { path: "server.mjs", what: "gone" },
  ]);
});

test("a file without power may change", () => {
  trustIt();
  put("other.txt", "still none");

  expect(isTrusted()).toBe(true);
});

test("TRUST-REGISTRY-2: what is used is what was digested, also when the file changes after the look", () => {
  trustIt();
  const { files, copy } = registry.trusted(project, TENANT)!;
  put(".agents/mcp.yaml", "servers: { evil: { command: [x] } }\n");

  expect(String(files.get(".agents/mcp.yaml"))).toContain("server.mjs");
  expect(readFileSync(join(copy, ".agents/mcp.yaml"), "utf8")).toContain("server.mjs");
  expect(readFileSync(join(copy, "server.mjs"), "utf8")).toBe("1");
});

test("TRUST-REGISTRY-4: a policy that was trusted stays as it was, when its file is overwritten or removed", () => {
  put(".agents/policy.yaml", "the old");
  const record = trustIt();
  put(".agents/policy.yaml", "the new");
  rmSync(join(project, ".agents"), { recursive: true });

  expect(registry.trustedText(registry.lastTrusted(project, TENANT)!, ".agents/policy.yaml")).toBe(
    "the old",
  );
  expect(record.by).toBe("alice");
});

test("nested instructions are trusted each by itself; a nested .agents is a project of its own", () => {
  put("src/AGENTS.md", "nested");
  put("other/.git/HEAD", "");
  put("other/AGENTS.md", "another repository");
  put("src/.agents/mcp.yaml", "servers: {}\n");
  trustIt();

  expect(registry.trustsText(join(project, "src/AGENTS.md"), "nested", TENANT)).toBe(true);
  expect(registry.trustsText(join(project, "src/AGENTS.md"), "other words", TENANT)).toBe(false);
  expect(registry.trustsText(join(project, "other/AGENTS.md"), "another repository", TENANT)).toBe(
    false,
  );
  expect(registry.trustsText(join(project, "src/AGENTS.md"), "nested", "acme")).toBe(false);
  expect(registry.trusted(join(project, "src"), TENANT)).toBeUndefined();
  expect(nearestProject(join(project, "src"))).toBe(join(project, "src"));
});

describe("POWER-SCAN-2: a folder cannot be trusted as it is for", () => {
  test.each<readonly [string, () => void, RegExp]>([
    ["a link out", () => symlinkSync("/etc/passwd", join(project, ".agents/x")), /leads out/],
    [
      "a pipe",
      () => execFileSync("/usr/bin/mkfifo", [join(project, ".agents/x")]),
      /not a file, folder or link/,
    ],
    ["a huge file", () => put(".agents/x", "x".repeat(8 * 2 ** 20 + 1)), /more than/],
    ["a name that is not text", () => writeFileSync(oddName(), ""), /not text/],
    ["instructions elsewhere", () => swapForLink("AGENTS.md", "/etc/passwd"), /leads out/],
    ["a program elsewhere", () => swapForLink("server.mjs", "/etc/passwd"), /leads out/],
  ])("%s", (_what, make, why) => {
    make();

    expect(registry.look(project, TENANT).scan.problems.join()).toMatch(why);
    expect(() => trustIt()).toThrow(/cannot be trusted/);
  });

  const oddName = () => Buffer.concat([Buffer.from(`${project}/.agents/`), Buffer.from([0xff])]);
});

test("a folder with nothing in it is nothing; one that is not there is an error", () => {
  expect(registry.look(join(top), TENANT).state).toBe("nothing");
  expect(() => registry.look(join(top, "nowhere"), TENANT)).toThrow(/nowhere does not exist/);
  expect(() => registry.find(project, TENANT)).toThrow(/not trusted/);
});

test("who trusts it no longer: nothing counts, and the copy is gone", () => {
  trustIt();
  const { copy } = registry.trusted(project, TENANT)!;

  registry.forget(registry.find(project, TENANT));

  expect(isTrusted()).toBe(false);
  expect(statSync(copy, { throwIfNoEntry: false })).toBeUndefined();
});

describe("TRUST-REGISTRY-5: of a record that is read from the file", () => {
  const said = (what: string, detail: object, doubt?: string) => ({
    subjects: [],
    of: () => (what === "" ? undefined : { what, detail: detail as Json, at: 5, since: 0 }),
    doubtOf: () => doubt,
  });
  const texts = (record: TrustRecord): TrustRecord => ({
    ...record,
    texts: { "x/AGENTS.md": "0" },
  });

  test.each<[string, (record: TrustRecord) => ReturnType<typeof said>, RegExp]>([
    ["that nobody trusted", () => said("", {}), /nobody has trusted it/],
    ["taken back since", (record) => said("trust.remove", record), /it was taken back/],
    [
      "of another digest",
      (record) => said("trust", trustLedgerDetail({ ...record, digest: "0" })),
      /not what was trusted last/,
    ],
    [
      "with other texts",
      (record) => said("trust", trustLedgerDetail(texts(record))),
      /not what was trusted last/,
    ],
    [
      "in doubt",
      (record) => said("trust", trustLedgerDetail(record), "the ledger is gone"),
      /is gone/,
    ],
  ])("one %s does not count", (_what, wordOf, why) => {
    const record = trustIt();
    registry = openBook();

    expect(registry.compare(wordOf(record)).join()).toMatch(why);

    expect(isTrusted()).toBe(false);
    expect(registry.look(project, TENANT).state).toBe("untrusted");
    expect(registry.trustsText(join(project, "AGENTS.md"), "be kind", TENANT)).toBe(false);
    trustIt();
    expect(isTrusted()).toBe(true);
  });

  test("one that the ledger has counts, also by an entry that has the digest alone", () => {
    const record = trustIt();
    const { folder, tenant, digest } = record;
    registry = openBook();

    expect(registry.compare(said("trust", trustLedgerDetail(record)))).toEqual([]);
    expect(registry.compare(said("trust", { folder, tenant, digest }))).toEqual([]);
    expect(registry.compare(undefined)).toEqual([]);

    expect(isTrusted()).toBe(true);
  });
});

test("TRUST-POWERS-1: what is shown names agents with their power, servers with theirs, and every other file", () => {
  put(".agents/odd.bin", "?");
  put(".agents/agents/bad.yaml", "name: 7");

  const powers = powersOf(registry.look(project, TENANT).scan);

  const lines = powers.map(({ kind, name, detail }) => [kind, name, ...detail].join("; "));
  expect(lines).toContain("agent; helper; tools http.fetch; may http:a.example/**:get");
  expect(lines).toContain("mcp server; a; runs node server.mjs; hosts a.example");
  expect(lines).toContain("file; .agents/odd.bin; 1 bytes");
  expect(lines).toContain("program; server.mjs; 1 bytes");
  expect(lines).toContain("instructions; AGENTS.md; 7 bytes that agents are told");
  expect(lines.find((line) => line.includes("bad.yaml"))).toMatch(/cannot be used/);
});
