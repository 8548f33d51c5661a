// The npm package, from an empty folder: built, installed from its tarball, used as people would.

import { createHash } from "node:crypto";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { peerCommand } from "../peers/peer.ts";

const run = promisify(execFile);
const repository = fileURLToPath(new URL("../..", import.meta.url));
const top = mkdtempSync(join(tmpdir(), "aos-package-"));
const project = join(top, "project");
const env = { ...process.env, AOS_HOME: join(top, "home"), AOS_HTTP: "off", NO_COLOR: "1" };

const [publint, attw] = [peerCommand("publint"), peerCommand("attw")];
const missing = publint === undefined || attw === undefined;

const build = async (to: string): Promise<string> => {
  const { stdout } = await run("npm", ["run", "-s", "package", "--", "--to", join(top, to)], {
    cwd: repository,
  });
  return stdout.trim();
};
const aos = async (...words: string[]): Promise<string> => {
  const { stdout } = await run(join(project, "node_modules/.bin/aos"), words, {
    cwd: project,
    env,
  });
  return stdout;
};
const write = (path: string, text: string) => {
  mkdirSync(join(project, path, ".."), { recursive: true });
  writeFileSync(join(project, path), text);
};

describe("the npm package", () => {
  let tarball: string;

  beforeAll(async () => {
    tarball = await build("first");
    write("package.json", '{ "private": true, "type": "module" }');
    await run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", tarball], {
      cwd: project,
    });
  });
  afterAll(async () => {
    await aos("down").catch(() => "");
    rmSync(top, { recursive: true, force: true });
  });

  test("two builds of one source are the same bytes", async () => {
    const digest = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");

    const again = await build("second");

    expect(digest(again)).toBe(digest(tarball));
  });

  test("it holds no test, no fixture and no TypeScript source of ours but the templates", async () => {
    const { stdout } = await run("tar", ["-tzf", tarball]);
    const files = stdout.trim().split("\n");
    const ours = files.filter((file) => !file.startsWith("package/cli/templates/"));

    expect(ours.filter((file) => /\.test\.|fixture|__pycache__/.test(file))).toEqual([]);
    expect(ours.filter((file) => /(?<!\.d)\.ts$/.test(file))).toEqual([]);
    expect(files).toContain("package/dashboard/dist/index.html");
  });

  test.skipIf(missing)("publint and arethetypeswrong find nothing", async () => {
    await run(publint!, ["--strict", join(project, "node_modules/agent-os")], { env });
    await run(attw!, ["--profile", "esm-only", tarball], { env });
  });

  test("a daemon starts, and runs agents, project tools and programs in TypeScript and Python", async () => {
    await aos("up", "-d");
    await aos("init", "hello", "greeter");
    await aos("init", "tools", "notes");
    await aos("init", "python", "counter");
    await aos("trust", "notes", "--yes");
    cpSync(join(repository, "examples/typescript-agent"), join(top, "elsewhere"), {
      recursive: true,
    });

    expect(await aos("run", "greeter", "hi")).toContain("Hello!");
    expect(await aos("run", "notes", "/work/note.txt", "--dir", "notes")).toContain('"words":');
    expect(await aos("run", "counter", "one two")).toContain('"words": 2');
    expect(await aos("run", join(top, "elsewhere"), "ada")).toContain('"winner": "ada"');
    await aos("doctor", "--attack", "--only", "A1"); // its package came along; fails if it gets through
  });

  test("a kernel is embedded, and its types and those of a tool pass a strict compiler", async () => {
    write("embed.ts", EMBEDDED);
    write("tsconfig.json", TSCONFIG);
    const tsc = join(repository, "node_modules/typescript/bin/tsc");
    const PATH = [join(repository, "node_modules/.bin"), process.env["PATH"]].join(delimiter);

    await run(process.execPath, [tsc, "-p", project], { env: { ...env, PATH } });
    const { stdout } = await run(process.execPath, ["embed.ts"], { cwd: project, env });

    expect(JSON.parse(stdout)).toEqual({ said: "HELLO ADA" });
  });
});

const EMBEDDED = `
import { createKernel, defineProgram, defineTool, testing, z, type Json } from "agent-os";
import { createClient } from "agent-os/client";
import { failures } from "agent-os/protocol";
import { runProgram } from "agent-os/sdk";

const shout = defineTool({
  name: "text.shout",
  version: "1",
  description: "Shout.",
  input: z.strictObject({ text: z.string() }),
  effect: "read",
  run: async ({ text }, context) => {
    const isOver: boolean = context.signal.aborted;
    return { said: isOver ? "" : text.toUpperCase() };
  },
});
const greet = defineProgram(async (sys, name) => {
  const said: Json = await sys.exec("text.shout", { text: \`hello \${name}\` });
  return said;
});
const kernel = await createKernel({ tools: [shout], programs: { greet } });
const pid = await kernel.spawn({ agent: "greet", input: "Ada", capabilities: ["tool:text.shout:call"] });
const { output } = await kernel.wait(pid);
await kernel.close();
if (![createClient, runProgram, testing.runAgentTest].every((one) => typeof one === "function")) throw failures;
console.log(JSON.stringify(output));
`;

const TSCONFIG = JSON.stringify({
  compilerOptions: {
    module: "nodenext",
    target: "es2024",
    strict: true,
    noEmit: true,
    types: ["node"],
    typeRoots: [join(repository, "node_modules/@types")],
  },
  include: ["embed.ts", "notes/.agents/tools/notes.ts"],
});
