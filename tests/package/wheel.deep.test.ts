// The Python wheel: built, installed without a network into an environment of Debian's python3-venv, checked
// by mypy, and used by agents of a real daemon, sync and async.

import { execFile, execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestHome, type TestHome } from "../e2e/home.ts";

const run = promisify(execFile);
const repository = fileURLToPath(new URL("../..", import.meta.url));
const PYTHON = "/usr/bin/python3";
const MYPY = "/usr/bin/mypy";
const canHave = spawnSync(PYTHON, ["-c", "import venv, ensurepip"]).status === 0;
const hasMypy = spawnSync(MYPY, ["--version"]).status === 0;

describe.skipIf(!canHave && process.env["CI"] !== "true")("the Python wheel", () => {
  let top: string;
  let wheel: string;
  let home: TestHome;
  const env = () => join(top, "project/env");
  const build = async (to: string) => {
    const words = ["scripts/package-python.ts", "--to", join(top, to)];
    return (await run(process.execPath, words, { cwd: repository })).stdout.trim();
  };
  const write = (path: string, text: string) => {
    mkdirSync(join(top, "project", path, ".."), { recursive: true });
    writeFileSync(join(top, "project", path), text);
  };

  beforeAll(async () => {
    top = mkdtempSync(join(tmpdir(), "aos-wheel-"));
    wheel = await build("dist");
    write("README", "");
    execFileSync(PYTHON, ["-m", "venv", env()]);
    execFileSync(join(env(), "bin/pip"), ["install", "--quiet", "--no-index", wheel]);
    home = createTestHome({ AOS_HTTP: "off" });
  });
  afterAll(async () => {
    await home.remove();
    rmSync(top, { recursive: true, force: true, maxRetries: 20 });
  });

  /** An agent of the project with the installed package; its model is a script. */
  async function agent(name: string, program: string, script: string): Promise<string> {
    write(
      `${name}.yaml`,
      `apiVersion: aos/v1\nkind: Agent\nname: ${name}\ncommand: [env/bin/python, ${name}.py]\n` +
        `capabilities: ["model:scripted/${name}:infer", "memory:/mem/working/**:read,write,list"]\n`,
    );
    write(`${name}.py`, program);
    mkdirSync(join(home.folder, "scripts"), { recursive: true });
    writeFileSync(join(home.folder, "scripts", `${name}.yaml`), script);
    return join(top, "project", `${name}.yaml`);
  }

  test("two builds of one source are the same bytes, and every file is as RECORD says", async () => {
    const again = await build("again");
    const check = `
import base64, csv, hashlib, sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
record = next(name for name in wheel.namelist() if name.endswith("RECORD"))
for name, digest, size in csv.reader(wheel.read(record).decode().splitlines()):
    if name == record: continue
    found = base64.urlsafe_b64encode(hashlib.sha256(wheel.read(name)).digest()).rstrip(b"=").decode()
    assert digest == "sha256=" + found, name
assert wheel.testzip() is None
`;

    expect(readFileSync(again).equals(readFileSync(wheel))).toBe(true);
    execFileSync(PYTHON, ["-c", check, wheel]);
  });

  test("its version is the product's", () => {
    const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
      version: string;
    };
    const ask = "import importlib.metadata as m; print(m.version('agent-os'))";

    const said = execFileSync(join(env(), "bin/python"), ["-c", ask], { encoding: "utf8" });

    expect(said.trim()).toBe(version);
  });

  test.skipIf(!hasMypy)(
    "its types pass, and find a mistake in a program that uses it",
    async () => {
      write("right.py", SYNC_AGENT);
      write(
        "wrong.py",
        "import aos\n\ndef main(sys: aos.Sys) -> int:\n    return sys.now('x', 3)\n",
      );
      const python = join(env(), "bin/python");
      const words = ["--strict", "--python-version", "3.9", "--python-executable", python];
      const check = (...more: string[]) =>
        spawnSync(MYPY, [...words, ...more], { cwd: join(top, "project"), encoding: "utf8" });

      expect(check("--no-warn-return-any", "-p", "aos").stdout).toContain("no issues");
      expect(check("right.py").stdout).toContain("no issues");
      expect(check("wrong.py").stdout).toContain("Too many arguments");
    },
  );

  test("a sync agent calls its function, and reads what a wrong call was answered", async () => {
    const file = await agent("counter", SYNC_AGENT, SYNC_SCRIPT);

    const ran = await home.aos("run", file, "one two three");
    const replayed = await home.aos("replay", "@last", "--verify");

    expect([ran.stderr, ran.stdout.trim()]).toEqual([expect.any(String), "counted: 3"]);
    expect(replayed.code).toBe(0);
    expect((await home.aos("logs", "@last", "-o", "json")).stdout).toContain(
      "count needs the parameter text",
    );
  });

  test("an async agent runs calls of one answer at once, and is replayed byte for byte", async () => {
    const file = await agent("gather", ASYNC_AGENT, ASYNC_SCRIPT);

    const ran = await home.aos("run", file, "go");
    const replayed = await home.aos("replay", "@last", "--verify");

    expect([ran.stderr, ran.stdout.trim()]).toEqual([expect.any(String), "kept: [1, 2]"]);
    expect(replayed.stdout + replayed.stderr).toContain("identical");
  });

  test("an async program makes calls at once, and is refused a timer that is not the kernel's", async () => {
    const file = await agent("plain", ASYNC_PROGRAM, "turns: []\n");

    const ran = await home.aos("run", file, "[3, 1, 2]", "-o", "json");
    const refused = await home.aos("run", file, "timer", "-o", "json");

    expect(ran.json()).toMatchObject({
      exitCode: 0,
      output: { kept: [1, 2, 3], failed: "EACCES" },
    });
    expect(refused.json()).toMatchObject({ exitCode: 1, output: { error: { code: "ESTATE" } } });
  });
});

