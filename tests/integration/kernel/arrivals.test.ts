// What comes for a process between the moment at which its rows were read and the one from which on it is told
// directly is not lost (DORMANCY-2 of kernel/src/scheduler/dormancy.ts).

import { bootKernel, type Kernel } from "@aos/kernel";
import type { Sys } from "@aos/protocol";
import { expect, onTestFinished, test, vi } from "vitest";
import type { SqliteStore } from "@aos/kernel/store";
import { kindsOf, until } from "../../helpers/kernel.ts";

/** The stores that kernels of this test have opened. */
const { opened } = vi.hoisted(() => ({ opened: [] as SqliteStore[] }));
vi.mock("../../../kernel/src/store/sqlite/sqlite-store.ts", async (original) => {
  const { openSqliteStore } = await original<{ openSqliteStore: (file: string) => SqliteStore }>();
  return {
    openSqliteStore: (file: string) => {
      opened.push(openSqliteStore(file));
      return opened.at(-1)!;
    },
  };
});

const BASE = ["message:*:receive"];
const GIVEN = { capabilities: ["tool:look:call"], by: "ann" };

/** A process that is rows; `whileRead` comes between its being read and its being in memory, once. */
async function asleep(given: { holds?: boolean } = {}) {
  const kernel = await bootKernel({
    store: "memory",
    unloadAfterMs: 0,
    programs: {
      listener: async (sys: Sys) => {
        const heard: string[] = [];
        await sys.handle("SIGUSR2", (signal) => void heard.push(signal));
        for (let body: unknown = null; body !== "end"; heard.push(String(body)))
          ({ body } = await sys.receive());
        return heard;
      },
    },
  });
  onTestFinished(() => kernel.close());
  const pid = await kernel.spawn({ agent: "listener", capabilities: BASE });
  const sleep = () => until(async () => (await kernel.status()).loaded === 0, "sleep");
  await sleep();
  const handle = given.holds === true ? (await kernel.grant({ pid }, GIVEN)).handle : "";
  if (given.holds === true)
    await until(async () => kindsOf(await kernel.journal(pid)).includes("grant"), "the grant");
  await sleep();
  /** Resolves when it has come. */
  const whileRead = (meanwhile: (store: SqliteStore) => Promise<unknown>) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const store = opened.at(-1)!;
    const stored = store.stored.bind(store);
    store.stored = async (...args) => {
      store.stored = stored;
      const read = await stored(...args);
      await meanwhile(store);
      resolve();
      return read;
    };
    return promise;
  };
  return { kernel, pid, handle, whileRead };
}

/** Its next question for a row is answered when this is so. */
function delayed(store: SqliteStore, isSo: () => Promise<boolean>): void {
  const processByKey = store.processByKey.bind(store);
  store.processByKey = async (key) => {
    store.processByKey = processByKey;
    await until(isSo, "it");
    return processByKey(key);
  };
}

async function endOf(kernel: Kernel, pid: string) {
  await kernel.send(pid, "end");
  const { output } = await kernel.wait(pid);
  const [replay, { ok }] = [await kernel.replay(pid), await kernel.verify()];
  expect({ identical: replay.identical, ok }).toEqual({ identical: true, ok: true });
  return { heard: output, kinds: kindsOf(await kernel.journal(pid)) };
}

test("a message that arrives while its process is loaded is received once", async () => {
  const { kernel, pid, whileRead } = await asleep();
  const come = whileRead(() => kernel.send(pid, "second"));

  await kernel.send(pid, "first");
  await come;

  const { heard } = await endOf(kernel, pid);
  expect(heard).toEqual(["first", "second", "end"]);
});

test("a signal that arrives while its process is loaded is delivered once", async () => {
  const { kernel, pid, whileRead } = await asleep();
  const come = whileRead(() => kernel.signal(pid, "SIGUSR2"));

  await kernel.send(pid, "first");
  await come;

  await until(async () => kindsOf(await kernel.journal(pid)).includes("signal"), "the signal");
  const { heard } = await endOf(kernel, pid);
  expect([...(heard as string[])].sort()).toEqual(["SIGUSR2", "end", "first"]);
});

test.each(["the process", "its agent"])(
  "a grant to %s that arrives while its process is loaded is recorded once",
  async (to) => {
    const { kernel, pid, whileRead } = await asleep();
    const holder = to === "the process" ? { pid } : { agent: "listener" };
    const come = whileRead(() => kernel.grant(holder, GIVEN));

    await kernel.send(pid, "first");
    await come;

    const { kinds } = await endOf(kernel, pid);
    expect(kinds.filter((kind) => kind === "grant")).toEqual(["grant"]);
  },
);

test.each(["before", "after"])("a revocation that is told %s it is in memory", async (when) => {
  const { kernel, pid, handle, whileRead } = await asleep({ holds: true });
  let revoking: Promise<unknown> | undefined;
  const come = whileRead(async (store) => {
    if (when === "after") delayed(store, async () => (await kernel.status()).loaded === 1);
    revoking = kernel.revoke(handle, "ann");
    await until(async () => (await store.holding(handle))?.state === "revoking", "its row");
  });

  await kernel.send(pid, "first");
  await come;

  await revoking;
  const { kinds } = await endOf(kernel, pid);
  expect(kinds.filter((kind) => kind === "revoke")).toEqual(["revoke"]);
});
