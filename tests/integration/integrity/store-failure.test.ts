// A store that fails under a daemon's kernel (KERNEL-HOST-1 to KERNEL-HOST-4 of kernel-host.ts): it is gone for a while, and what
// was under way goes on from the disk when it is back. No external effect is repeated without a question.

import { bootKernel, type Kernel } from "@aos/kernel";
import { SysError, type Program, type Tool } from "@aos/protocol";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { KernelHost } from "@aos/daemon/parts";
import { tryPostgres } from "../../helpers/postgres.ts";

const server = await tryPostgres();
afterAll(async () => {
  if ("stop" in server) await server.stop();
});

const silent = { error: () => {}, warn: () => {}, info: () => {} };

const paid: string[] = [];
const pay: Tool = {
  name: "pay",
  version: "1",
  description: "something outside",
  input: {},
  effect: "external",
  label: { integrity: "trusted", secrecy: "public" },
  touches: () => [],
  run: async (args, { signal }) => {
    const { what } = args as { what: string };
    paid.push(what);
    if (what === "slowly")
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return null;
  },
};

const worker: Program = async (sys) => {
  for (let n = 0; ; n++) {
    const { body } = await sys.receive();
    if (body === "end") return n;
    await sys.exec("pay", { what: body });
  }
};

type Trouble = (what: string, error: unknown) => void;

function hosted(boot: (options: { onTrouble: Trouble; formerNode?: string }) => Promise<Kernel>) {
  const host: KernelHost = new KernelHost(
    (former) => boot({ ...former, onTrouble: (_what, error) => host.suspect(error) }),
    silent,
  );
  onTestFinished(() => host.close());
  return host;
}

const power = { capabilities: ["tool:pay:call", "message:*:receive"] };

describe.skipIf("missing" in server)("PostgreSQL that goes away and comes back", () => {
  test("calls are refused with the reason; then everything goes on from the disk", async () => {
    if ("missing" in server) return;
    const { url } = await server.createDatabase();
    const host = hosted((options) =>
      bootKernel({ store: { url }, programs: { worker }, tools: [pay], ...options }),
    );
    await host.start();
    const { kernel } = host;
    const stopping = new AbortController();
    const seen = collect(kernel.follow({ signal: stopping.signal }));
    const pid = await kernel.spawn({ agent: "worker", ...power });
    const doubtful = await kernel.spawn({ agent: "worker", ...power });
    const attached = collect(kernel.attach(pid, {}));
    await kernel.send(pid, "one");
    await kernel.send(doubtful, "slowly");
    await until60(async () => paid.includes("slowly") || undefined);
    await until60(async () => (await isPaid(kernel, pid)) || undefined);
    const waiting = kernel.wait(pid).catch((error: unknown) => error);

    await server.halt();
    expect(await waiting).toMatchObject({ code: "ESTORE" });
    const away = await until60(async () =>
      (await kernel.status()).trouble ? kernel.status() : undefined,
    );
    const refused = await kernel.send(pid, "lost").catch((error: unknown) => error);
    await server.resume();
    await until60(async () => host.present);
    await until60(() => kernel.send(pid, "two").catch(() => undefined));
    await until60(async () => paid.includes("two") || undefined);
    await kernel.send(pid, "end");
    const ending = await kernel.wait(pid, { timeoutMs: 60_000 });
    const [question] = await until60(async () =>
      (await kernel.questions()).length > 0 ? kernel.questions() : undefined,
    );
    stopping.abort();

    expect(away.trouble).toMatch(/^the database .* (does not answer|has no connection left)/);
    expect(refused).toMatchObject({ code: "ESTORE", retryAfter: expect.any(Number) as number });
    expect(ending).toMatchObject({ state: "completed", output: 2 });
    expect(question).toMatchObject({ pid: doubtful });
    expect(paid.toSorted()).toEqual(["one", "slowly", "two"]);
    const whole = (await kernel.journal(pid)).map(({ seq }) => seq);
    expect((await seen).flatMap((told) => (told.pid === pid ? [told.record.seq] : []))).toEqual(
      whole,
    );
    expect((await attached).flatMap((told) => ("record" in told ? [told.record.seq] : []))).toEqual(
      whole,
    );
    expect((await kernel.verify()).findings).toEqual([]);
  });
});

describe("an instance whose store fails", () => {
  test("is replaced with backoff until a boot succeeds", async () => {
    let boots = 0;
    const first = Promise.withResolvers<Kernel>();
    const host = hosted(async (options) => {
      boots += 1;
      if (boots === 2 || boots === 3) throw new SysError("ESTORE", `not yet: ${boots}`);
      const kernel = await bootKernel({ programs: { worker }, ...options });
      first.resolve(kernel);
      return kernel;
    });
    await host.start();

    breakStore(await first.promise);
    host.suspect(full);
    await until60(async () => (host.present === undefined ? true : undefined));

    expect(await host.kernel.status()).toMatchObject({ loaded: 0, trouble: full.message });
    await expect(host.kernel.list()).rejects.toMatchObject({ code: "ESTORE" });
    await until60(async () => host.present);
    expect(boots).toBe(4);
    expect(await host.kernel.status()).not.toHaveProperty("trouble");
  });

  test("writes nothing more, and its processes are no longer in memory", async () => {
    const kernels: Kernel[] = [];
    const host = hosted(async (options) => {
      if (kernels.length > 0) throw new SysError("ESTORE", "still full");
      kernels.push(await bootKernel({ programs: { worker }, tools: [pay], ...options }));
      return kernels[0]!;
    });
    await host.start();
    const pid = await host.kernel.spawn({ agent: "worker", ...power });

    breakStore(kernels[0]!);
    await expect(host.kernel.status()).resolves.toMatchObject({ trouble: full.message });

    await expect(kernels[0]!.send(pid, "lost")).rejects.toThrow();
    expect(await kernels[0]!.queue().catch((error: unknown) => error)).toBeInstanceOf(SysError);
    await host.close(); // also while there is none
  });

  test("an error that passes leaves the instance where it is", async () => {
    const host = hosted((options) => bootKernel({ programs: { worker }, ...options }));
    await host.start();
    const before = host.present;

    host.suspect(full);
    await host.kernel.status();

    expect(host.present).toBe(before);
  });

  test("a trouble during the boot is examined after it", async () => {
    let boots = 0;
    const host = hosted(async (options) => {
      boots += 1;
      const kernel = await bootKernel({ programs: { worker }, ...options });
      if (boots > 1) return kernel;
      options.onTrouble("the first commit failed", full);
      const status = kernel.status.bind(kernel);
      kernel.status = (of) => {
        breakStore(kernel); // it answers once
        return status(of);
      };
      return kernel;
    });

    await host.start();

    await until60(async () => (boots === 2 ? true : undefined));
    await until60(async () => host.present);
  });
});

const full = new SysError("ESTORE", "there is no space left");

function breakStore(kernel: Kernel): void {
  kernel.status = () => Promise.reject(full);
}

async function collect<T>(told: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of told) all.push(one);
  return all;
}

/** What came of the intent is stored, too. */
const isPaid = async (kernel: Kernel, pid: string) =>
  (await kernel.journal(pid)).some(({ kind }) => kind === "outcome");

async function until60<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (const since = Date.now(); Date.now() - since < 60_000;) {
    const found = await ask();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("it did not come about");
}
