// The kernel: its parts put together, and what the operator can ask of them.

import {
  DEFAULT_TENANT,
  isEnded,
  newId,
  SysError,
  type Json,
  type JournalRecord,
  type ProcessId,
  type SignalName,
  type SyscallArgs,
} from "@aos/protocol";
import type {
  AuditReport,
  GcReport,
  Kernel,
  KernelStatus,
  ListFilter,
  Question,
  ReplayReport,
  SpawnRequest,
} from "../api.ts";
import { Questions } from "../approval/questions.ts";
import { refuseFullMailbox } from "../bus/mailbox.ts";
import { Devices } from "../device/devices.ts";
import { Journal } from "../journal/journal.ts";
import { parseRecord } from "../journal/record-text.ts";
import { CLEAN, labelText } from "../label/label.ts";
import { defaultLimits, defaultRetention, type KernelOptions, type Limits } from "../options.ts";
import { systemPlatform, type Platform } from "../platform/clock.ts";
import { defaultRules, Policy } from "../policy/policy.ts";
import { AccountBook } from "../process/accounts.ts";
import { Nursery, type Born } from "../process/birth.ts";
import { Blocks } from "../process/blocks.ts";
import { Keys } from "../process/keys.ts";
import type { Call, Process } from "../process/process.ts";
import { Table } from "../process/table.ts";
import { Boundary } from "../scheduler/boundary.ts";
import { Dormancy } from "../scheduler/dormancy.ts";
import { Endings, type End } from "../scheduler/endings.ts";
import { Runner } from "../scheduler/runner.ts";
import { Supervision } from "../scheduler/supervision.ts";
import type { Store, Write } from "../store/contract.ts";
import { openStore } from "../store/open.ts";
import type { MessageRow, ProcessKey, ProcessRow, SignalRow } from "../store/rows.ts";
import type { Answered } from "../syscall/answer.ts";
import { reliveStreams } from "../syscall/answers/files.ts";
import { endingOf } from "../syscall/answers/processes.ts";
import { Gate } from "../syscall/gate.ts";
import { Files } from "../vfs/files.ts";
import { AuditLog } from "./audit-log.ts";
import { verifyAll } from "./audit.ts";
import { forkAt, retryFrom } from "./fork.ts";
import { detailOf, infoOf } from "./inspect.ts";
import { Leases } from "./leases.ts";
import { Programs, readManifest } from "./programs.ts";
import { rerun } from "./rerun.ts";
import { Retention } from "./retention.ts";
import { Trees } from "./trees.ts";

const DEFAULT_UNLOAD_AFTER_MS = 10_000;
const DEFAULT_LEASE_MS = 10_000;

export async function bootKernel(options: KernelOptions = {}): Promise<Kernel> {
  const store = await openStore(options.store ?? "memory");
  try {
    const kernel = new RunningKernel(store, options);
    await kernel.boot();
    return kernel;
  } catch (error) {
    await store.close();
    throw error;
  }
}

class RunningKernel implements Kernel {
  readonly #store: Store;
  readonly #platform: Platform = systemPlatform;
  readonly #limits: Limits;
  readonly #everyCall: boolean;
  readonly #node: string;
  readonly #trouble: (what: string, error: unknown) => void;
  readonly #programs: Programs;
  readonly #journal: Journal;
  readonly #table = new Table();
  readonly #keys: Keys;
  readonly #blocks: Blocks;
  readonly #accounts: AccountBook;
  readonly #trees: Trees;
  readonly #nursery: Nursery;
  readonly #questions: Questions;
  readonly #endings: Endings;
  readonly #boundary: Boundary;
  readonly #runner: Runner;
  readonly #gate: Gate;
  readonly #dormancy: Dormancy;
  readonly #leases: Leases;
  readonly #audit: AuditLog;
  readonly #retention: Retention;
  #closed: Promise<void> | undefined;

