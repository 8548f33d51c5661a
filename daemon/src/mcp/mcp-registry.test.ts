import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { trustAnyFolder } from "../trust/library-trust.ts";
import { McpRegistry } from "./mcp-registry.ts";
import { PinsFile } from "./pins-file.ts";

let folder: string;
let registry: McpRegistry;
let isTrusted: boolean;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aos-mcp-book-"));
  registry = new McpRegistry(join(folder, "mcp.yaml"), (place, tenant) =>
    isTrusted ? trustAnyFolder(place, tenant) : undefined,
  );
  isTrusted = true;
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

const project = (text: string): string => {
  const place = join(folder, "project");
  mkdirSync(join(place, ".agents"), { recursive: true });
  mkdirSync(join(place, "src"), { recursive: true });
  writeFileSync(join(place, ".agents", "mcp.yaml"), text);
  return place;
};

const namesFor = (...folders: string[]) =>
  registry
    .declarations({ tenant: "default", folders })
    .map(({ name, isOperators }) => [name, isOperators]);

test("MCP-REGISTRY-1: a project's servers are for who is in it; of two with one name the operator's counts", () => {
  const place = project("servers:\n  a: { command: [x] }\n  b: { command: [y] }\n");
  registry.add({ name: "a", command: ["z"] });

  expect(namesFor()).toEqual([["a", true]]);
  expect(namesFor(join(place, "src"))).toEqual([
    ["a", true],
    ["b", false],
  ]);
});

test("MCP-REGISTRY-1: what a project that is not trusted declares is not there, and the project is named", () => {
  const place = project("servers:\n  a: { command: [x] }\n");
  isTrusted = false;

  expect(namesFor(place)).toEqual([]);
  expect(registry.untrusted({ tenant: "default", folders: [place] })).toEqual([place]);
});

test("MCP-REGISTRY-2: a file is read again when it changed, and nonsense is no empty file", () => {
  const place = project("servers: {}\n");
  expect(namesFor(place)).toEqual([]);

  project("servers:\n  later: { command: [x] }\n");
  expect(namesFor(place)).toEqual([["later", false]]);
  project("servers: [\n");
  expect(() => namesFor(place)).toThrow(/mcp\.yaml:/);
});

test("MCP-REGISTRY-2: a project's file that says nonsense takes no server of others away, and is named with its line", () => {
  const place = project("servers:\n  b: { comand: [x] }\n");
  registry.add({ name: "a", command: ["z"] });
  const scope = { tenant: "default", folders: [place] };

  expect(registry.usable(scope).declared.map(({ name }) => name)).toEqual(["a"]);
  expect(registry.usable(scope).problems).toEqual([
    expect.stringMatching(/project\/\.agents\/mcp\.yaml:2: servers\.b\.comand: unknown field/),
  ]);
  expect(registry.usable({ tenant: "default", folders: [] }).problems).toEqual([]);
});

test("MCP-REGISTRY-3: what people wrote stays, and the file is its owner's only", () => {
  writeFileSync(join(folder, "mcp.yaml"), "# mine\nservers:\n  a: { command: [x] } # the first\n");

  registry.add({ name: "b", url: "https://b.example/mcp", headers: { authorization: "$TOKEN" } });

  const text = readFileSync(join(folder, "mcp.yaml"), "utf8");
  expect(text).toContain("# mine");
  expect(text).toContain("# the first");
  expect(statSync(join(folder, "mcp.yaml")).mode & 0o777).toBe(0o600);
  expect(namesFor().map(([name]) => name)).toEqual(["a", "b"]);
  expect(() => registry.add({ name: "b", command: ["x"] })).toThrow(/already/);
  expect(() => registry.add({ name: "c", command: ["x"], paths: ["here"] })).toThrow(/paths/);
  expect(registry.remove("a")).toMatchObject({ key: `${join(folder, "mcp.yaml")}#a` });
  expect(namesFor().map(([name]) => name)).toEqual(["b"]);
  expect(() => registry.remove("a")).toThrow(/no server/);
});

test("pins are kept for their owner, read back, forgotten; a spoilt file is no empty one", () => {
  const file = join(folder, "pins.json");
  const definition = { name: "say", inputSchema: { type: "object" } };
  const pins = { say: { hash: "0".repeat(64), definition } };

  new PinsFile(file).keep("a", pins);

  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(new PinsFile(file).of("a")).toEqual(pins);
  expect(new PinsFile(file).of("b")).toBeUndefined();
  expect(new PinsFile(file).of("constructor")).toBeUndefined();
  new PinsFile(file).forget("a");
  expect(new PinsFile(file).of("a")).toBeUndefined();
  writeFileSync(file, "{");
  expect(() => new PinsFile(file).of("a")).toThrow(/pins of MCP servers/);
  expect(() => new PinsFile(file).keep("a", pins)).toThrow();
});
