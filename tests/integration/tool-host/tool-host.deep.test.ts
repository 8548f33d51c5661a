// The tools of a project, in a real host: what they are, what they can reach, and how they end.

import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { SysError } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { deviceContextForTest } from "../../helpers/drivers/device-context.ts";
import { moduleOf, rigWith, useWorkshop } from "./rig.ts";

useWorkshop();

const WEATHER = `
import { defineTool, z } from "agent-os";
import { shout } from "./lib/shout.ts";
import { z as again } from "zod";
import units from "./lib/units.json" with { type: "json" };

interface Sky { readonly text: string }

export const now = defineTool({
  name: "weather.now",
  version: "3",
  description: "Say what the weather is in a city.",
  tags: ["weather"],
  input: z.strictObject({ city: z.string().regex(/^[A-Z]/), unit: again.enum(["C", "F"]).default("C") }),
  output: z.strictObject({ text: z.string() }),
  effect: "read",
  egress: true,
  touches: [{ kind: "http", resource: "weather.example/{city}", verb: "get" }],
  run: async ({ city, unit }): Promise<Sky> => ({ text: shout(\`12 \${units[unit]} in \${city}\`) }),
});
export const broken = defineTool({
  name: "weather.broken",
  version: "1",
  description: "Promises what it does not keep.",
  input: z.object({}),
  output: z.object({ celsius: z.number() }),
  effect: "read",
  run: async () => ({ celsius: "warm" }),
});
`;

const FILES = {
  "weather.ts": WEATHER,
  "lib/shout.ts": "export const shout = (text: string): string => text.toUpperCase();",
  "lib/units.json": '{ "C": "Celsius", "F": "Fahrenheit" }',
};