  constructor(store: Store, options: KernelOptions) {
    this.#store = store;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#everyCall = options.durability === "every-call";
    this.#node = options.node ?? newId("node", this.#platform.now(), this.#platform.bytes(10));
    this.#trouble = options.onTrouble ?? (() => {});
    this.#programs = new Programs(options);
    this.#journal = new Journal(store, this.#platform, {
      fenced: (key) => this.#onFenced(key),
      failure: (error) => this.#onStoreFailure(error),
    });
    this.#keys = new Keys(store);
    this.#blocks = new Blocks(store);
    this.#accounts = new AccountBook(store);
    this.#trees = new Trees(store, this.#limits);
    const parts = { journal: this.#journal, platform: this.#platform, table: this.#table };
    this.#nursery = new Nursery({
      ...parts,
      keys: this.#keys,
      blocks: this.#blocks,
      accounts: this.#accounts,
      node: this.#node,
    });
    this.#questions = new Questions(this.#journal);
    this.#endings = new Endings(parts);
    this.#boundary = new Boundary({ ...parts, endings: this.#endings });
    const supervision = new Supervision({
      ...parts,
      endings: this.#endings,
      runner: () => this.#runner,
      trouble: this.#trouble,
    });
    this.#runner = new Runner({
      limits: this.#limits,
      driverFor: (process) => this.#programs.driverFor(process),
      boundary: this.#boundary,
      execute: (process, call) => void this.#gate.pass(process, call),
      relive: reliveStreams,
      ended: (process, end) => supervision.ended(process, end),
    });
    this.#gate = this.#buildGate(options);
    this.#dormancy = new Dormancy({
      ...parts,
      blocks: this.#blocks,
      accounts: this.#accounts,
      boundary: this.#boundary,
      node: this.#node,
      unloadAfterMs: options.unloadAfterMs ?? DEFAULT_UNLOAD_AFTER_MS,
      know: (root) => this.#trees.know(root),
      start: (process, image) => {
        this.#watchWall(process);
        this.#runner.start(process, image);
      },
      trouble: this.#trouble,
    });
    this.#leases = new Leases({
      store,
      node: this.#node,
      platform: this.#platform,
      leaseMs: options.leaseMs ?? DEFAULT_LEASE_MS,
      dormancy: this.#dormancy,
      trouble: this.#trouble,
    });
    this.#audit = new AuditLog({
      journal: this.#journal,
      folder: options.auditFolder,
      keyFile: options.keyFile,
      trouble: this.#trouble,
    });
    this.#retention = new Retention({
      store,
      platform: this.#platform,
      audit: this.#audit,
      journal: this.#journal,
      limits: { ...defaultRetention, ...options.retention },
      trouble: this.#trouble,
    });
    this.#endings.onEnd = (process, end) => this.#onEnd(process, end);
    this.#boundary.onReady = (process) => this.#runner.ready.enqueue(process);
    this.#boundary.onContinue = (process) => this.#runner.goOn(process);
  }

  #buildGate(options: KernelOptions): Gate {
    const world = {
      journal: this.#journal,
      platform: this.#platform,
      table: this.#table,
      devices: new Devices(options.tools ?? [], options.models ?? []),
      files: new Files(this.#journal),
      keys: this.#keys,
      questions: this.#questions,
      endings: this.#endings,
      limits: this.#limits,
      find: (process: Process, pid: string) => this.#findFor(process, pid),
      spawnChild: (parent: Process, args: SyscallArgs<"spawn">) => this.#spawnChild(parent, args),
      sendSignal: (row: ProcessRow, signal: SignalName, cause: string) =>
        this.#signalTo(row, signal, cause),
      post: (key: ProcessKey, message: MessageRow) => this.#post(key, message),
      intend: (asked: Parameters<Gate["intend"]>[0], writes: readonly Write[]) =>
        this.#gate.intend(asked, writes),
      wouldBe: (process: Process, call: string, args: Json) =>
        this.#gate.wouldBe(process, call, args),
    };
    const laws = {
      policy: new Policy(options.policy ?? defaultRules),
      quota: (process: Process, action: { call: string }) => {
        if (action.call === "spawn") this.#trees.refuseFull(process);
      },
      charge: (process: Process, action: { call: string }) => {
        if (action.call === "spawn") this.#trees.add(process.row.root, 1);
      },
      release: (process: Process, action: { call: string }) => {
        if (action.call === "spawn") this.#trees.add(process.row.root, -1);
      },
    };
    return new Gate(world, laws, {
      deliver: (process, call, settled) => this.#deliver(process, call, settled),
      waiting: (process) => {
        if (process.finishing !== null || process.signals.length > 0) this.#boundary.cross(process);
        this.#dormancy.waiting(process);
      },
    });
  }

  async boot(): Promise<void> {
    await this.#audit.open();
    await this.#leases.begin();
    await this.#endOrphans();
    await this.#store.listen((keys) => void this.#onNotified(keys));
    this.#dormancy.begin();
    this.#retention.begin();
  }

  // ── What the operator asks ──────────────────────────────────────────────────────────────────

  async spawn(request: SpawnRequest): Promise<ProcessId> {
    this.#refuseClosed();
    const { manifest, isBare } =
      request.manifest === undefined
        ? this.#programs.manifestOf(request.agent ?? "", request.capabilities ?? [])
        : { manifest: readManifest(request.manifest), isBare: false };
    const tenantName = request.tenant ?? DEFAULT_TENANT;
    const born = await this.#nursery.conceive({
      manifest,
      programVersion: this.#programs.versionOf(manifest),
      input: request.input ?? null,
      capabilities: isBare ? undefined : request.capabilities,
      budget: request.budget,
      tenant: await this.#store.tenantKey(tenantName),
      tenantName,
      folder: request.folder,
      parent: null,
      label: CLEAN,
      cause: "operator",
    });
    this.#trees.add(born.process.row.root, 1);
    this.#journal.write(...born.writes);
    this.#begin(born);
    await this.#journal.durable();
    return born.process.pid;
  }

  async list(filter: ListFilter = {}) {
    const rows = await this.#store.processes({
      ...(filter.tenant === undefined
        ? {}
        : { tenant: await this.#store.tenantKey(filter.tenant) }),
      ...(filter.states === undefined ? {} : { states: filter.states }),
      ...(filter.parent === undefined ? {} : { parent: (await this.#find(filter.parent)).key }),
      ...(filter.before === undefined ? {} : { before: filter.before }),
      ...(filter.limit === undefined ? {} : { limit: filter.limit }),
    });
    return rows.map((row) => infoOf(row, this.#table.get(row.key)));
  }

  async show(pid: string) {
    const row = await this.#find(pid);
    return detailOf(this.#store, row, this.#table.get(row.key));
  }

  async wait(pid: string, options: { timeoutMs?: number; signal?: AbortSignal } = {}) {
    const { key } = await this.#find(pid);
    let stop: () => void = () => {};
    let timer: NodeJS.Timeout | undefined;
    const ended = new Promise<void>((resolve) => {
      stop = this.#endings.whenEnded(key, resolve);
      options.signal?.addEventListener("abort", () => resolve(), { once: true });
      if (options.timeoutMs !== undefined) timer = setTimeout(resolve, options.timeoutMs);
    });
    const row = (await this.#store.processByKey(key))!;
    if (!isEnded(row.state)) await ended;
    stop();
    clearTimeout(timer);
    const now = (await this.#store.processByKey(key))!;
    return {
      ...endingOf(now),
      state: isEnded(now.state) ? now.state : (this.#table.get(key)?.visibleState ?? now.state),
    };
  }

  async journal(pid: string, { after = -1, limit = Infinity } = {}): Promise<JournalRecord[]> {
    const { key } = await this.#find(pid);
    const rows = await this.#store.records(key, { after });
    return rows.slice(0, limit).map((row) => parseRecord(row.text));
  }

  async *watch(pid: string, { after = -1, signal }: { after?: number; signal?: AbortSignal } = {}) {
    const row = await this.#find(pid);
    const fresh: JournalRecord[] = [];
    let wake: () => void = () => {};
    const stop = this.#journal.watch(row.key, (records) => {
      for (const record of records) fresh.push(parseRecord(record.text));
      wake();
    });
    signal?.addEventListener("abort", () => wake(), { once: true });
    try {
      let seen = after;
      for (const record of await this.journal(pid, { after })) {
        seen = record.seq;
        yield record;
        if (record.kind === "end") return;
      }
      if (isEnded((await this.#store.processByKey(row.key))!.state) && fresh.length === 0) return;
      for (;;) {
        for (let record = fresh.shift(); record !== undefined; record = fresh.shift()) {
          if (record.seq <= seen) continue;
          seen = record.seq;
          yield record;
          if (record.kind === "end") return;
        }
        if (signal?.aborted === true) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (fresh.length > 0) resolve();
        });
      }
    } finally {
      stop();
    }
  }

  async signal(pid: string, signal: SignalName): Promise<void> {
    const row = await this.#find(pid);
    if (isEnded(row.state)) throw new SysError("ESTATE", `${pid} has ended`);
    const { writes, after } = await this.#signalTo(row, signal, "operator");
    this.#journal.write(...writes);
    await this.#journal.durable();
    after();
    await this.#journal.durable();
  }

  async send(pid: string, body: Json, { type = "event" } = {}): Promise<string> {
    const row = await this.#find(pid);
    if (isEnded(row.state)) throw new SysError("ESTATE", `${pid} has ended`);
    const depth =
      this.#table.get(row.key)?.mailbox.depth ?? (await this.#store.countMessages(row.key));
    refuseFullMailbox(pid, depth, this.#limits.mailboxDepth);
    const now = this.#platform.now();
    const id = newId("msg", now, this.#platform.bytes(10));
    const message: MessageRow = {
      id,
      type,
      key: await this.#keys.take(),
      tenant: row.tenant,
      process: row.key,
      from: "operator",
      topic: null,
      replyTo: null,
      body: JSON.stringify(body),
      cause: "operator",
      sentAt: now,
      label: labelText(CLEAN),
    };
    this.#journal.write({ op: "message.add", row: message });
    this.#post(row.key, message);
    await this.#journal.durable();
    return id;
  }

  async replay(pid: string): Promise<ReplayReport> {
    await this.#journal.durable();
    const row = await this.#find(pid);
    return rerun(
      {
        store: this.#store,
        platform: this.#platform,
        blocks: this.#blocks,
        accounts: this.#accounts,
        programs: this.#programs,
      },
      row,
    );
  }

  async fork(pid: string, { at }: { at?: number } = {}): Promise<ProcessId> {
    const row = await this.#find(pid);
    return this.#adopt(await forkAt(this.#forkParts(), row, at));
  }

  async retry(pid: string, options: { from?: number; result?: Json } = {}): Promise<ProcessId> {
    const row = await this.#find(pid);
    return this.#adopt(await retryFrom(this.#forkParts(), row, options));
  }

  async verify(): Promise<AuditReport> {
    await this.#journal.durable();
    await this.#audit.publish();
    return verifyAll(this.#store, this.#audit);
  }

  async collect({ dryRun = false } = {}): Promise<GcReport> {
    await this.#journal.durable();
    return this.#retention.collect(dryRun);
  }

  async questions(): Promise<Question[]> {
    const now = this.#platform.now();
    return (await this.#store.openQuestions())
      .filter((row) => row.expiresAt === null || row.expiresAt > now)
      .map((row) => ({
        id: row.id,
        pid: row.pid as ProcessId,
        kind: row.kind,
        question: row.question,
        choices: row.choices,
        digest: row.digest,
        askedAt: new Date(row.askedAt).toISOString(),
        expiresAt: row.expiresAt === null ? null : new Date(row.expiresAt).toISOString(),
      }));
  }

  async answer(id: string, answer: { by: string; choice: string }): Promise<void> {
    const answered = await this.#questions.answer(
      id,
      answer.by,
      answer.choice,
      this.#platform.now(),
    );
    if (this.#table.get(answered.process) === undefined) this.#call(answered.process);
  }

  async coreDump(pid: string): Promise<Json | undefined> {
    const { key } = await this.#find(pid);
    const core = await this.#store.core(key);
    if (core === undefined) return undefined;
    const records = (await this.journal(pid)).slice(-100);
    return {
      ...(JSON.parse(core) as { [key: string]: Json }),
      records: records as unknown as Json,
    };
  }

  async status(): Promise<KernelStatus> {
    return {
      node: this.#node,
      store: this.#store.name,
      loaded: this.#table.size,
      states: await this.#store.countByState(),
    };
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  // ── How it is done ──────────────────────────────────────────────────────────────────────────

  #begin({ process, start, startWrites }: Born): void {
    this.#journal.append(process, start, startWrites);
    this.#table.add(process);
    this.#watchWall(process);
    this.#runner.start(process, { input: process.input, state: undefined, checkpoint: undefined });
  }

  async #spawnChild(parent: Process, args: SyscallArgs<"spawn">): Promise<Answered> {
    const { manifest, isBare } = this.#programs.manifestOf(args.agent, args.capabilities ?? []);
    const born = await this.#nursery.conceive({
      manifest,
      programVersion: this.#programs.versionOf(manifest),
      input: args.input ?? null,
      capabilities: isBare ? undefined : args.capabilities,
      budget: args.budget as never,
      tenant: parent.tenant,
      tenantName: parent.tenantName,
      folder: parent.row.spec.folder,
      parent,
      label: parent.label,
      cause: `${parent.pid}#${parent.seq + 1}`,
    });
    return { value: born.process.pid, writes: born.writes, after: () => this.#begin(born) };
  }

  #forkParts() {
    return {
      store: this.#store,
      nursery: this.#nursery,
      platform: this.#platform,
      journal: this.#journal,
      programs: this.#programs,
      keys: this.#keys,
      node: this.#node,
    };
  }

  /** A fork is rows until it is woken like any other process that was put to sleep. */
  async #adopt(forked: { key: ProcessKey; pid: ProcessId }): Promise<ProcessId> {
    await this.#journal.durable();
    await this.#dormancy.wake(forked.key);
    return forked.pid;
  }

  #deliver(process: Process, call: Call, settled: { ok?: Json; err?: unknown }): void {
    const entry = {
      what: { kind: "answer", id: call.id, ...settled } as never,
      seq: process.seq,
      ready: !this.#everyCall,
    };
    process.outbox.push(entry);
    if (process.finishing !== null || process.signals.length > 0) this.#boundary.cross(process);
    if (!this.#everyCall) return this.#runner.ready.enqueue(process);
    this.#journal.whenDurable((failed) => {
      if (failed !== undefined) return;
      entry.ready = true;
      this.#runner.ready.enqueue(process);
    });
  }

  async #signalTo(
    row: ProcessRow,
    signal: SignalName,
    cause: string,
  ): Promise<{ writes: Write[]; after: () => void }> {
    const key = await this.#keys.take();
    const waiting: SignalRow = {
      key,
      tenant: row.tenant,
      process: row.key,
      signal,
      cause,
      sentAt: this.#platform.now(),
    };
    const after = () => {
      const loaded = this.#table.get(row.key);
      if (loaded === undefined) this.#call(row.key);
      else this.#boundary.arrive(loaded, waiting);
    };
    return { writes: [{ op: "signal.add", row: waiting }], after };
  }

  #post(key: ProcessKey, message: MessageRow): void {
    const loaded = this.#table.get(key);
    if (loaded === undefined) this.#call(key);
    else loaded.mailbox.add(message);
  }

  /** Something waits for a process that is not in memory here: loads it, or tells the node that has it. */
  #call(key: ProcessKey): void {
    this.#dormancy.wakeLater(key);
    if (this.#store.kind === "sqlite") return;
    this.#journal.whenDurable(() => {
      this.#store
        .notify([key])
        .catch((error: unknown) => this.#trouble("another node could not be told", error));
    });
  }

  async #onNotified(keys: readonly ProcessKey[]): Promise<void> {
    for (const key of keys) {
      const loaded = this.#table.get(key);
      if (loaded !== undefined) {
        for (const message of await this.#store.messages(key)) loaded.mailbox.add(message);
        for (const signal of await this.#store.signals(key)) this.#boundary.arrive(loaded, signal);
        continue;
      }
      if (this.#endings.awaited.includes(key)) {
        const row = await this.#store.processByKey(key);
        if (row !== undefined && isEnded(row.state)) this.#endings.tell(key);
      }
      this.#dormancy.wakeLater(key);
    }
  }

  #onEnd(process: Process, _end: End): void {
    this.#trees.add(process.row.root, -1);
    this.#retention.ended();
    this.#accounts.forget(process.key);
    const { parent } = process.row;
    if (parent !== null && this.#table.get(parent) === undefined) this.#call(parent);
    if (this.#store.kind === "postgres") this.#call(process.key);
    void this.#endChildren(process).catch((error: unknown) =>
      this.#trouble("children could not be ended", error),
    );
  }

  /** E3: those in memory and those that are rows. */
  async #endChildren(process: Process): Promise<void> {
    const children = await this.#store.processes({
      parent: process.key,
      states: ["pending", "running", "waiting", "paused"],
    });
    for (const child of children) {
      const { writes, after } = await this.#signalTo(
        child,
        "SIGKILL",
        `${process.pid}#${process.seq}`,
      );
      this.#journal.write(...writes);
      after();
    }
  }

  /** E3 across a crash: the parent's end was recorded, and the children were not told. */
  async #endOrphans(): Promise<void> {
    for (const key of await this.#store.orphans(this.#node)) {
      const row = await this.#store.processByKey(key);
      if (row === undefined) continue;
      const { writes, after } = await this.#signalTo(row, "SIGKILL", `${row.parentPid}#end`);
      this.#journal.write(...writes);
      after();
    }
  }

  #watchWall(process: Process): void {
    const { wallMs } = process.account.limit;
    if (wallMs === undefined) return;
    const leftMs = process.row.startedAt + wallMs - this.#platform.now();
    process.wallTimer = setTimeout(
      () => {
        void this.signal(process.pid, "SIGBUDGET").catch(() => {});
      },
      Math.max(0, Math.min(leftMs, 2 ** 31 - 1)),
    );
    process.wallTimer.unref();
  }

  #onFenced(key: ProcessKey): void {
    const process = this.#table.get(key);
    if (process === undefined) return;
    this.#trouble(
      `another node has taken over ${process.pid}`,
      new SysError("EFENCED", process.pid),
    );
    this.#drop(process);
  }

  /** G3: what is in memory is ahead of the disk; nothing more is done with it. */
  #onStoreFailure(error: unknown): void {
    for (const process of [...this.#table.all()]) this.#drop(process);
    this.#trouble(
      "the store failed; everything stops here and goes on from the disk at the next start",
      error,
    );
  }

  #drop(process: Process): void {
    this.#table.remove(process);
    process.ended = true;
    void process.program?.stop();
    clearTimeout(process.wallTimer);
    process.reset();
  }

  async #find(pid: string): Promise<ProcessRow> {
    const row =
      this.#table.byPid(pid) === undefined
        ? await this.#store.process(pid)
        : await this.#known(pid);
    if (row === undefined)
      throw new SysError("ENOENT", `there is no process ${pid}`, {
        hint: "`aos ps -a` lists them all",
      });
    return row;
  }

  /** The row of a process that is in memory, which the store may not have yet. */
  async #known(pid: string): Promise<ProcessRow | undefined> {
    return (await this.#store.process(pid)) ?? this.#table.byPid(pid)?.row;
  }

  async #findFor(process: Process, pid: string): Promise<ProcessRow> {
    const row = await this.#find(pid);
    if (row.tenant !== process.tenant) throw new SysError("ENOENT", `there is no process ${pid}`);
    return row;
  }

  #refuseClosed(): void {
    if (this.#closed !== undefined) throw new SysError("ESTATE", "the kernel is closed");
    if (this.#journal.failure !== undefined) throw this.#journal.failure;
  }

  async #close(): Promise<void> {
    this.#leases.close();
    this.#dormancy.close();
    this.#retention.close();
    const programs = [...this.#table.all()].map((process) => process.program);
    for (const process of [...this.#table.all()]) this.#drop(process);
    await Promise.all(programs.map((program) => program?.stop()));
    if (this.#journal.failure === undefined) {
      await this.#journal.durable();
      await this.#audit.close();
      await this.#store.dropNode(this.#node);
    }
    await this.#store.close();
  }
}
