// The connection to PostgreSQL is cut in the middle of a commit, so that nobody here can know what came of it.
// The store says so, and makes nothing twice; the kernel acts on nothing that it does not know to be on the
// disk (GROUP-COMMIT-4), and goes on from what is there.

import { bootKernel } from "@aos/kernel";
import type { Program, Tool } from "@aos/protocol";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { KernelHost } from "@aos/daemon/parts";
import { openStore } from "@aos/kernel/store";
import { born, extension, patched, textsOf } from "../../contract/store/rows.ts";
import { startCuttingProxy, type Cut } from "../../helpers/cutting-proxy.ts";
import { tryPostgres } from "../../helpers/postgres.ts";

const server = await tryPostgres();
afterAll(async () => {
  if ("stop" in server) await server.stop();
});

async function proxied() {
  if ("missing" in server) throw new Error(server.missing);
  const { url } = await server.createDatabase();
  const proxy = await startCuttingProxy(url);
  onTestFinished(() => proxy.close());
  return { url, proxy };
}

const cuts: Cut[] = ["unheard", "unanswered"];
const MARK = "here-it-is-cut";

describe.skipIf("missing" in server)("the store", () => {
  const shapes = {
    "of one record": [extension(1, 1, [MARK])],
    "of several records": [extension(1, 1, [MARK]), extension(2, 1, ["other"])],
    "of a record and a write": [
      extension(1, 1, [MARK], { writes: [patched(1, { state: "waiting" })] }),
    ],
  };
  const cases = Object.keys(shapes).flatMap((shape) => cuts.map((cut) => [shape, cut] as const));

  test.each(cases)(
    "says of a commit %s that is %s that it failed, and never makes it twice",
    async (shape, cut) => {
      const batch = shapes[shape as keyof typeof shapes];
      const { url, proxy } = await proxied();
      const [store, aside] = [await openStore({ url: proxy.url }), await openStore({ url })];
      onTestFinished(async () => void (await Promise.all([store.close(), aside.close()])));
      await store.commit([], [born(1), born(2), born(3)]);
      await store.commit(
        [1, 2].map((key) => extension(key, 0, ["first"])),
        [],
      );

      const isCut = proxy.cutAt(MARK, cut);
      const said = await Promise.allSettled([
        store.commit(batch, []),
        store.commit([extension(3, 0, ["behind"])], []),
      ]);
      await isCut;

      for (const one of said)
        expect(one).toMatchObject({ status: "rejected", reason: { code: "ESTORE" } });
      const isThere = cut === "unanswered";
      expect(await textsOf(aside, 1)).toEqual(isThere ? ["first", MARK] : ["first"]);
      if (!isThere) expect(await textsOf(aside, 3)).toEqual([]); // else it may have gone with the other
      expect((await store.commit(batch, [])).fenced).toEqual(
        isThere ? batch.map(({ process }) => process) : [],
      );
      expect(await textsOf(aside, 1)).toEqual(["first", MARK]);
      await store.commit([extension(3, 0, ["behind"])], []);
      expect(await textsOf(aside, 3)).toEqual(["behind"]);
    },
  );
});

describe.skipIf("missing" in server)("the connection for commits", () => {
  test("is closed when nobody used it for a while, and made again for the next commit", async () => {
    if ("missing" in server) return;
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const { url, execute } = await server.createDatabase();
    const store = await openStore({ url });
    onTestFinished(() => store.close());
    const sessions = () =>
      execute(
        "select 1 from pg_stat_activity where query like '%with grown%aos.turn%' and pid <> pg_backend_pid() and datname = current_database()",
      );
    await store.commit([], [born(1)]);
    await store.commit([extension(1, 0, ["first"])], []);
    expect(await sessions()).toHaveLength(1);

    vi.advanceTimersByTime(59_000);
    await store.commit([extension(1, 1, ["second"])], []);
    vi.advanceTimersByTime(60_000);
    expect(await sessions()).toHaveLength(1);
    vi.advanceTimersByTime(60_000);

    await vi.waitFor(async () => expect(await sessions()).toHaveLength(0), { timeout: 60_000 });
    await store.commit([extension(1, 2, ["third"])], []);
    expect(await textsOf(store, 1)).toEqual(["first", "second", "third"]);
  });
});

describe.skipIf("missing" in server)("the kernel", () => {
  const did: string[] = [];
  const toolOf = (name: string, effect: "read" | "external"): Tool => ({
    name,
    version: "1",
    description: "notes that it ran",
    input: {},
    effect,
    label: { integrity: "trusted", secrecy: "public" },
    touches: () => [],
    run: async () => (did.push(name), `${name}-result`),
  });
  const tools = [toolOf("look", "read"), toolOf("pay", "external")];
  const worker: Program = async (sys) => {
    await sys.receive();
    await sys.exec("look", {});
    return sys.exec("pay", { to: "pay-args" });
  };

  const rows = [
    // What is cut, how, and what has then been done in all; a question is asked where nobody can know.
    ["what came of a look", "look-result", "unheard", ["look", "look", "pay"], undefined],
    ["what came of a look", "look-result", "unanswered", ["look", "pay"], undefined],
    ["the intent to pay", "pay-args", "unheard", ["look", "pay"], undefined],
    ["the intent to pay", "pay-args", "unanswered", ["look"], "pay"],
    ["what came of paying", "pay-result", "unheard", ["look", "pay"], "pay"],
    ["what came of paying", "pay-result", "unanswered", ["look", "pay"], undefined],
  ] as const;

  test.each(rows)("%s (%s), %s: done is %j, in doubt is %s", async (_, mark, cut, done, doubt) => {
    did.length = 0;
    const { proxy } = await proxied();
    const host: KernelHost = new KernelHost(
      (former) =>
        bootKernel({
          ...former,
          store: { url: proxy.url },
          programs: { worker },
          tools,
          durability: "every-call",
          onTrouble: (_what, error) => host.suspect(error),
        }),
      { error: () => {}, warn: () => {}, info: () => {} },
    );
    onTestFinished(() => host.close());
    await host.start();
    const { kernel } = host;
    const power = ["tool:*:call", "message:*:receive"];
    const pid = await kernel.spawn({ agent: "worker", capabilities: power });

    const isCut = proxy.cutAt(mark, cut);
    await kernel.send(pid, "go");
    await isCut;

    if (doubt === undefined) {
      const ending = await until60(() => kernel.wait(pid).catch(() => undefined));
      expect(ending).toMatchObject({ state: "completed", output: "pay-result" });
    } else {
      const asked = await until60(async () => {
        const questions = await kernel.questions().catch(() => []);
        return questions.length > 0 ? questions : undefined;
      });
      expect(asked).toMatchObject([{ pid, kind: "doubt" }]);
    }
    expect(did).toEqual(done);
    const records = await kernel.journal(pid);
    expect(records.map(({ seq }) => seq)).toEqual(records.map((_record, nth) => nth));
    expect((await kernel.verify()).findings).toEqual([]);
  });
});

async function until60<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (const since = Date.now(); Date.now() - since < 60_000;) {
    const found = await ask();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("it did not come about");
}
