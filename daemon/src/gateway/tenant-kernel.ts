// TenantKernel: the kernel for a caller of one tenant. Objects of other tenants do not exist for it: they are in no
// list, and naming one names nothing.
//
// TENANT-KERNEL-1  Every method of the kernel is limited to the tenant or refused, as its family says
//     (method-reach.ts of the kernel). A new method does not compile until it says so; what is `own` is written here.
// TENANT-KERNEL-2  An object of another tenant gives the same error as a missing one.
// TENANT-KERNEL-3  The tenant of a process is looked up once per call of an operation; it never changes.

import { methodReach, type Kernel, type MethodReach } from "@aos/kernel";
import { checkTenantName, SysError } from "@aos/protocol";

type Own = {
  [Name in keyof Kernel]: (typeof methodReach)[Name] extends "own" ? Name : never;
}[keyof Kernel];

export function tenantKernel(kernel: Kernel, tenant: string): Kernel {
  const known = new Set<string>(); // TENANT-KERNEL-3
  const own = async (pid: string): Promise<string> => {
    if (known.has(pid)) return pid;
    if ((await kernel.show(pid)).tenant !== tenant) throw noProcess(pid); // TENANT-KERNEL-2
    known.add(pid);
    return pid;
  };
  const mine = (asked: string | undefined): string => {
    if (asked === undefined || asked === tenant) return tenant;
    checkTenantName(asked);
    throw new SysError("ENOENT", `unknown tenant ${asked}`);
  };
  /** The argument of the scope, limited to the tenant. */
  const scoped = async (given: Scope = {}, processes: readonly string[]): Promise<Scope> => {
    const limited: Scope = { ...given, tenant: mine(given.tenant) };
    for (const field of processes)
      if (given[field] !== undefined) limited[field] = await own(given[field] as string);
    return limited;
  };
  const limitedTo = (name: keyof Kernel, reach: Exclude<MethodReach, "own">): AnyWay => {
    const way = kernel[name] as AnyWay;
    if (reach === "all") return closed;
    if (reach === "process") return async (pid, ...rest) => way(await own(pid as string), ...rest);
    if (reach === "stream")
      return async function* (pid, ...rest) {
        yield* way(await own(pid as string), ...rest) as AsyncIterable<unknown>;
      };
    const { scope, processes = [] } = reach;
    return async (...given) => {
      const args = [...given];
      args[scope] = await scoped(given[scope] as Scope | undefined, processes);
      return way(...args);
    };
  };
  const ownQuestion = async (id: string): Promise<string> => {
    if ((await kernel.questions({ id, tenant })).some((open) => open.id === id)) return id;
    throw new SysError("ENOENT", `unknown question ${id}`, {
      hint: "`aos approvals` lists the pending questions",
    });
  };

  const written: Pick<Kernel, Own> = {
    async *recorded(after) {
      await own(after.pid);
      for await (const told of kernel.recorded(after)) if (told.tenant === tenant) yield told;
    },
    async *follow(options) {
      if (options?.after !== undefined) await own(options.after.pid);
      for await (const told of kernel.follow(options)) if (told.tenant === tenant) yield told;
    },

    answer: async (id, word) => kernel.answer(await ownQuestion(id), word),
    cancelQuestion: async (id, word) => kernel.cancelQuestion(await ownQuestion(id), word),

    revoke: (id, by) => kernel.revoke(id, by, { tenant }),
    secrets: async () => (await kernel.secrets()).filter((secret) => secret.tenant === tenant),
    async cost(question = {}) {
      if (question.pid !== undefined) await own(question.pid);
      const report = await kernel.cost({ ...question, tenant: mine(question.tenant) });
      // Other budgets are of all tenants, or of others.
      return { ...report, budgets: report.budgets.filter(({ of }) => of === `tenant ${tenant}`) };
    },
    tenants: async () => (await kernel.tenants()).filter(({ name }) => name === tenant),
    /** How a tool has done is what everybody's calls came to. */
    tools: async (scope) =>
      (await kernel.tools({ ...scope, tenant })).map(({ tool }) => ({ tool, health: UNKNOWN })),
    /** What is behind a mount is the operator's business. */
    connectors: async (of = {}) => {
      const whose = of.pid === undefined ? { tenant: mine(of.tenant) } : { pid: await own(of.pid) };
      return (await kernel.connectors(whose)).map((one) => ({ ...one, target: "" }));
    },
    covers: (_of, touch) => kernel.covers(tenant, touch),
    status: async (of) => {
      mine(of?.tenant);
      const { trouble: _, ...status } = await kernel.status({ tenant }); // it counts everybody's
      return { ...status, store: "", loaded: 0 };
    },
    scrub: (text) => kernel.scrub(text),
  };
  // What is made by its reach is not the compiler's to follow; that each method has one is.
  const limited = Object.entries(methodReach as Readonly<Record<keyof Kernel, MethodReach>>).map(
    ([name, reach]) => [
      name,
      reach === "own" ? written[name as Own] : limitedTo(name as keyof Kernel, reach),
    ],
  );
  return Object.fromEntries(limited) as unknown as Kernel;
}

type AnyWay = (...given: readonly unknown[]) => unknown;
type Scope = { tenant?: string | undefined; [field: string]: unknown };

const UNKNOWN = { calls: 0, failures: 0, p50Ms: null, p95Ms: null, lastFailure: null };

const noProcess = (pid: string) =>
  new SysError("ENOENT", `unknown process ${pid}`, { hint: "`aos ps -a` lists all processes" });

const closed = async (): Promise<never> => {
  throw new SysError("EACCES", "this operation concerns every tenant");
};
