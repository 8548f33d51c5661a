// A question outlives memory and crashes, and its time ends.

import { expect, test } from "vitest";
import { codeOf, sleepMs, TOOLS, until } from "../../helpers/kernel.ts";
import { bootPayer, messageOf, openOf, policyOf, spawnPayer } from "./asking.ts";

const NEVER = 3_600_000;

const soon = (ms: number) => policyOf({ id: "ask-pay", ask: "tool:pay", expires: `${ms}ms` });

test("what nobody answers in time is a no, and the process goes on with it", async () => {
  const { kernel, runs } = await bootPayer({
    policy: soon(60),
    unloadAfterMs: NEVER,
    programs: { payer: async (sys) => messageOf(sys.exec("pay", { to: "alice" })) },
  });

  const pid = await kernel.spawn({ agent: "payer", capabilities: TOOLS });

  expect((await kernel.wait(pid)).output).toBe("EDENIED: exec: nobody answered within 60ms");
  expect(runs).toEqual([]);
  const record = (await kernel.journal(pid)).find(({ kind }) => kind === "call");
  expect(record).toMatchObject({ call: "exec", err: { code: "EDENIED" } });
});

test("whose time is over takes no answer, though its process lives", async () => {
  const { kernel, runs } = await bootPayer({
    policy: soon(3000),
    programs: {
      payer: async (sys) => {
        const code = await codeOf(sys.exec("pay", { to: "alice" }));
        await sys.receive();
        return code;
      },
    },
  });
  const pid = await kernel.spawn({ agent: "payer", capabilities: TOOLS });
  const [question] = await openOf(kernel, 1);
  await until(async () => (await kernel.show(pid)).waitingOn === "message", "the refusal");

  await expect(kernel.answer(question!.id, { by: "ann", choice: "approve" })).rejects.toMatchObject(
    { code: "ESTATE", message: expect.stringContaining("expired") },
  );
  await kernel.send(pid, "end");

  expect((await kernel.wait(pid)).output).toBe("EDENIED");
  expect(runs).toEqual([]);
});

test("one that is loaded again hears of the end of its time too", async () => {
  const booted = await bootPayer({ policy: soon(3000), unloadAfterMs: NEVER });
  const pid = await spawnPayer(booted.kernel, "alice");
  await openOf(booted.kernel, 1);

  const { kernel } = await booted.crash();
  // On a slow machine its time may be over, and it at its end, before anybody looks.
  const isBack = async () =>
    (await kernel.status()).loaded === 1 || (await kernel.show(pid)).state === "completed";
  await until(isBack, "the process");

  expect((await kernel.wait(pid)).output).toEqual(["EDENIED"]);
});

test("without a rule's own word the option says how long a question is open", async () => {
  const { kernel } = await bootPayer({ approvals: { expiresMs: 40 } });

  const pid = await spawnPayer(kernel, "alice");

  expect((await kernel.wait(pid)).output).toEqual(["EDENIED"]);
});

test("one that was unloaded is woken when its time is over", async () => {
  const { kernel } = await bootPayer({ policy: soon(3000), unloadAfterMs: 0 });
  const pid = await spawnPayer(kernel, "alice");
  await openOf(kernel, 1);

  await until(async () => (await kernel.status()).loaded === 0, "sleep");
  expect(await kernel.show(pid)).toMatchObject({ state: "waiting", waitingOn: "approval" });

  expect((await kernel.wait(pid)).output).toEqual(["EDENIED"]);
});

test.each([0, 10_000])(
  "time that ended while nothing ran is over at the next boot (unloaded after %i ms)",
  async (unloadAfterMs) => {
    const booted = await bootPayer({ policy: soon(2500), unloadAfterMs });
    const pid = await spawnPayer(booted.kernel, "alice");
    const [question] = await openOf(booted.kernel, 1);
    if (unloadAfterMs === 0)
      await until(async () => (await booted.kernel.status()).loaded === 0, "sleep");

    const crashed = booted.crash();
    await sleepMs(2600);
    const { kernel, runs } = await crashed;

    await expect(
      kernel.answer(question!.id, { by: "ann", choice: "approve" }),
    ).rejects.toMatchObject({ code: "ESTATE" });
    expect((await kernel.wait(pid)).output).toEqual(["EDENIED"]);
    expect(runs).toEqual([]);
  },
);

test("a restart does not make the time longer, and asks nothing twice", async () => {
  const booted = await bootPayer({ policy: soon(600_000) });
  await spawnPayer(booted.kernel, "alice");
  const [before] = await openOf(booted.kernel, 1);

  const { kernel } = await booted.crash();

  expect(await openOf(kernel, 1)).toEqual([before]);
});