const SYNC_AGENT = `
from typing import Optional

import aos

agent = aos.Agent(model="scripted/counter", system="You count words. Use count.")


@agent.tool
def count(sys: aos.Sys, text: str, least: Optional[int] = None) -> int:
    """Count the words of a text."""
    words = len(text.split())
    sys.write("/mem/working/words", words)
    return words if least is None else max(words, least)


if __name__ == "__main__":
    agent.run()
`;
const SYNC_SCRIPT = `
turns:
  - say: I count.
    call: [{ tool: count, args: {} }]
  - say: "Again: {{last}}"
    call: [{ tool: count, args: { text: "{{input}}" } }]
  - say: "counted: {{last}}"
`;

const ASYNC_AGENT = `
import json
from typing import List

import aos

agent = aos.Agent(model="scripted/gather")


@agent.tool
async def keep(sys: aos.AsyncSys, number: int) -> str:
    """Keep a number."""
    await sys.write(f"/mem/working/{number}", number)
    return str(number)


@agent.tool
async def kept(sys: aos.AsyncSys) -> str:
    """The numbers that were kept."""
    return json.dumps([await sys.read(path) for path in sorted(await sys.list("/mem/working"))])


agent.run()
`;
const ASYNC_SCRIPT = `
turns:
  - say: I keep.
    call:
      - { tool: keep, args: { number: 2 } }
      - { tool: keep, args: { number: 1 } }
  - say: And look.
    call: [{ tool: kept, args: {} }]
  - say: "kept: {{last}}"
`;

const ASYNC_PROGRAM = `
import asyncio

import aos


async def main(sys: aos.AsyncSys, input: object) -> object:
    if input == "timer":
        await asyncio.sleep(1)
    numbers = [3, 1, 2]
    await asyncio.gather(*(sys.write(f"/mem/working/{one}", one) for one in numbers))
    kept = await asyncio.gather(*(sys.read(path) for path in sorted(await sys.list("/mem/working"))))
    try:
        await sys.exec("file.read", {"path": "/work/x"})
    except aos.SysError as error:
        return {"kept": kept, "failed": error.code}


aos.run(main)
`;
