import { methodReach, type Kernel, type MethodReach } from "@aos/kernel";
import { expect, test } from "vitest";
import { tenantKernel } from "./tenant-kernel.ts";

/** A kernel whose every process and question is of tenant `a`, and that notes what is asked of it. */
function kernelOfA() {
  const asked: string[] = [];
  const kernel = new Proxy(
    {},
    {
      get: (_, name: string) => {
        if (name === "show") return async (pid: string) => ({ pid, tenant: "a" });
        if (name === "questions") return async () => [{ id: "q", pid: "agt_a" }];
        return (...args: unknown[]) => {
          asked.push(`${name} ${JSON.stringify(args)}`);
          return (async function* () {})();
        };
      },
    },
  ) as Kernel;
  return { kernel, asked };
}

const reaches = Object.entries(methodReach as Readonly<Record<keyof Kernel, MethodReach>>) as [
  keyof Kernel,
  MethodReach,
][];
const named = (...wanted: readonly MethodReach[]) =>
  reaches.filter(([, reach]) => wanted.includes(reach)).map(([name]) => name);
const byPid = named("process", "stream");
const scopes = reaches.flatMap(([name, reach]) =>
  typeof reach === "object" ? [{ name, ...reach }] : [],
);

const settle = async (answer: unknown): Promise<unknown> => {
  if (typeof answer === "object" && answer !== null && Symbol.asyncIterator in answer)
    for await (const value of answer as AsyncIterable<unknown>) return value;
  return answer;
};

test.each(byPid)(
  "TENANT-KERNEL-2: %s of another tenant's process never reaches the kernel",
  async (name) => {
    const { kernel, asked } = kernelOfA();
    const ask = tenantKernel(kernel, "b")[name] as (pid: string) => unknown;

    const failure = await (async () => settle(await ask("agt_a")))().catch(
      (error: unknown) => error,
    );

    expect(failure).toMatchObject({ code: "ENOENT", message: "unknown process agt_a" });
    expect(asked).toEqual([]);
  },
);

test.each(byPid.filter((name) => name !== "show"))("%s of an own one does", async (name) => {
  const { kernel, asked } = kernelOfA();
  const ask = tenantKernel(kernel, "a")[name] as (pid: string) => unknown;

  await settle(await ask("agt_a"));

  expect(asked).toHaveLength(1);
});

test("TENANT-KERNEL-2: what goes on after another tenant's record is refused before anything is told", async () => {
  const { kernel, asked } = kernelOfA();
  const confined = tenantKernel(kernel, "b");
  const after = { pid: "agt_a", seq: 0 };

  for (const telling of [confined.recorded(after), confined.follow({ after })])
    await expect(settle(telling)).rejects.toMatchObject({ code: "ENOENT" });
  expect(asked).toEqual([]);
});

test.each(named("all"))("TENANT-KERNEL-1: %s is closed to a tenant", async (name) => {
  const { kernel, asked } = kernelOfA();

  const ask = tenantKernel(kernel, "a")[name] as () => unknown;

  await expect(ask()).rejects.toMatchObject({ code: "EACCES" });
  expect(asked).toEqual([]);
});

test.each(scopes)(
  "TENANT-KERNEL-2: $name never names another tenant to the kernel",
  async (one) => {
    const { kernel, asked } = kernelOfA();
    const confined = tenantKernel(kernel, "b")[one.name] as (...given: unknown[]) => unknown;
    const given = (field: string, value: string) =>
      Array.from({ length: one.scope + 1 }, (_, at) =>
        at === one.scope ? { [field]: value } : "x",
      );

    for (const [field, value] of [
      ["tenant", "a"],
      ...(one.processes ?? []).map((of) => [of, "agt_a"]),
    ])
      await expect(confined(...given(field!, value!))).rejects.toMatchObject({ code: "ENOENT" });
    if (one.name !== "questions") expect(asked).toEqual([]);
  },
);

test.each(scopes.filter(({ name }) => name !== "questions"))(
  "TENANT-KERNEL-2: $name that names no tenant is asked of the caller's",
  async ({ name, scope }) => {
    const { kernel, asked } = kernelOfA();

    await (tenantKernel(kernel, "b")[name] as (...given: unknown[]) => unknown)();

    expect(asked).toHaveLength(1);
    expect(JSON.parse(asked[0]!.slice(name.length + 1))[scope]).toEqual({ tenant: "b" });
  },
);

test("TENANT-KERNEL-2: another tenant that is named never reaches the kernel", async () => {
  const { kernel, asked } = kernelOfA();
  const confined = tenantKernel(kernel, "b");
  const theirs = { tenant: "a" };

  const asking = [
    confined.spawn({ agent: "x", ...theirs }),
    confined.estimateSpawn({ agent: "x", ...theirs }),
    confined.list(theirs),
    confined.power({ agent: "x", ...theirs }),
    confined.grant({ agent: "x", ...theirs }, { by: "bob" }),
    confined.suggest({ agent: "x", ...theirs }),
    confined.setSecret({ name: "X", value: "x", bindings: [], ...theirs }, "bob"),
    confined.removeSecret("X", { by: "bob", ...theirs }),
    confined.cost(theirs),
  ];

  for (const one of asking)
    await expect(one).rejects.toMatchObject({ code: "ENOENT", message: "unknown tenant a" });
  expect(asked).toEqual([]);
});

test("what is told of all is told of the own", async () => {
  const told = ["a", "b"].map((tenant) => ({ tenant }));
  const telling = async function* () {
    yield* told;
  };
  const kernel = { recorded: telling, follow: telling, show: async () => ({ tenant: "b" }) };
  const confined = tenantKernel(kernel as unknown as Kernel, "b");

  const heard: unknown[] = [];
  for await (const one of confined.recorded({ pid: "agt_b", seq: 0 })) heard.push(one);
  for await (const one of confined.follow()) heard.push(one);

  expect(heard).toEqual([{ tenant: "b" }, { tenant: "b" }]);
});
