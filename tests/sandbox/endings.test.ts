// However a program ends, its ending says how, and nothing of it is left (SANDBOX-2).

import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { processesWith, token, useSandbox } from "./rig.ts";

const rig = useSandbox();
const LONG = `sleep 1000.${token}`;

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(10);
}

describe("a program", () => {
  test("that ends well says so", async () => {
    const ending = await rig.run("echo out; echo err >&2; exit 3");

    expect(ending).toMatchObject({
      code: 3,
      signal: null,
      stdout: "out\n",
      stderr: "err\n",
      isAborted: false,
      isCut: false,
    });
    expect(ending.limit).toBeUndefined();
    expect(ending.usage.cpuMs).toBeGreaterThan(0);
    expect(ending.usage.memoryBytes).toBeGreaterThan(0);
  });

  test("that is not there says so", async () => {
    const run = await rig.start(["no-such-program"]);

    expect(await run.ended).toMatchObject({
      code: 127,
      stderr: "no-such-program: the program was not found in the sandbox\n",
    });
  });

  test("whose folder is not there says so", async () => {
    const ending = await rig.run("true", { folder: "/no/such/folder" });

    expect(ending).toMatchObject({ code: 1, isAborted: false });
    expect(ending.stderr).toContain("/no/such/folder");
  });

  test("that a signal ends names the signal", async () => {
    expect(await rig.run("kill -SEGV $$")).toMatchObject({ code: null, signal: "SIGSEGV" });
    expect(await rig.run("kill -KILL $$")).toMatchObject({ code: null, signal: "SIGKILL" });
  });

  test("that is killed is aborted, with all that it started", async () => {
    const run = await rig.start(["/bin/sh", "-c", `${LONG} & ${LONG} & wait`]);
    await until(() => processesWith(LONG).length > 2);

    run.kill();

    expect(await run.ended).toMatchObject({ code: null, signal: "SIGKILL", isAborted: true });
    expect((await run.ended).limit).toBeUndefined();
  });

  test("that is killed before it began leaves nothing either", async () => {
    for (const waitMs of [0, 1, 2, 4, 8, 16]) {
      const run = await rig.start(["/bin/sh", "-c", LONG]);
      await delay(waitMs);
      run.kill();

      expect(await run.ended).toMatchObject({ isAborted: true });
    }
  });

  test("whose signal is aborted, before or while it runs, is aborted", async () => {
    const before = await rig.start(["sleep", `1000.${token}`], { signal: AbortSignal.abort() });
    const controller = new AbortController();
    const during = await rig.start(["sleep", `1000.${token}`], { signal: controller.signal });
    controller.abort();

    expect(await before.ended).toMatchObject({ isAborted: true });
    expect(await during.ended).toMatchObject({ isAborted: true });
  });

  test("that ignores every signal that it can is killed at its time", async () => {
    const script = `trap '' TERM INT HUP QUIT; while :; do ${LONG}; done`;
    const ending = await rig.run(script, { limits: { wallMs: 300 } });

    expect(ending).toMatchObject({
      signal: "SIGKILL",
      isAborted: false,
      limit: { name: "wallMs", message: "time: more than 300 ms" },
    });
  });

  test("that leaves a child in a session of its own leaves nothing", async () => {
    expect(await rig.run(`setsid ${LONG} & echo started`)).toMatchObject({
      code: 0,
      stdout: "started\n",
    });
  });

  test("that becomes a daemon by forking twice leaves nothing", async () => {
    const script = `(setsid sh -c '(${LONG} </dev/null >/dev/null 2>&1 &)' &) ; echo forked`;

    expect(await rig.run(script)).toMatchObject({ code: 0, stdout: "forked\n" });
  });

  test("that leaves a child with its output open does not keep us waiting", async () => {
    expect(await rig.run(`${LONG} & echo now`)).toMatchObject({ code: 0, stdout: "now\n" });
  });

  test("that closes its streams early still runs to its end", async () => {
    const ending = await rig.run("echo first; exec >&- 2>&-; sleep 0.2; exit 7");

    expect(ending).toMatchObject({ code: 7, stdout: "first\n" });
  });

  test("that closes its input early while it is written to ends as it does", async () => {
    const ending = await rig.run("exec <&-; exit 5", { input: Buffer.alloc(4_000_000) });

    expect(ending).toMatchObject({ code: 5 });
  });

  test("gets its input, and then its end", async () => {
    expect(await rig.run("cat; echo done", { input: "words\n" })).toMatchObject({
      stdout: "words\ndone\n",
    });
  });

  test("that prints garbage is read as far as it is text", async () => {
    const ending = await rig.run(String.raw`printf 'a\377\000\330b\303'`);

    expect(ending).toMatchObject({ code: 0, stdout: "a\uFFFD\0\uFFFDb\uFFFD" });
  });

  test("that prints a character in two pieces is read as one", async () => {
    const ending = await rig.run(String.raw`printf '\303'; sleep 0.1; printf '\251'`);

    expect(ending.stdout).toBe("é");
  });

  test("that is stopped does not outlive its time", async () => {
    const ending = await rig.run("kill -STOP $$", { limits: { wallMs: 300 } });

    expect(ending.limit?.name).toBe("wallMs");
  });
});

describe("a stream", () => {
  test("is read by whoever started the program, and written to", async () => {
    const run = await rig.start(["cat"], { output: "stream" });
    run.stdout!.setEncoding("utf8");
    let text = "";
    run.stdout!.on("data", (chunk: string) => (text += chunk));
    run.stdin!.write("one\n");
    await until(() => text === "one\n");
    run.stdin!.end("two\n");

    expect(await run.ended).toMatchObject({ code: 0, stdout: "" });
    expect(text).toBe("one\ntwo\n");
  });

  test("that nobody reads does not keep a killed program", async () => {
    const run = await rig.start(["yes", token], { output: "stream" });
    await delay(50);
    run.kill();

    expect(await run.ended).toMatchObject({ isAborted: true });
    run.stdout!.resume();
  });
});
