// The npm package, from an empty folder: built, installed from its tarball, used as people would.

import { createHash } from "node:crypto";
import { execFile } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { peerCommand } from "../peers/peer.ts";

const run = promisify(execFile);
const repository = fileURLToPath(new URL("../..", import.meta.url));
const top = mkdtempSync(join(tmpdir(), "aos-package-"));
const project = join(top, "project");
const modules = join(project, "node_modules");
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
    rmSync(top, { recursive: true, force: true, maxRetries: 20 });
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
    for (const role of readdirSync(join(repository, "daemon/roles")))
      expect(files).toContain(`package/daemon/roles/${role}`);
  });

  test("its README, manual pages and source maps lead to files that are there", () => {
    const inside = join(modules, "agent-os");
    const text = (file: string) => readFileSync(join(inside, file), "utf8");
    const { man } = JSON.parse(text("package.json")) as { man: string[] };
    const links = [...text("README.md").matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, to]) => to!);
    const maps = (readdirSync(inside, { recursive: true }) as string[]).filter((file) =>
      /^(?!node_modules).*\.js\.map$/.test(file),
    );

    expect(links).toContain("docs/first-steps.md");
    expect(man).toContain("./man/man1/aos.1");
    expect([...links, ...man].filter((file) => !existsSync(join(inside, file)))).toEqual([]);
    expect(maps.length).toBeGreaterThan(100);
    for (const map of maps) {
      expect(existsSync(join(inside, map.slice(0, -".map".length)))).toBe(true);
      expect(JSON.parse(text(map))).toMatchObject({ sourcesContent: [expect.any(String)] });
    }
  });

  test("PACKAGE-3: on an older Node the library says which one it needs, and nothing else", async () => {
    write("older.cjs", OLDER_NODE);
    write("uses.mjs", 'import { createKernel } from "agent-os"; console.log(typeof createKernel);');
    const importing = run(process.execPath, ["-r", "./older.cjs", "uses.mjs"], { cwd: project });

    await expect(importing).rejects.toMatchObject({
      stderr: expect.stringContaining("agent-os needs Node 24 or newer, and this is Node 20.11.0"),
    });
  });

  test("an installation without Node is under 150 MB, in bytes and on the disk", async () => {
    const kilobytes = async (...options: string[]) => {
      const { stdout } = await run("du", ["-sk", ...options, "--exclude=node-linux-*", modules]);
      return Number.parseInt(stdout, 10);
    };

    expect(await kilobytes()).toBeLessThan(150_000);
    expect(await kilobytes("--apparent-size")).toBeLessThan(150_000);
  });

  test("what it carries of other packages is enough to count tokens and to ask Ollama", async () => {
    write("node_modules/agent-os/try.mjs", LOADS_BUNDLED);

    const { stdout } = await run(process.execPath, [join(modules, "agent-os/try.mjs")]);

    expect(JSON.parse(stdout)).toEqual({ tokens: 4, ollama: "ollama.responses" });
  });

  test("aos names the Node that it needs where there is none, in one sentence", async () => {
    const bare = join(top, "bare");
    cpSync(join(modules, "agent-os"), join(bare, "node_modules/agent-os"), { recursive: true });
    write("../old/node", "#!/bin/sh\necho v20.11.0\n");
    chmodSync(join(top, "old/node"), 0o755);
    const aosThere = join(bare, "node_modules/agent-os/cli/bin/aos");
    const starting = (PATH: string) => run("/bin/sh", [aosThere, "--version"], { env: { PATH } });

    await expect(starting(`${join(top, "old")}:/bin`)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^aos: Node 24 or newer is needed.*found: v20\.11\.0/),
    });
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

    expect(await aos("role", "ls")).toMatch(/generalist[\s\S]*writer/);
    expect(await aos("run", "greeter", "hi")).toContain("Hello!");
    expect(await aos("run", "notes", "/work/note.txt", "--dir", "notes")).toContain('"words":');
    expect(await aos("run", "counter", "one two")).toContain('"words": 2');
    expect(await aos("run", join(top, "elsewhere"), "ada")).toContain('"winner": "ada"');
    await aos("doctor", "--attack", "--only", "A1"); // its package came along; fails if it gets through
  });

  test("a kernel is embedded, and its types and those of a tool pass a strict compiler", async () => {
    write("embed.ts", EMBEDDED);
    write("browser.ts", IN_A_BROWSER);
    write("tsconfig.json", tsconfig(["embed.ts", "notes/.agents/tools/notes.ts"]));
    write("tsconfig.browser.json", tsconfig(["browser.ts"]));
    const tsc = join(repository, "node_modules/typescript/bin/tsc");

    await run(process.execPath, [tsc, "-p", project], { env });
    await run(process.execPath, [tsc, "-p", join(project, "tsconfig.browser.json")], { env });
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

const OLDER_NODE = `
Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.11.0" } });
`;

const IN_A_BROWSER = `
import { createClient } from "agent-os/client";
import { failures } from "agent-os/protocol";

// @ts-expect-error The types of Node are not here.
export const all = [createClient, failures, Buffer];
`;

const LOADS_BUNDLED = `
import { createOllama } from "ollama-ai-provider-v2";
import { sizeOf } from "./drivers/src/models/provider/tokens.js";

const { provider } = createOllama({ baseURL: "http://127.0.0.1:1/api" })("tiny");
console.log(JSON.stringify({ tokens: sizeOf("tokens of a text").tokens, ollama: provider }));
`;

/** Nothing but the defaults of a new project: what else is needed comes with the package. */
const tsconfig = (include: readonly string[]) =>
  JSON.stringify({
    compilerOptions: { module: "nodenext", target: "es2024", strict: true, noEmit: true },
    include,
  });
