// A host of in-process programs that throw where nobody can catch it. Prints how each process ended, then
// what the kernel still does; with an argument it ends with an error of its own, which is no program's.

import type { Program } from "@aos/protocol";
import { createKernel } from "@aos/daemon";

const never = () => new Promise<never>(() => {});
const unreadable = () =>
  new Proxy(new Error("x"), {
    get: () => {
      throw new Error("no");
    },
  });

const programs: Record<string, Program> = {
  "throw-null": async () => {
    throw null;
  },
  "throw-undefined": () => {
    throw undefined;
  },
  "throw-unreadable": async () => {
    throw unreadable();
  },
  "throw-bare": async () => {
    throw Object.create(null);
  },
  "reject-null": async () => {
    void Promise.reject(null);
    await never();
  },
  timer: async () => {
    setTimeout(() => {
      throw new Error("in a timer");
    }, 1);
    await never();
  },
  tick: async (sys) => {
    await sys.self();
    process.nextTick(() => {
      throw undefined;
    });
    await never();
  },
  "unawaited-call": async (sys) => {
    void sys.read("/mem/none");
    await never();
  },
  "after-a-call": async (sys) => {
    void sys.self().then(() => {
      throw new Error("after a call");
    });
    await never();
  },
  "after-its-end": async () => {
    setTimeout(() => {
      throw new Error("too late");
    }, 1);
    return "done";
  },
  good: async (sys) => {
    await sys.sleep(50);
    return "fine";
  },
};

const kernel = await createKernel({ programs });
const start = (program: string) =>
  kernel.spawn({
    manifest: { apiVersion: "aos/v1", kind: "Agent", name: program, program },
    input: null,
  });
const endings: Record<string, unknown> = {};
const good = await start("good");
for (const name of Object.keys(programs)) {
  const { state, error, output } = await kernel.wait(await start(name));
  endings[name] = { state, error, output };
}
endings["beside"] = (await kernel.wait(good)).output;
console.log(JSON.stringify(endings));

if (process.argv[2] === "reject") void Promise.reject(new Error("of nobody"));
else if (process.argv[2] === "throw") setImmediate(() => fail());
else await kernel.close();

function fail(): never {
  throw new Error("of nobody");
}
