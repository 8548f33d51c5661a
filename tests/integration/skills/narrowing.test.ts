// A skill's allowed tools hold whoever reads it: in the kernel, and whatever becomes of the process.

import type { Json, JournalRecord, Sys } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { bootForTest, codeOf, manifest, mortal, TOOLS, until } from "../../helpers/kernel.ts";
import { providerOf } from "./skill-provider.ts";

const skills = providerOf({
  careful: { allowedTools: ["look", "agent.*", "message.receive"] },
  strict: { allowedTools: ["look", "message.receive"] },
  other: { allowedTools: ["set", "look"] },
  none: { allowedTools: [] },
  free: {},
});

const holds = [...TOOLS, "memory:/mem/**:read,write,list,search,remove", "agent:*:spawn"];
const given = (name: string, more: object = {}) =>
  manifest(name, { skills: ["*"], tools: ["*"], capabilities: holds, ...more });

const run = async (
  work: (sys: Sys) => Promise<Json>,
  more: object = {},
): Promise<{ output: Json; records: JournalRecord[] }> => {
  const { kernel } = await bootForTest({ programs: { work }, skills });
  const pid = await kernel.spawn({ manifest: given("work", more) });
  const { output } = await kernel.wait(pid);
  return { output, records: await kernel.journal(pid) };
};

const activate = (sys: Sys, name: string) => sys.read(`/skills/${name}/SKILL.md`);
const tryTools = async (sys: Sys): Promise<Json> => [
  await codeOf(sys.exec("look", {})),
  await codeOf(sys.exec("set", {})),
  await codeOf(sys.exec("pay", {})),
];

test("after it was read only its tools are left, and they are all that is offered", async () => {
  const { output, records } = await run(async (sys) => {
    const before = await tryTools(sys);
    await activate(sys, "strict");
    const offers = (await sys.read("/self/tools")) as { name: string }[];
    return [before, await tryTools(sys), offers.map(({ name }) => name)];
  });

  expect(output).toEqual([["ok", "ok", "ok"], ["ok", "EPOLICY", "EPOLICY"], ["look"]]);
  expect(records.filter((record) => "narrowing" in record)).toMatchObject([
    { call: "read", narrowing: [{ skill: "strict", tools: ["look", "message.receive"] }] },
  ]);
});

test("the refusal names the skill and what it leaves", async () => {
  const { output } = await run(async (sys) => {
    await activate(sys, "strict");
    return sys.exec("set", {}).then(
      () => null,
      ({ message, hint, detail }) => ({ message, hint, detail }),
    );
  });

  expect(output).toEqual({
    message: "the skill strict does not allow set",
    hint: "since it was read these are left: look message.receive",
    detail: { skill: "strict", allowed: ["look", "message.receive"] },
  });
});

test("two skills leave what both allow; one without a list, and one read again, take nothing", async () => {
  const { output, records } = await run(async (sys) => {
    await activate(sys, "free");
    const free = await tryTools(sys);
    await activate(sys, "other");
    const other = await tryTools(sys);
    await activate(sys, "other");
    await activate(sys, "strict");
    await activate(sys, "free");
    return [free, other, await tryTools(sys), await sys.read("/self/narrowing")];
  });

  expect(output).toEqual([
    ["ok", "ok", "ok"],
    ["ok", "ok", "EPOLICY"],
    ["ok", "EPOLICY", "EPOLICY"],
    [
      { skill: "other", tools: ["set", "look"] },
      { skill: "strict", tools: ["look", "message.receive"] },
    ],
  ]);
  expect(records.filter((record) => "narrowing" in record)).toHaveLength(2);
});

test("it never gives what a capability does not", async () => {
  const { output } = await run(
    async (sys) => {
      await activate(sys, "other");
      return tryTools(sys);
    },
    { capabilities: ["tool:look:call", "tool:pay:call"] },
  );

  expect(output).toEqual(["ok", "EACCES", "EPOLICY"]);
});

test("a system call that models know as a tool is held as that tool; what reads its own is free", async () => {
  const { output } = await run(async (sys) => {
    const { pid } = await sys.self();
    const fd = await sys.open("/mem/working/a", "append");
    await activate(sys, "none");
    const codes: Record<string, string> = {};
    const attempt = async (name: string, call: Promise<unknown>) => {
      codes[name] = await codeOf(call);
    };
    await attempt("write", sys.write("/mem/working/a", 1));
    await attempt("write by stream", sys.write(fd, "x"));
    await attempt("read", sys.read("/mem/working/a"));
    await attempt("open", sys.open("/mem/working/a"));
    await attempt("open to append", sys.open("/mem/working/a", "append"));
    await attempt("list", sys.list("/mem/working"));
    await attempt("search", sys.search("/mem/working", "x"));
    await attempt("remove", sys.remove("/mem/working/a"));
    await attempt("spawn", sys.spawn("work", null));
    await attempt("send", sys.send(pid, 1));
    await attempt("request", sys.request(pid, 1));
    await attempt("wait", sys.wait(pid));
    await attempt("publish", sys.publish("t", 1));
    await attempt("subscribe", sys.subscribe("t"));
    await attempt("receive", sys.receive({ until: 0 }));
    await attempt("ask", sys.ask("?"));
    const free = [
      await codeOf(sys.read("/self/tools")),
      await codeOf(sys.list("/self")),
      await codeOf(sys.list("/skills")),
      await codeOf(activate(sys, "free")),
      await codeOf(sys.now()),
      await codeOf(sys.checkpoint(1)),
    ];
    return [codes, free];
  });

  const [codes, free] = output as [Record<string, string>, string[]];
  expect(new Set(Object.values(codes))).toEqual(new Set(["EPOLICY"]));
  expect(Object.keys(codes)).toHaveLength(16);
  expect(free).toEqual(["ok", "ok", "ok", "ok", "ok", "ok"]);
});

