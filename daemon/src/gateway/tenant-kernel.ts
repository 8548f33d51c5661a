// TenantKernel: the kernel as a caller of one tenant has it. What another tenant has does not exist: it is
// in no list, and to name it is to name nothing.
//
// TENANT-KERNEL-1  Every way into the kernel is here, and each is held to the tenant or closed: one that
//     is added to the kernel does not compile until somebody has thought of it.
// TENANT-KERNEL-2  What is another tenant's is refused in the words of what there is not.

import type { Holder, Kernel } from "@aos/kernel";
import { checkTenantName, SysError, type Json } from "@aos/protocol";
import { omitUndefined } from "../omit-undefined.ts";

export function tenantKernel(kernel: Kernel, tenant: string): Kernel {
  /** TENANT-KERNEL-2. */
  const own = async (pid: string): Promise<string> => {
    if ((await kernel.show(pid)).tenant !== tenant) throw noProcess(pid);
    return pid;
  };
  const mine = (asked: string | undefined): string => {
    if (asked === undefined || asked === tenant) return tenant;
    checkTenantName(asked);
    throw new SysError("ENOENT", `unknown tenant ${asked}`);
  };
  const holder = async (of: Holder): Promise<Holder> =>
    "pid" in of ? { pid: await own(of.pid) } : { agent: of.agent, tenant: mine(of.tenant) };
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
    spawn: async (request) => kernel.spawn({ ...request, tenant: mine(request.tenant) }),
    estimateSpawn: async (request) =>
      kernel.estimateSpawn({ ...request, tenant: mine(request.tenant) }),
    list: async ({ parent, before, ...filter } = {}) => {
      if (parent !== undefined) await own(parent);
      if (before !== undefined) await own(before);
      return kernel.list({
        ...filter,
        ...(parent === undefined ? {} : { parent }),
        ...(before === undefined ? {} : { before }),
        tenant: mine(filter.tenant),
      });
    },
    show: async (pid) => kernel.show(await own(pid)),
    wait: async (pid, options) => kernel.wait(await own(pid), options),
    journal: async (pid, options) => kernel.journal(await own(pid), options),
    async *watch(pid, options) {
      yield* kernel.watch(await own(pid), options);
    },
    async *attach(pid, options) {
      yield* kernel.attach(await own(pid), options);
    },
    async *recorded(after) {
      for await (const told of kernel.recorded({ ...after, pid: await own(after.pid) }))
        if (told.tenant === tenant) yield told;
    },
    async *follow(options) {
      if (options?.after !== undefined) await own(options.after.pid);
      for await (const told of kernel.follow(options)) if (told.tenant === tenant) yield told;
    },
    signal: async (pid, signal) => kernel.signal(await own(pid), signal),
    send: async (pid, body, options) => kernel.send(await own(pid), body, options),
    invoke: async (pid, request) => kernel.invoke(await own(pid), request),
    nice: async (pid, lane, by) => kernel.nice(await own(pid), lane, by),
    replay: async (pid) => kernel.replay(await own(pid)),
    fork: async (pid, options) => kernel.fork(await own(pid), options),
    retry: async (pid, options) => kernel.retry(await own(pid), options),
    coreDump: async (pid) => kernel.coreDump(await own(pid)),
    pastRun: async (pid) => kernel.pastRun(await own(pid)),
    inferences: async (pid, options) => kernel.inferences(await own(pid), options),
    context: async (pid, options) => kernel.context(await own(pid), options),
    exportContext: async (pid, options) => kernel.exportContext(await own(pid), options),
    deadLetters: async ({ pid, limit, before, tenant: named } = {}) =>
      kernel.deadLetters({
        tenant: mine(named),
        ...omitUndefined({ limit, before, pid: pid && (await own(pid)) }),
      }),
    memory: async (pid, path, page) => kernel.memory(await own(pid), path, page),
    compactContext: async (pid) => kernel.compactContext(await own(pid)),
    estimateFork: async (pid, options) => kernel.estimateFork(await own(pid), options),
    estimateReplay: async (pid) => kernel.estimateReplay(await own(pid)),
    check: async (pid, call, args: Json) => kernel.check(await own(pid), call, args),
    why: async (pid, seq) => kernel.why(await own(pid), seq),
    causes: async (pid, seq) => kernel.causes(await own(pid), seq),
    moment: async (pid, seq) => kernel.moment(await own(pid), seq),
    policyAllows: async (pid, kind, verb) => kernel.policyAllows(await own(pid), kind, verb),

    questions,
    countQuestions: closed,
    answer: async (id, word) => kernel.answer(await ownQuestion(id), word),
    cancelQuestion: async (id, word) => kernel.cancelQuestion(await ownQuestion(id), word),

    power: async (of) => kernel.power(await holder(of)),
    grant: async (to, gift) => kernel.grant(await holder(to), gift),
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
    covers: (_of, touch) => kernel.covers(tenant, touch),
    status: async (of) => {
      mine(of?.tenant);
      const { trouble: _, ...status } = await kernel.status({ tenant }); // it counts everybody's
      return { ...status, store: "", loaded: 0 };
    },
    scrub: (text) => kernel.scrub(text),

    addTenant: closed,
    setTenant: closed,
    removeTenant: closed,
    configureTenants: closed,
    queue: closed,
    verify: closed,
    storeReport: closed,
    acceptStore: closed,
    readableFiles: closed,
    fileLabels: closed,
    carryMarks: closed,
    takeBackMarks: closed,
    collect: closed,
    mintToken: closed,
    verifyToken: closed,
    policy: closed,
    loadPolicy: closed,
    backtest: closed,
    testPolicy: closed,
    enter: closed,
    ledger: closed,
    drain: closed,
    close: closed,
  };
}

const UNKNOWN = { calls: 0, failures: 0, p50Ms: null, p95Ms: null, lastFailure: null };

const noProcess = (pid: string) =>
  new SysError("ENOENT", `unknown process ${pid}`, { hint: "`aos ps -a` lists all processes" });

const closed = async (): Promise<never> => {
  throw new SysError("EACCES", "this operation concerns every tenant");
};