describe("a project's tools", () => {
  test("are described, checked and called", async () => {
    const { tools, tool, call } = rigWith(FILES);
    const context = deviceContextForTest();

    expect((await tools()).map(({ name }) => name).toSorted()).toEqual([
      "weather.broken",
      "weather.now",
    ]);
    const now = await tool("weather.now");
    expect(now).toMatchObject({ source: "project", tags: ["weather"], sandbox: "process" });
    expect(now.version).toMatch(/^3\+[0-9a-f]{12}$/);
    expect(now.refuses?.({ city: 7 })).toMatch(/city/);
    expect(now.touches({ city: "Bern" }, { workspace: { isCow: false } })).toEqual([
      { kind: "http", resource: "weather.example/Bern", verb: "get" },
    ]);
    expect(await call("weather.now", { city: "Bern" }, context)).toEqual({
      text: "12 CELSIUS IN BERN",
    });
    expect(context.held).toEqual([expect.stringContaining("fs, net")]);
    await expect(call("weather.now", { city: "bern" })).rejects.toMatchObject({ code: "EINVAL" });
    await expect(call("weather.broken", {})).rejects.toMatchObject({
      code: "EUPSTREAM",
      message: expect.stringMatching(/does not match its output schema[^]*celsius/),
    });
  });

  test("that cannot be are left out, and it is said once which and why", async () => {
    const { tools, flaws } = rigWith({
      "good.ts": moduleOf("good.one", "return 1;"),
      "same.ts": moduleOf("good.one", "return 2;"),
      "function.ts": moduleOf("bad.touches", "", "touches: () => [],"),
      "sinks.ts": moduleOf("bad.sinks", "", "sinks: () => [],"),
      "label.ts": moduleOf("bad.label", "", 'label: { integrity: "trusted", secrecy: "public" },'),
      "name.ts": moduleOf("Bad Name", ""),
      "import.ts": 'import "no-such-package";',
      "syntax.ts": "export const = 7",
      "enum.ts": "export enum A { B }",
      "nothing.ts": "export const a = 1;",
    });

    expect((await tools()).map(({ name }) => name)).toEqual(["good.one"]);
    await tools();
    expect(flaws.length).toBe(9);
    const said = (file: string) => flaws.find((flaw) => flaw.includes(`/.agents/tools/${file}`));
    expect(said("same.ts")).toMatch(/two tools are called good.one/);
    expect(said("function.ts")).toMatch(/declare it as data: touches: \[\{ kind:/);
    expect(said("sinks.ts")).toMatch(/sinks: \["write"\]/);
    expect(said("label.ts")).toMatch(/untrusted/);
    expect(said("name.ts")).toMatch(/a name like/);
    expect(said("import.ts")).toMatch(/import\.ts:1: .*no-such-package/);
    expect(said("syntax.ts")).toMatch(/syntax\.ts:1: /);
    expect(said("nothing.ts")).toMatch(/defineTool/);
  });

  test("of a module that does not come to an end are left out, and it is named", async () => {
    const { tools, provider, scope } = rigWith(
      { "a.ts": moduleOf("a.b", ""), "loop.ts": "for (;;);" },
      { loadMs: 3000 },
    );

    expect(await tools()).toEqual([]);
    const message = expect.stringMatching(/loop.ts took longer than 3000 ms/) as string;
    expect(provider.flaws(scope)).toMatchObject([{ message }]);
  });

  test("may use the project's packages", async () => {
    const { call } = rigWith({
      "/node_modules/leftish/package.json": '{ "name": "leftish", "main": "index.js" }',
      "/node_modules/leftish/index.js": "exports.pad = (text) => ' ' + text;",
      "/node_modules/zod/package.json": '{ "name": "zod", "main": "index.js" }',
      "/node_modules/zod/index.js": "throw new Error('not this one')",
      "pad.ts": `import { pad } from "leftish";${moduleOf("text.pad", "return pad(args.text);")}`,
    });

    expect(await call("text.pad", { text: "a" })).toBe(" a");
  });

  test("are those on the disk: a change is seen, and what was changed is not run", async () => {
    const { write, tool, call } = rigWith({ "a.ts": moduleOf("a.b", "return 1;") });
    const before = await tool("a.b");
    expect(await call("a.b", {})).toBe(1);

    write("a.ts", moduleOf("a.b", "return 2;"));

    expect(await call("a.b", {})).toBe(2);
    const after = await tool("a.b");
    expect(after.version).not.toBe(before.version);
    await expect(before.run({}, deviceContextForTest())).rejects.toMatchObject({ code: "ESTATE" });
  });

  test("run the text that was read, whatever is on the disk meanwhile", async () => {
    const { folder, tool } = rigWith({
      "a.ts": moduleOf("a.b", "return (await import(`./lib/${args.name}.ts`)).late;"),
      "lib/late.ts": 'export const late = "as read";',
    });
    const asked = await tool("a.b");

    for (const name of ["late", "added"])
      writeFileSync(join(folder, `.agents/tools/lib/${name}.ts`), 'export const late = "new";');

    const run = (name: string) => asked.run({ name }, deviceContextForTest());
    expect(await run("late")).toBe("as read");
    await expect(run("added")).rejects.toThrow(
      "lib/added.ts did not exist when the tools were read",
    );
  });

  test("of one tenant share nothing with those of another", async () => {
    const { call, provider, scope } = rigWith({
      "a.ts": `let count = 0;\n${moduleOf("a.b", "return ++count;")}`,
    });
    await call("a.b", {});
    expect(await call("a.b", {})).toBe(2);

    const other = { ...deviceContextForTest(), tenant: "other" };
    const [tool] = provider.tools(scope);

    expect(await tool?.run({}, other)).toBe(1);
  });
});

describe("a tool reaches", () => {
  const TOUCHING = { "eval.ts": moduleOf("eval.it", "return (0, eval)(args.code)(context);") };
  const reaching = (more = "") => {
    const { call } = rigWith(
      more === ""
        ? TOUCHING
        : { "eval.ts": moduleOf("eval.it", "return (0, eval)(args.code)(context);", more) },
    );
    return (code: string, context = deviceContextForTest()) =>
      call("eval.it", { code: `async (context) => { ${code} }` }, context);
  };

  test("it reaches no file of the machine, no variable of the daemon, no socket and no process", async () => {
    const run = reaching();
    process.env["AOS_TEST_SECRET"] = "in the daemon's environment";

    expect(await run('return (await import("node:fs")).existsSync("/etc/shadow")')).toBe(false);
    expect(await run("return process.env.AOS_TEST_SECRET ?? null")).toBeNull();
    expect(
      await run(
        `return (await import("node:fs")).readdirSync("/proc").filter((n) => +n > 0).length`,
      ),
    ).toBeLessThan(5);
    expect(
      await run(`const { connect } = await import("node:net");
        return new Promise((r) => connect(80, "127.0.0.1").on("error", (e) => r(e.code)));`),
    ).toBe("EPERM");
    await expect(
      run(`(await import("node:fs")).writeFileSync(process.cwd() + "/../usr/x", "")`),
    ).rejects.toThrow(/EROFS|EACCES|ENOENT/);
  });

  test("nothing of its project but its tools and packages, and those to read", async () => {
    const rig = rigWith({
      "eval.ts": moduleOf("eval.it", "return (0, eval)(args.code)(context);"),
      "/secret.txt": "key",
      "/node_modules/x/index.js": "",
    });
    const run = (code: string) =>
      rig.call("eval.it", { code: `async () => { const fs = await import("node:fs"); ${code} }` });
    const at = (name: string) => JSON.stringify(join(rig.folder, name));

    expect(await run(`return fs.readdirSync(${at("")}).toSorted()`)).toEqual([
      ".agents",
      "node_modules",
    ]);
    for (const place of [".agents/tools/eval.ts", "node_modules/x/index.js"]) {
      chmodSync(join(rig.folder, place), 0o666); // so that it is not the file that forbids it
      await expect(run(`fs.writeFileSync(${at(place)}, "")`)).rejects.toThrow(/EROFS/);
    }
  });

  test("files and the web by asking, within what it stated and the caller holds", async () => {
    await using web = createServer((_request, response) => response.end("from the web"));
    await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
    const { port } = web.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/page`;
    const stated = reaching("egress: true,");
    const silent = reaching();
    const holdsNothing = deviceContextForTest({ grants: () => false });

    expect(await stated(`return (await context.fetch("${url}")).text`)).toBe("from the web");
    const fetching = `return context.fetch("${url}")`;
    await expect(silent(fetching)).rejects.toThrow(/without declaring egress: true/);
    await expect(stated(fetching, holdsNothing)).rejects.toMatchObject({ code: "EACCES" });
    expect(await silent('return (await context.list("/")).cut')).toBe(false);
    await expect(
      silent('return context.list("/")', deviceContextForTest({ grants: () => false })),
    ).rejects.toMatchObject({ code: "EACCES" });
    await expect(silent('return context.write("/work/a", "b")')).rejects.toThrow(
      /without declaring/,
    );
  });

  test("the gate, and a failure of its own keeps its code", async () => {
    const run = reaching();
    const touch = '{ kind: "http", resource: "a.example/", verb: "get" }';

    expect(await run(`await context.authorize(${touch}); return context.permits(${touch})`)).toBe(
      true,
    );
    await expect(
      run(`await context.authorize(${touch})`, deviceContextForTest({ grants: () => false })),
    ).rejects.toMatchObject({ code: "EACCES" });
    const own = rigWith({ "a.ts": moduleOf("a.b", 'throw new SysError("ENOENT", "no city");') });
    await expect(own.call("a.b", {})).rejects.toMatchObject({
      code: "ENOENT",
      message: "no city",
    });
  });
});

describe("a tool that", () => {
  const misbehaving = (body: string, callMs: number) =>
    rigWith(
      { "bad.ts": moduleOf("bad.one", body), "good.ts": moduleOf("good.one", "return 1;") },
      { callMs, graceMs: 200 },
    );

  test.each([
    ["exits", "process.exit(3);", /exit code 3/],
    ["throws", 'throw new Error("no luck");', /bad.one: no luck/],
    [
      "breaks the protocol",
      '(await import("node:fs")).writeSync(1, "garbage\\n"); await new Promise(() => {});',
      /is not the protocol/,
    ],
    [
      "fills its heap",
      "const all = []; for (;;) all.push(new Array(1e6).fill(Math.random()));",
      /memory: its heap has more than 256 MiB/,
    ],
    [
      "fills its memory",
      "const all = []; for (;;) all.push(Buffer.alloc(1e7, 1));",
      /memory: more than 512 MiB/,
    ],
    ["computes for ever", "for (;;);", /bad.one took longer than 5000 ms/],
    ["waits for ever", "await new Promise(() => {});", /bad.one took longer than 5000 ms/],
  ])("%s fails with why, and the next call is answered", async (_what, body, why) => {
    // Only what runs for ever is ended by its time, on any machine.
    const { call } = misbehaving(body, String(why).includes("longer") ? 5000 : 600_000);

    await expect(call("bad.one", {})).rejects.toThrow(why);
    expect(await call("good.one", {})).toBe(1);
  });

  test("does not stop when it is told to takes the others with it, and they are told", async () => {
    const { call } = rigWith(
      {
        "bad.ts": moduleOf("bad.one", `await context.permits(args.touch); for (;;);`),
        "slow.ts": moduleOf(
          "slow.one",
          `await context.permits(args.touch); await new Promise(() => {});`,
        ),
      },
      { graceMs: 100 },
    );
    const begin = async (name: string, signal = new AbortController().signal) => {
      const begun = Promise.withResolvers<void>();
      const grants = () => (begun.resolve(), true);
      const args = { touch: { kind: "file", resource: "/a", verb: "read" } };
      const failed = call(name, args, deviceContextForTest({ signal, grants })).catch(
        (error: unknown) => error as SysError,
      );
      await begun.promise;
      return { failed };
    };
    const stop = new AbortController();
    const other = await begin("slow.one");
    const bad = await begin("bad.one", stop.signal);

    stop.abort(new SysError("ETIMEDOUT", "it took longer than 5 ms"));

    expect(await bad.failed).toMatchObject({ code: "ETIMEDOUT" });
    expect(await other.failed).toMatchObject({
      code: "EUPSTREAM",
      message: expect.stringMatching(/slow.one: the tool host ended: bad.one did not stop/),
    });
  });

  test("listens is told that nobody waits any more", async () => {
    const { call, tools } = rigWith({
      "a.ts": moduleOf(
        "a.b",
        `return new Promise((_, reject) =>
           context.signal.addEventListener("abort", () => reject(context.signal.reason)));`,
      ),
    });
    await tools();
    const stop = new AbortController();
    const waiting = call("a.b", {}, deviceContextForTest({ signal: stop.signal }));
    setTimeout(() => stop.abort(new SysError("EINTR", "killed")), 200);

    await expect(waiting).rejects.toMatchObject({ code: "EINTR", message: "killed" });
  });

  test("prints talks to nobody", async () => {
    const { call } = rigWith({
      "a.ts": moduleOf("a.b", 'console.log("hello"); process.stdout.write("x"); return 1;'),
    });

    expect(await call("a.b", {})).toBe(1);
  });
});

describe("programs as data", () => {
  const COUNT = [
    "name: text.count",
    "description: Count lines.",
    "program: wc",
    "input: { type: object, required: [text], properties: { text: { type: string } } }",
    "stdin: text",
    'argv: ["-l"]',
  ].join("\n");

  test("are on the same provider, and a wrong one keeps no other away", async () => {
    const { tools, flaws, call } = rigWith({
      "count.yaml": COUNT,
      "wrong.yaml": `${COUNT}\ncolour: red\n`,
      "a.ts": moduleOf("a.b", "return 1;"),
    });

    expect((await tools()).map(({ name }) => name)).toEqual(["a.b", "text.count"]);
    expect(flaws).toEqual([expect.stringMatching(/wrong.yaml:7: .*colour/)]);
    expect(await call("text.count", { text: "a\nb\n" })).toMatchObject({ stdout: "2\n" });
  });
});

test("nothing of a host is left when the provider is closed", async () => {
  const { call, provider } = rigWith({ "a.ts": moduleOf("a.b", "return process.pid;") });
  await call("a.b", {});

  await provider.close();

  expect(processesOfHosts()).toEqual([]);
});

/** Of this test's own process. */
function processesOfHosts(): string[] {
  const children = `/proc/${process.pid}/task/${process.pid}/children`;
  if (!existsSync(children)) return [];
  return process
    .getBuiltinModule("node:fs")
    .readFileSync(children, "utf8")
    .split(" ")
    .filter((pid) => pid.trim() !== "");
}
