// Power that is given after birth, handed on, leased and taken back.

import { expect, test } from "vitest";
import type { Sys, Tool } from "@aos/protocol";
import { bootForTest, codeOf, until } from "../../helpers/kernel.ts";

const LOOK = "tool:look:call";

/** Tries a call until it is told to stop: what each try came to. */
const trying = async (sys: Sys): Promise<unknown> => {
  const tries: string[] = [];
  for (;;) {
    const { body } = await sys.receive();
    if (body === "end") return tries;
    tries.push(await codeOf(sys.exec("look", {})));
    await sys.send((await sys.self()).pid, "tried").catch(() => {});
  }
};

test("a grant by the operator is held at once, and is in the process's journal", async () => {
  const { kernel } = await bootForTest({
    programs: {
      asker: async (sys) => {
        const before = await codeOf(sys.exec("look", {}));
        await sys.receive();
        return [before, await codeOf(sys.exec("look", {})), (await sys.self()).grants];
      },
    },
  });
  const pid = await kernel.spawn({ agent: "asker" });
  await until(async () => (await kernel.show(pid)).waitingOn === "message", "the wait");

  const { handle } = await kernel.grant({ pid }, { capabilities: [LOOK], by: "alice" });
  await kernel.send(pid, "go");

  const { output } = await kernel.wait(pid);
  expect(output).toEqual([
    "EACCES",
    "ok",
    [{ handle, capabilities: [LOOK], by: "alice", expiresAt: null }],
  ]);
  const records = await kernel.journal(pid);
  expect(records.filter(({ kind }) => kind === "grant")).toMatchObject([
    { handle, by: "alice", capabilities: [LOOK] },
  ]);
});

test("a grant to a process that left memory is there when it comes back, also after a restart", async () => {
  const booted = await bootForTest({ programs: { trying }, unloadAfterMs: 0 });
  const pid = await booted.kernel.spawn({
    agent: "trying",
    capabilities: ["tool:look:call{expires:1ms}"],
  });
  await until(async () => (await booted.kernel.status()).loaded === 0, "it has left memory");

  await booted.kernel.grant({ pid }, { capabilities: [LOOK], by: "alice" });
  const { kernel } = await booted.crash();
  await kernel.send(pid, "go");
  await kernel.send(pid, "end");

  expect((await kernel.wait(pid)).output).toContain("ok");
});

test("a lease ends by itself", async () => {
  const { kernel } = await bootForTest({ programs: { trying } });
  const pid = await kernel.spawn({ agent: "trying" });
  const expiresAt = Date.now() + 4000;
  await kernel.grant({ pid }, { capabilities: [LOOK], by: "alice", expiresAt });

  await kernel.send(pid, "go");
  await until(async () => Date.now() > expiresAt, "the lease is over");
  await kernel.send(pid, "go");
  await kernel.send(pid, "end");

  expect((await kernel.wait(pid)).output).toEqual(["ok", "EACCES"]);
  expect((await kernel.power({ pid })).holdings[1]).toMatchObject({ state: "expired" });
});

test("revoking stops a tool that runs by it before it returns, and what was handed on from it", async () => {
  let isStopped = false;
  const slow: Tool = {
    name: "slow",
    version: "1",
    description: "runs until it is stopped, and takes a moment to stop",
    input: {},
    effect: "read",
    label: { integrity: "trusted", secrecy: "public" },
    touches: () => [],
    run: (_args, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () =>
          setTimeout(() => {
            isStopped = true;
            reject(new Error("stopped"));
          }, 50),
        );
      }),
  };
  const { kernel } = await bootForTest({
    tools: [slow],
    programs: {
      child: async (sys) => {
        await sys.receive();
        const first = await codeOf(sys.exec("slow", {}));
        return [first, await codeOf(sys.exec("slow", {}))];
      },
      parent: async (sys) => {
        await sys.receive();
        const child = await sys.spawn("child", null, { capabilities: [] });
        await sys.grant(child, ["tool:slow:call"]);
        await sys.send(child, "go");
        return (await sys.wait(child)).output;
      },
    },
  });
  const pid = await kernel.spawn({ agent: "parent", capabilities: ["agent:child:spawn"] });
  const { handle } = await kernel.grant({ pid }, { capabilities: ["tool:slow:call"], by: "alice" });
  await kernel.send(pid, "go");
  await until(
    async () => (await kernel.list({ parent: pid }))[0]?.waitingOn === "tool",
    "the tool runs",
  );

  const { stopped } = await kernel.revoke(handle, "alice");

  expect(stopped).toBe(1);
  expect(isStopped).toBe(true);
  expect((await kernel.wait(pid)).output).toEqual(["EACCES", "EACCES"]);
});