test.each([0, 10_000])(
  "votes are kept over a crash, and the last one may come after it (unloaded after %i ms)",
  async (unloadAfterMs) => {
    const booted = await bootPayer({
      unloadAfterMs,
      policy: policyOf({ id: "ask-pay", ask: "tool:pay", quorum: 2 }),
    });
    const pid = await spawnPayer(booted.kernel, "alice");
    const [question] = await openOf(booted.kernel, 1);
    await booted.kernel.answer(question!.id, { by: "ann", choice: "approve" });

    const { kernel, runs } = await booted.crash();
    const last = await kernel.answer(question!.id, { by: "bob", choice: "approve" });

    expect(last).toMatchObject({ settled: true, votes: 2 });
    expect((await kernel.wait(pid)).output).toEqual(["ok"]);
    expect(runs.length).toBe(1);
  },
);

test("one that was answered or withdrawn just before a crash goes on after it", async () => {
  const booted = await bootPayer({ unloadAfterMs: 0 });
  const pids = [await spawnPayer(booted.kernel, "alice"), await spawnPayer(booted.kernel, "bob")];
  const questions = await openOf(booted.kernel, 2);
  await until(async () => (await booted.kernel.status()).loaded === 0, "sleep");
  const idOf = (pid: string) => questions.find((question) => question.pid === pid)!.id;

  const said = booted.kernel.answer(idOf(pids[0]!), { by: "ann", choice: "approve" });
  const withdrawn = booted.kernel.cancelQuestion(idOf(pids[1]!), { by: "ann" });
  await Promise.all([said, withdrawn]);
  const { kernel } = await booted.crash();
  const paid = kernel.wait(pids[0]!);
  const over = paid.then(() => true);
  // Where the crash came into the middle of the payment, a person is asked whether it was made.
  while (!(await Promise.race([over, sleepMs(20)]))) {
    const [doubt] = await kernel.questions();
    if (doubt?.kind === "doubt") await kernel.answer(doubt.id, { by: "ann", choice: "retry" });
  }

  expect((await paid).output).toEqual(["ok"]);
  expect((await kernel.wait(pids[1]!)).output).toEqual(["EDENIED"]);
});

test.each([1, 2])(
  "where the rule that asks is another after a restart, it is asked anew (quorum %i)",
  async (quorum) => {
    const booted = await bootPayer({ unloadAfterMs: 0 });
    const pid = await spawnPayer(booted.kernel, "alice");
    const [before] = await openOf(booted.kernel, 1);
    await until(async () => (await booted.kernel.status()).loaded === 0, "sleep");

    const { kernel, runs } = await booted.crash({
      policy: policyOf({ id: "other-pay", ask: "tool:pay", quorum }),
    });
    await kernel.answer(before!.id, { by: "ann", choice: "approve" });
    const [after] = await openOf(kernel, 1);

    expect(after).toMatchObject({ quorum, votes: [], about: { rule: "organisation/other-pay" } });
    expect(after!.id).not.toBe(before!.id);
    expect(runs).toEqual([]);
    for (const by of ["ann", "bob"].slice(0, quorum))
      await kernel.answer(after!.id, { by, choice: "approve" });
    expect((await kernel.wait(pid)).output).toEqual(["ok"]);
  },
);

test("a yes is for what was shown: who reads something untrusted meanwhile is asked about again", async () => {
  const { kernel, runs } = await bootPayer({
    programs: {
      payer: async (sys) => {
        const paying = codeOf(sys.exec("pay", { to: "alice" }));
        await sys.receive();
        return paying;
      },
    },
  });
  const pid = await kernel.spawn({ agent: "payer", capabilities: TOOLS });
  const [blue] = await openOf(kernel, 1);
  await kernel.send(pid, "a mail", { label: { integrity: "untrusted", secrecy: "public" } });
  await until(async () => (await kernel.show(pid)).labels.integrity === "untrusted", "the reading");

  await kernel.answer(blue!.id, { by: "ann", choice: "approve" });
  await until(async () => (await kernel.questions())[0]?.about?.colour === "RED", "the second");
  const [red] = await openOf(kernel, 1);

  expect(blue!.about!.colour).toBe("BLUE");
  expect(runs).toEqual([]);
  await kernel.answer(red!.id, { by: "ann", choice: "approve" });
  expect((await kernel.wait(pid)).output).toBe("ok");
});

test("a question of a program ends at its time, in memory and woken for it", async () => {
  const { kernel } = await bootPayer({
    unloadAfterMs: 0,
    programs: {
      shy: async (sys) => codeOf(sys.ask("Anyone?", { until: (await sys.now()) + 150 })),
    },
  });

  const pid = await kernel.spawn({ agent: "shy" });

  expect((await kernel.wait(pid)).output).toBe("ETIMEDOUT");
});