test("a child is held by what holds its parent, and not by what comes later", async () => {
  const child = async (sys: Sys) => {
    const before = await tryTools(sys);
    await sys.receive();
    return [before, await tryTools(sys)];
  };
  const parent = async (sys: Sys): Promise<Json> => {
    const early = await sys.spawn("child", null);
    await activate(sys, "careful");
    const late = await sys.spawn("child", null);
    return [(await sys.wait(early)).output, (await sys.wait(late)).output];
  };
  const { kernel, again } = await bootForTest({
    programs: { child, parent },
    skills,
    agents: (name) => (name === "child" ? { manifest: given("child") } : undefined),
  });
  const pid = await kernel.spawn({ manifest: given("parent") });
  const children = async () =>
    (await kernel.list({})).filter(({ agent, state }) => agent === "child" && state === "waiting");
  await until(async () => (await children()).length === 2);
  const pids = (await children()).map((child) => child.pid);

  const { kernel: next } = await again();
  for (const child of pids) await next.send(child, "go");

  const allowed = ["ok", "ok", "ok"];
  const held = ["ok", "EPOLICY", "EPOLICY"];
  expect((await next.wait(pid)).output).toEqual([
    [allowed, allowed],
    [held, held],
  ]);
});

describe("it stays, whatever becomes of the process", () => {
  const waits = async (sys: Sys, _input: Json, state?: Json): Promise<Json> => {
    if (state === undefined) {
      await activate(sys, "strict");
      await sys.checkpoint("read");
    }
    await sys.receive();
    await sys.receive();
    return tryTools(sys);
  };
  const held = ["ok", "EPOLICY", "EPOLICY"];

  test("a new daemon finds it in the journal, and beyond a checkpoint too", async () => {
    const { kernel, again } = await bootForTest({ programs: { waits }, skills });
    const pid = await kernel.spawn({ manifest: given("waits") });
    await until(async () => (await kernel.show(pid)).state === "waiting");

    const second = await again();
    await second.kernel.send(pid, "one");
    const kinds = async () => (await second.kernel.journal(pid)).map(({ kind }) => kind);
    await until(
      async () => (await kinds()).at(-1) === "call" && (await kinds()).includes("restart"),
    );
    const third = await second.crash({ skills: providerOf({}) });
    await third.kernel.send(pid, "two");

    expect((await third.kernel.wait(pid)).output).toEqual(held);
  });

  test("it is there when the program, started again after an error, begins anew", async () => {
    const fails = async (sys: Sys): Promise<Json> => {
      if ((await codeOf(sys.read("/mem/working/none"))) === "ENOENT") {
        await activate(sys, "strict");
        throw new Error("once");
      }
      return tryTools(sys);
    };
    const { kernel } = await bootForTest({ programs: { fails }, skills });
    const restart = { on: ["error"], backoff: "1ms" };
    const pid = await kernel.spawn({ manifest: given("fails", { restart }) });

    expect((await kernel.wait(pid)).output).toEqual(held);
    expect((await kernel.journal(pid)).find(({ kind }) => kind === "restart")).toMatchObject({
      narrowing: [{ skill: "strict", tools: ["look", "message.receive"] }],
    });
  });

  test("it is there after its program was killed and has lived through its journal again", async () => {
    const program = async (sys: Sys): Promise<Json> => {
      await activate(sys, "strict");
      await sys.now();
      return tryTools(sys);
    };
    const { kernel } = await bootForTest({ skills, foreign: mortal(program, [1, 2]) });
    const { program: _none, ...dies } = given("dies", {
      command: ["x"],
      restart: { on: ["crash"], backoff: "1ms" },
    }) as { program: string };
    const pid = await kernel.spawn({ manifest: dies as never });

    expect((await kernel.wait(pid)).output).toEqual(held);
  });

  test("a fork has it from where it was read on", async () => {
    const reads = async (sys: Sys): Promise<Json> => {
      await sys.now();
      await activate(sys, "strict");
      await sys.now();
      return tryTools(sys);
    };
    const { kernel } = await bootForTest({ programs: { reads }, skills });
    const pid = await kernel.spawn({ manifest: given("reads") });
    await kernel.wait(pid);

    const forked = await kernel.fork(pid, { at: 3 });

    expect((await kernel.wait(forked)).output).toEqual(held);
  });
});