test("what is held to use only is not handed on; what is held to grant is, and not used", async () => {
  const { kernel } = await bootForTest({
    programs: {
      child: async (sys) => {
        await sys.receive();
        return codeOf(sys.exec("look", {}));
      },
      parent: async (sys, input) => {
        const child = await sys.spawn("child", null, { capabilities: [] });
        const handed = await codeOf(sys.grant(child, [LOOK]));
        await sys.send(child, "go");
        const used = await codeOf(sys.exec("look", {}));
        return [input, handed, used, (await sys.wait(child)).output];
      },
    },
  });
  const run = async (hold: string) => {
    const capabilities = ["agent:child:spawn", `tool:look:call{hold:${hold}}`];
    return (await kernel.wait(await kernel.spawn({ agent: "parent", input: hold, capabilities })))
      .output;
  };

  expect(await run("use")).toEqual(["use", "EACCES", "ok", "EACCES"]);
  expect(await run("grant")).toEqual(["grant", "ok", "EACCES", "ok"]);
  expect(await run("both")).toEqual(["both", "ok", "ok", "ok"]);
});

test("a handle of another process is forgery, and forgery is death", async () => {
  const { kernel, runs } = await bootForTest({
    programs: {
      idle: async (sys) => void (await sys.receive()),
      thief: async (sys, input) => sys.exec("look", {}, { by: input as string }),
    },
  });
  const idle = await kernel.spawn({ agent: "idle" });
  const { handle } = await kernel.grant({ pid: idle }, { capabilities: [LOOK], by: "alice" });

  const ending = await kernel.wait(
    await kernel.spawn({ agent: "thief", input: handle, capabilities: [LOOK] }),
  );

  expect(ending).toMatchObject({ state: "killed", exitCode: 96 });
  expect(ending.error?.message).toContain("SIGPOLICY");
  expect(runs).toEqual([]);
});

test("only who gave it takes it back", async () => {
  const { kernel } = await bootForTest({
    programs: {
      idle: async (sys) => void (await sys.receive()),
      other: async (sys, input) => codeOf(sys.revoke(input as string)),
    },
  });
  const pid = await kernel.spawn({ agent: "idle" });
  const { handle } = await kernel.grant({ pid }, { capabilities: [LOOK], by: "alice" });

  expect((await kernel.wait(await kernel.spawn({ agent: "other", input: handle }))).output).toBe(
    "EACCES",
  );
  expect((await kernel.power({ pid })).holdings.map(({ state }) => state)).toEqual([
    "held",
    "held",
  ]);
});

test("a fork has what its origin started with, not what it was granted", async () => {
  const { kernel } = await bootForTest({ programs: { trying } });
  const pid = await kernel.spawn({ agent: "trying" });
  await kernel.grant({ pid }, { capabilities: [LOOK], by: "alice" });
  await kernel.send(pid, "go");
  await until(
    async () =>
      (await kernel.journal(pid)).some((one) => one.kind === "call" && one.call === "exec"),
    "its call",
  );

  const fork = await kernel.fork(pid);
  await kernel.send(fork, "go");
  await kernel.send(fork, "end");
  await kernel.send(pid, "end");

  expect((await kernel.wait(pid)).output).toEqual(["ok"]);
  expect((await kernel.wait(fork)).output).toEqual(["ok", "EACCES"]);
});

test("a token that travels is power for whom it is shown, until it is revoked", async () => {
  const { kernel } = await bootForTest({ programs: { trying } });
  const pid = await kernel.spawn({ agent: "trying" });

  for (const signed of [false, true]) {
    const { token, ids } = await kernel.mintToken({ capabilities: [LOOK], signed, by: "alice" });
    await kernel.grant({ pid }, { token, by: "alice" });
    expect(await kernel.verifyToken(token)).toMatchObject({ ok: true });
    const forged = kernel.grant({ pid }, { token: `${token.slice(0, -4)}AAAA`, by: "alice" });
    await expect(forged).rejects.toMatchObject({ code: "EACCES" });

    await kernel.send(pid, "go");
    await until(async () => (await kernel.show(pid)).waitingOn === "message", "its try");
    await kernel.revoke(ids[0]!, "alice");
    expect(await kernel.verifyToken(token)).toMatchObject({ ok: false, code: "revoked" });
    await kernel.send(pid, "go");
    await until(async () => (await kernel.show(pid)).waitingOn === "message", "its try");
  }
  await kernel.send(pid, "end");

  const tries = (await kernel.wait(pid)).output as string[];
  expect(tries).toEqual(["ok", "EACCES", "ok", "EACCES"]);
});

test("to name a handle that was taken away is refused, and is no forgery", async () => {
  const booted = await bootForTest({
    programs: {
      late: async (sys) => {
        const { body } = await sys.receive();
        await sys.receive();
        return codeOf(sys.exec("look", {}, { by: body as string }));
      },
    },
  });
  const pid = await booted.kernel.spawn({ agent: "late" });
  const { handle } = await booted.kernel.grant({ pid }, { capabilities: [LOOK], by: "alice" });
  await booted.kernel.send(pid, handle);
  await booted.kernel.revoke(handle, "alice");

  const { kernel } = await booted.crash();
  await kernel.send(pid, "now");

  expect(await kernel.wait(pid)).toMatchObject({ state: "completed", output: "EACCES" });
});
