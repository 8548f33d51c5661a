// TenantKernel: the kernel for a caller of one tenant. Objects of other tenants do not exist for it: they are in no
// list, and naming one names nothing.
//
// TENANT-KERNEL-1  Every method of the kernel is here, limited to the tenant or refused: a new method does not
//     compile until this file handles it.
// TENANT-KERNEL-2  An object of another tenant gives the same error as a missing one.
// TENANT-KERNEL-3  The tenant of a process is looked up once per call of an operation; it never changes.

import { processOperationNames, type Holder, type Kernel } from "@aos/kernel";
import { checkTenantName, SysError, type FileScope } from "@aos/protocol";

/** Ways that take a process first: whether it is the tenant's is all that there is to ask. */
const ofOneProcess = [
  ...processOperationNames,
  "show",
  "wait",
  "journal",
  "signal",
  "send",
  "invoke",
  "compactContext",
  "policyAllows",
] as const satisfies readonly (keyof Kernel)[];

const streamsOfOneProcess = ["watch", "attach"] as const satisfies readonly (keyof Kernel)[];

/** Ways that concern every tenant. */
const closedWays = [
  "countQuestions",
  "addTenant",
  "setTenant",
  "removeTenant",
  "configureTenants",
  "queue",
  "verify",
  "storeReport",
  "acceptStore",
  "readableFiles",
  "fileLabels",
  "carryMarks",
  "takeBackMarks",
  "collect",
  "archiveRuns",
  "backUp",
  "exportRuns",
  "mintToken",
  "verifyToken",
  "policy",
  "loadPolicy",
  "backtest",
  "testPolicy",
  "enter",
  "ledger",
  "drain",
  "close",
] as const satisfies readonly (keyof Kernel)[];

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
  const holder = async (of: Holder): Promise<Holder> =>
    "pid" in of ? { pid: await own(of.pid) } : { agent: of.agent, tenant: mine(of.tenant) };
  const filesOf = async ({ pid, tenant: asked }: FileScope): Promise<FileScope> =>
    pid === undefined ? { tenant: mine(asked) } : { pid: await own(pid) };
  const questions: Kernel["questions"] = async (filter = {}) =>
    kernel.questions({
      ...filter,
      tenant: mine(filter.tenant),
      ...(filter.pid === undefined ? {} : { pid: await own(filter.pid) }),
    });
  const ownQuestion = async (id: string): Promise<string> => {
    if ((await questions({ id })).some((open) => open.id === id)) return id;
    throw new SysError("ENOENT", `unknown question ${id}`, {
      hint: "`aos approvals` lists the pending questions",
    });
  };

  return {
    ...waysOf(
      ofOneProcess,
      (name) =>
        async (pid: string, ...rest: unknown[]) =>
          (kernel[name] as AnyWay)(await own(pid), ...rest),
    ),
    ...waysOf(
      streamsOfOneProcess,
      (name) =>
        async function* (pid: string, ...rest: unknown[]) {
          yield* (kernel[name] as AnyWay<AsyncIterable<unknown>>)(await own(pid), ...rest);
        },
    ),
    ...waysOf(closedWays, () => closed),

    spawn: async (request) => kernel.spawn({ ...request, tenant: mine(request.tenant) }),
    estimateSpawn: async (request) =>
      kernel.estimateSpawn({ ...request, tenant: mine(request.tenant) }),
    list: async (filter = {}) => {
      if (filter.parent !== undefined) await own(filter.parent);
      if (filter.before !== undefined) await own(filter.before);
      return kernel.list({ ...filter, tenant: mine(filter.tenant) });
    },
    deadLetters: async (filter = {}) => {
      if (filter.pid !== undefined) await own(filter.pid);
      return kernel.deadLetters({ ...filter, tenant: mine(filter.tenant) });
    },
    redrive: async (id, request) => {
      if (request.to !== undefined) await own(request.to);
      return kernel.redrive(id, { ...request, tenant: mine(request.tenant) });
    },
    topics: async (filter = {}) => kernel.topics({ tenant: mine(filter.tenant) }),
    setTopicSchema: async (topic, schema, options) =>
      kernel.setTopicSchema(topic, schema, { ...options, tenant: mine(options.tenant) }),
    publish: async (topic, body, request = {}) =>
      kernel.publish(topic, body, { ...request, tenant: mine(request.tenant) }),
    async *recorded(after) {
      await own(after.pid);
      for await (const told of kernel.recorded(after)) if (told.tenant === tenant) yield told;
    },
    async *follow(options) {
      if (options?.after !== undefined) await own(options.after.pid);
      for await (const told of kernel.follow(options)) if (told.tenant === tenant) yield told;
    },

    questions,
    answer: async (id, word) => kernel.answer(await ownQuestion(id), word),
    cancelQuestion: async (id, word) => kernel.cancelQuestion(await ownQuestion(id), word),

    power: async (of) => kernel.power(await holder(of)),
    grant: async (to, grant) => kernel.grant(await holder(to), grant),
    revoke: (id, by) => kernel.revoke(id, by, { tenant }),
    suggest: async (of, options) => kernel.suggest(await holder(of), options),

    secrets: async () => (await kernel.secrets()).filter((secret) => secret.tenant === tenant),
    setSecret: async (secret, by) =>
      kernel.setSecret({ ...secret, tenant: mine(secret.tenant) }, by),
    removeSecret: async (name, options) =>
      kernel.removeSecret(name, { ...options, tenant: mine(options.tenant) }),

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
    memorySpaces: async ({ tenant: asked } = {}) => kernel.memorySpaces({ tenant: mine(asked) }),
    fileVersions: async (of, path, page) => kernel.fileVersions(await filesOf(of), path, page),
    fileVersion: async (of, path, version) => kernel.fileVersion(await filesOf(of), path, version),
    memoryRows: async (query = {}) => kernel.memoryRows({ ...query, tenant: mine(query.tenant) }),
    memoryRecord: async (of) => kernel.memoryRecord({ ...of, tenant: mine(of.tenant) }),
    memoryStats: async (of = {}) => kernel.memoryStats({ tenant: mine(of.tenant) }),
    collections: async (of = {}) => kernel.collections({ tenant: mine(of.tenant) }),
    collectionFiles: async (name, page = {}) =>
      kernel.collectionFiles(name, { ...page, tenant: mine(page.tenant) }),
    covers: (_of, touch) => kernel.covers(tenant, touch),
    status: async (of) => {
      mine(of?.tenant);
      const { trouble: _, ...status } = await kernel.status({ tenant }); // it counts everybody's
      return { ...status, store: "", loaded: 0 };
    },
    scrub: (text) => kernel.scrub(text),
  };
}

type AnyWay<Answer = unknown> = (pid: string, ...rest: readonly unknown[]) => Answer;

/** The same for each of these. What is made is not the compiler's to follow; that each is named is. */
const waysOf = <Name extends keyof Kernel>(
  names: readonly Name[],
  make: (name: Name) => unknown,
): Pick<Kernel, Name> =>
  Object.fromEntries(names.map((name) => [name, make(name)])) as unknown as Pick<Kernel, Name>;

const UNKNOWN = { calls: 0, failures: 0, p50Ms: null, p95Ms: null, lastFailure: null };

const noProcess = (pid: string) =>
  new SysError("ENOENT", `unknown process ${pid}`, { hint: "`aos ps -a` lists all processes" });

const closed = async (): Promise<never> => {
  throw new SysError("EACCES", "this operation concerns every tenant");
};
